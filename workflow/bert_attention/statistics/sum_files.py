"""Files with the sums of one analysis over the blocks of one shard, by task if the analysis has tasks."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save_file

from bert_attention.errors import InputError
from bert_attention.files import REBUILD_REMEDY, replacing
from bert_attention.statistics.sums import Sums, blocks_of_sizes, stack_blocks

# The only key of the metadata, because safetensors writes several keys in varying order.
_UNITS = "units"


def write_sums(sums: Mapping[str, tuple[Mapping[str, np.ndarray], range, Sequence[int]]], path: Path | str) -> None:
    """Write the sums of a shard atomically.

    ``sums`` are by task, or by the empty name if there are no tasks. Each entry has arrays ``[block, ...]`` by name,
    the range of units in the shard, and the number of units in each block of all shards.
    """
    tensors = {f"{task}:{name}": _compact(array) for task, (own, _, _) in sums.items() for name, array in own.items()}
    units = {task: [part.start, part.stop, list(sizes)] for task, (_, part, sizes) in sums.items()}
    with replacing(path) as partial:
        save_file(tensors, partial, {_UNITS: json.dumps(units)})


def read_sums(paths: Sequence[Path | str]) -> dict[str, Sums]:
    """Read the sums of all shards and join them, by task.

    Raise InputError if a file is damaged, or the shards do not cover all units.
    """
    shards = sorted(((path, *_read(path)) for path in paths), key=lambda shard: list(shard[1].values()))
    joined = {}
    for task in shards[0][1]:
        totals, expected = [], 0
        for path, units, arrays in shards:
            first, last, sizes = units.get(task, (-1, -1, []))
            if first != expected:
                raise InputError(path, f"has the sums of units from {first}, not from {expected}", REBUILD_REMEDY)
            expected = last
            part = {name.partition(":")[2]: a for name, a in arrays.items() if name.partition(":")[0] == task}
            blocks = sum(first <= block.start < last for block in blocks_of_sizes(sizes))
            if {len(array) for array in part.values()} - {blocks}:
                raise InputError(path, f"does not have the sums of {blocks} blocks", REBUILD_REMEDY)
            totals += [{name: array[block] for name, array in part.items()} for block in range(blocks)]
        if expected != sum(sizes):
            raise InputError(paths[-1], f"ends at unit {expected} of {sum(sizes)}: a shard is missing", REBUILD_REMEDY)
        joined[task] = Sums(stack_blocks(totals))
    return joined


def _compact(array: np.ndarray) -> np.ndarray:
    """Convert counts to the smallest integer type, because joint counts are large arrays of mostly small numbers."""
    whole = array.dtype.kind == "i" and array.size and array.min() >= 0
    return np.ascontiguousarray(array.astype(np.min_scalar_type(array.max())) if whole else array)


def _widened(array: np.ndarray) -> np.ndarray:
    return array.astype(np.int64) if array.dtype.kind == "u" else array


def _read(path: Path | str) -> tuple[dict[str, tuple[int, int, list[int]]], dict[str, np.ndarray]]:
    try:
        with safe_open(path, framework="numpy") as file:
            metadata = file.metadata() or {}
            if _UNITS not in metadata:
                raise InputError(path, "is not a file of sums", REBUILD_REMEDY)
            arrays = {name: _widened(file.get_tensor(name)) for name in file.keys()}  # noqa: SIM118
            return _checked_units(json.loads(metadata[_UNITS])), arrays
    except (SafetensorError, OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise InputError(path, f"is not a complete file of sums ({error})", REBUILD_REMEDY) from None


def _checked_units(units: dict) -> dict[str, tuple[int, int, list[int]]]:
    """Return the units of a shard by task; raise ValueError, TypeError or AttributeError if they are something else."""
    for first, last, sizes in units.values():
        if not all(type(number) is int and number >= 0 for number in (first, last, *sizes)):
            raise ValueError("its units are not whole numbers")
    return units
