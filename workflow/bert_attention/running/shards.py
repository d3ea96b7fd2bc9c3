"""Sums of an analysis over one shard of its sources."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np

from bert_attention.plan import JobInput, by_group
from bert_attention.running.jobs import library_function
from bert_attention.statistics.sums import blocks_of_shard, sum_units, units_of_shard


class ShardSums(NamedTuple):
    """Sums of a shard for one task and random encoder."""

    arrays: dict[str, np.ndarray]  # [block, ...] by name
    part: range  # the units of the shard
    sizes: list[int]  # the number of units in each block of all shards


def sum_shard(
    inputs: Sequence[JobInput],
    files: Mapping[str, object],
    function: Callable,
    shard: int,
    shards: int,
    show: Callable[..., Iterable],
) -> dict[str, ShardSums]:
    """Return the sums over the units of shard number ``shard`` (from 1), for each task and random encoder.

    ``files`` are the files of each input, by its key, and ``function`` is the function ``sums`` of the analysis.
    ``show`` makes a progress bar of an iterable of units and their number (``total``).
    """
    found = {}
    for group, of_group in by_group(inputs).items():
        readers = {each.argument: partial(library_function(each.reader), files[each.key]) for each in of_group}
        attention = [each.argument for each in of_group if each.kind == "attention"]
        stores = {argument: readers[argument](shard=(shard, shards)) for argument in attention}
        blocks = stores[attention[0]].metadata.blocks
        part = units_of_shard(blocks, shard, shards)
        named = [each.argument for each in of_group if each.is_unit]
        units = {name: stores[name] if name in stores else readers[name](part=part) for name in named}
        whole = {each.argument: readers[each.argument]() for each in of_group if not each.is_unit}
        inside = blocks_of_shard(blocks, shard, shards)
        sums = sum_units(function, units, whole, inside, partial(show, total=len(part)))
        found[group] = ShardSums(sums, part, list(map(len, blocks)))
    return found
