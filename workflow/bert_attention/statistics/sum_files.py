"""Files with the sums of analyses over the blocks of one shard, by group of rows: task and random encoder."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save_file

from bert_attention.errors import InputError
from bert_attention.files import REBUILD_REMEDY, replacing
from bert_attention.statistics.sums import Sums, blocks_of_sizes, stack_blocks

# The only key of the metadata, because safetensors writes several keys in varying order.
_UNITS = "units"
_Units = tuple[int, int, list[int]]  # first and last unit of a shard, and the units in each block of all shards


def write_sums(
    sums: Iterable[tuple[str, tuple[dict[str, np.ndarray], range, Sequence[int]]]], path: Path | str
) -> None:
    """Write the sums of a shard atomically.

    ``sums`` are pairs of a group of rows (:attr:`.JobInput.group`) and its arrays ``[block, ...]``, named by table and
    sum (``table:sum``), the range of units in the shard, and the number of units in each block of all shards. The
    arrays of a group are compacted before the next group is asked for.
    """
    tensors, units = {}, {}
    for group, (arrays, part, sizes) in sums:
        units[group] = [part.start, part.stop, list(sizes)]
        for name in [*arrays]:
            tensors[f"{group}:{name}"] = _compact(arrays.pop(name))
    with replacing(path) as partial:
        save_file(tensors, partial, {_UNITS: json.dumps(units)})


def read_sums(paths: Sequence[Path | str], table: str, groups: Iterable[str]) -> Iterator[tuple[str, Sums]]:
    """Read a table's sums of all shards and join them: yield each group of rows with its sums.

    A group can have files of its own. Groups are read one at a time, because joint counts are large. Raise InputError
    if a file is damaged, or the shards do not cover all units.
    """
    units = {path: _units(path) for path in paths}
    ordered = sorted(paths, key=lambda path: list(units[path].values()))
    for group in groups:
        shards = [path for path in ordered if group in units[path]]
        if not shards:
            raise InputError(ordered[0], f"has no sums of {group or 'the encoder'}", REBUILD_REMEDY)
        yield group, _joined(group, [(path, units[path][group], _arrays(path, group, table)) for path in shards])


def _joined(group: str, shards: Sequence[tuple[Path | str, _Units, dict[str, np.ndarray]]]) -> Sums:
    totals, expected = [], 0
    for path, (first, last, sizes), arrays in shards:
        if first != expected:
            raise InputError(path, f"has the sums of units from {first}, not from {expected}", REBUILD_REMEDY)
        expected = last
        blocks = sum(first <= block.start < last for block in blocks_of_sizes(sizes))
        if {len(array) for array in arrays.values()} - {blocks}:
            raise InputError(path, f"does not have the sums of {blocks} blocks", REBUILD_REMEDY)
        totals += [{name: array[block] for name, array in arrays.items()} for block in range(blocks)]
    if expected != sum(sizes):
        problem = f"ends at unit {expected} of {sum(sizes)}: a shard is missing"
        raise InputError(f"{path}, {group}" if group else path, problem, REBUILD_REMEDY)
    return Sums(stack_blocks(totals))


def _compact(array: np.ndarray) -> np.ndarray:
    """Convert counts to the smallest integer type, because joint counts are large arrays of mostly small numbers."""
    whole = array.dtype.kind == "i" and array.size and array.min() >= 0
    return np.ascontiguousarray(array.astype(np.min_scalar_type(array.max())) if whole else array)


def _widened(array: np.ndarray) -> np.ndarray:
    return array.astype(np.int64) if array.dtype.kind == "u" else array


@contextmanager
def _opened(path: Path | str) -> Iterator[Any]:
    try:
        with safe_open(path, framework="numpy") as file:
            yield file
    except (SafetensorError, OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise InputError(path, f"is not a complete file of sums ({error})", REBUILD_REMEDY) from None


def _units(path: Path | str) -> dict[str, _Units]:
    """Return the units of each group in a shard."""
    with _opened(path) as file:
        metadata = file.metadata() or {}
        if _UNITS not in metadata:
            raise InputError(path, "is not a file of sums", REBUILD_REMEDY)
        return _checked_units(json.loads(metadata[_UNITS]))


def _arrays(path: Path | str, group: str, table: str) -> dict[str, np.ndarray]:
    """Return the arrays of a group and a table in a shard."""
    start = f"{group}:{table}:"
    with _opened(path) as file:
        keys = [key for key in file.keys() if key.startswith(start)]  # noqa: SIM118
        return {key.removeprefix(start): _widened(file.get_tensor(key)) for key in keys}


def _checked_units(units: dict) -> dict[str, _Units]:
    """Return the units of a shard by group; raise ValueError, TypeError or AttributeError if they are none."""
    for first, last, sizes in units.values():
        if not all(type(number) is int and number >= 0 for number in (first, last, *sizes)):
            raise ValueError("its units are not whole numbers")
    return units
