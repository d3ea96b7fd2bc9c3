"""Analyses as ``results.yaml`` describes them, for jobs, which read files, and studies, which have all in memory."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from bert_attention.plan import JobInput, by_group
from bert_attention.running.jobs import library_function
from bert_attention.statistics.jackknife import Replicates, analyze_tables, control_rows, joined, tabulated
from bert_attention.statistics.sums import Added, Sums, blocks_of_shard, sum_up, units_of_shard

# Reads an input of an analysis. Of an attention store, the keyword ``shard`` names a shard (its number, from 1, and the
# number of shards); of other units, ``part`` is a range of units.
Read = Callable[..., Any]
_OfRow = Callable[[Mapping[str, Any]], Added]


class ShardSums(NamedTuple):
    """Sums of a shard for one task and random encoder."""

    arrays: dict[str, np.ndarray]  # [block, ...] by name: the table, a colon, and the name in its analysis
    part: range  # the units of the shard
    sizes: list[int]  # the number of units in each block of all shards


class Summed(NamedTuple):
    """An analysis whose units are added up: its inputs, and its function ``sums``."""

    inputs: Sequence[JobInput]
    function: Callable[..., Added]


def read_files(files: Mapping[str, object], each: JobInput, **part: object) -> Any:
    """Return an input of a job, or a part of it, from its files; ``files`` are those of all inputs, by key."""
    return library_function(each.reader)(files[each.key], **part)


def sum_shard(
    analyses: Mapping[str, Summed],
    read: Read,
    show: Callable[..., Iterable],
    shard: tuple[int, int] = (1, 1),
) -> Iterator[tuple[str, ShardSums]]:
    """Yield each task and random encoder, as a group of rows, with the sums of analyses over the units of a shard.

    ``analyses`` are of one paper, by table. All get each unit in turn, so that attention is read, or an encoder runs,
    once for all. ``show`` makes a progress bar of an iterable of units and their number (``total``).
    """
    for group, inputs in by_group([each for analysis in analyses.values() for each in analysis.inputs]).items():
        stores = {each.source: read(each, shard=shard) for each in _once(inputs) if each.kind == "attention"}
        blocks = next(iter(stores.values())).metadata.blocks
        part = units_of_shard(blocks, *shard)
        others = [each for each in _once(inputs) if each.kind != "attention"]
        units = stores | {each.source: read(each, part=part) for each in others if each.is_unit}
        whole = {each.source: _read_whole(each, read) for each in others if not each.is_unit}
        functions = {
            table: _of_row(analysis.function, [each for each in analysis.inputs if each.group == group], whole)
            for table, analysis in analyses.items()
        }
        rows = (dict(zip(units, row, strict=True)) for row in zip(*units.values(), strict=True))
        added = (_added(functions, row) for row in show(rows, total=len(part)))
        yield group, ShardSums(sum_up(added, blocks_of_shard(blocks, *shard)), part, list(map(len, blocks)))


def _once(inputs: Iterable[JobInput]) -> Iterable[JobInput]:
    """Return the inputs without those that have the content of another."""
    return {(each.source, each.is_unit): each for each in inputs}.values()


def _of_row(function: Callable[..., Added], inputs: Sequence[JobInput], whole: Mapping[str, object]) -> _OfRow:
    """Return a function of a unit of each source. It fills in the inputs that are the same for every unit."""
    of_unit = {each.argument: each.source for each in inputs if each.is_unit}
    same = {each.argument: whole[each.source] for each in inputs if not each.is_unit}
    return lambda row: function(**{argument: row[source] for argument, source in of_unit.items()}, **same)


def _added(functions: Mapping[str, _OfRow], row: Mapping[str, object]) -> Added:
    return {f"{table}:{name}": value for table, of_row in functions.items() for name, value in of_row(row).items()}


def sum_all(
    inputs: Sequence[JobInput], read: Read, function: Callable, show: Callable[..., Iterable]
) -> Iterator[tuple[str, Sums]]:
    """Yield each task and random encoder with the sums of an analysis over all units, as :func:`sum_shard` does."""
    for group, of_group in sum_shard({"": Summed(inputs, function)}, read, show):
        yield group, Sums(of_group.arrays).within(":")


def tables_of_sums(function: Callable, sums: Iterable[tuple[str, Sums]]) -> Replicates | dict[str, Replicates]:
    """Return the table of an analysis, or its tables by name, with the rows of all tasks and random encoders."""
    return joined({group: tabulated(function, of_group) for group, of_group in sums})


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
