"""Analyses as ``results.yaml`` describes them, for jobs, which read files, and studies, which have all in memory."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from bert_attention.plan import JobInput, by_group
from bert_attention.running.jobs import library_function
from bert_attention.statistics.jackknife import Replicates, analyze_tables, control_rows, joined, tabulated
from bert_attention.statistics.sums import Sums, blocks_of_shard, sum_units, units_of_shard

# Reads an input of an analysis. Of an attention store, the keyword ``shard`` names a shard (its number, from 1, and the
# number of shards); of other units, ``part`` is a range of units.
Read = Callable[..., Any]


class ShardSums(NamedTuple):
    """Sums of a shard for one task and random encoder."""

    arrays: dict[str, np.ndarray]  # [block, ...] by name
    part: range  # the units of the shard
    sizes: list[int]  # the number of units in each block of all shards


def read_files(files: Mapping[str, object], each: JobInput, **part: object) -> Any:
    """Return an input of a job, or a part of it, from its files; ``files`` are those of all inputs, by key."""
    return library_function(each.reader)(files[each.key], **part)


def sum_shard(
    inputs: Sequence[JobInput],
    read: Read,
    function: Callable,
    show: Callable[..., Iterable],
    shard: tuple[int, int] = (1, 1),
) -> dict[str, ShardSums]:
    """Return the sums over the units of a shard, for each task and random encoder.

    ``function`` is the function ``sums`` of the analysis. ``show`` makes a progress bar of an iterable of units and
    their number (``total``).
    """
    found = {}
    for group, of_group in by_group(inputs).items():
        stores = {each.argument: read(each, shard=shard) for each in of_group if each.kind == "attention"}
        blocks = next(iter(stores.values())).metadata.blocks
        part = units_of_shard(blocks, *shard)
        units = {
            each.argument: stores[each.argument] if each.argument in stores else read(each, part=part)
            for each in of_group
            if each.is_unit
        }
        whole = {each.argument: _read_whole(each, read) for each in of_group if not each.is_unit}
        sums = sum_units(function, units, whole, blocks_of_shard(blocks, *shard), partial(show, total=len(part)))
        found[group] = ShardSums(sums, part, list(map(len, blocks)))
    return found


def sum_all(
    inputs: Sequence[JobInput], read: Read, function: Callable, show: Callable[..., Iterable]
) -> dict[str, Sums]:
    """Return the sums over all units, for each task and random encoder. For the parameters see :func:`sum_shard`."""
    return {group: Sums(found.arrays) for group, found in sum_shard(inputs, read, function, show).items()}


def tables_of_sums(function: Callable, sums: Mapping[str, Sums]) -> Replicates | dict[str, Replicates]:
    """Return the table of an analysis, or its tables by name, with the rows of all tasks and random encoders."""
    return joined({group: tabulated(function, of_group) for group, of_group in sums.items()})


def tables_of_inputs(
    inputs: Sequence[JobInput], read: Read, function: Callable, has_statistics: bool, **arguments: object
) -> Replicates | dict[str, Replicates]:
    """Return the tables of an analysis of whole inputs, as :func:`tables_of_sums` does.

    ``arguments`` are further arguments of the function. Without statistics, there are no replicates.
    """
    made = {}
    for group, of_group in by_group(inputs).items():
        whole = {each.argument: _read_whole(each, read) for each in of_group}
        made[group] = analyze_tables(function, has_statistics, **whole, **arguments)
    return joined(made)


def _read_whole(each: JobInput, read: Read) -> object:
    found = read(each)
    return control_rows(found, each.seed) if each.is_control else found
