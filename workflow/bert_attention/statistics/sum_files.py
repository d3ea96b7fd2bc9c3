"""Files with the sums of analyses over the blocks of one shard, by group of rows: task and random encoder.

They are NumPy's ``.npz``, with a member ``units.json``. Joint counts are mostly zeros, so that even fast compression
makes them about 20 times smaller.
"""

from __future__ import annotations

import io
import json
import lzma
import zlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from zipfile import ZIP_DEFLATED, BadZipFile, ZipFile

import numpy as np

from bert_attention.errors import InputError
from bert_attention.files import REBUILD_REMEDY, replacing
from bert_attention.statistics.sums import Sums, blocks_of_sizes, stack_blocks

_UNITS = "units.json"
# What opening and reading a damaged archive, or damaged units, can raise.
_DAMAGED = (
    *(BadZipFile, zlib.error, lzma.LZMAError, EOFError, OSError, MemoryError),
    *(ValueError, TypeError, AttributeError, RuntimeError),
)
_Units = tuple[int, int, list[int]]  # first and last unit of a shard, and the units in each block of all shards


def write_sums(
    sums: Iterable[tuple[str, tuple[dict[str, np.ndarray], range, Sequence[int]]]], path: Path | str
) -> None:
    """Write the sums of a shard atomically.

    ``sums`` are pairs of a group of rows (:attr:`.JobInput.group`) and its arrays ``[block, ...]``, named by table and
    sum (``table:sum``), the range of units in the shard, and the number of units in each block of all shards. The
    arrays of a group are written before the next group is asked for.
    """
    units = {}
    with replacing(path) as partial, ZipFile(partial, "w", ZIP_DEFLATED, compresslevel=1) as archive:
        for group, (arrays, part, sizes) in sums:
            units[group] = [part.start, part.stop, list(sizes)]
            for name, array in arrays.items():
                with archive.open(f"{group}:{name}.npy", "w", force_zip64=True) as file:
                    np.lib.format.write_array(file, _compact(array), allow_pickle=False)
        with archive.open(_UNITS, "w") as file:  # writestr() would store the time
            file.write(json.dumps(units).encode())


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
    """Convert counts to the smallest integer type."""
    whole = array.dtype.kind == "i" and array.size and array.min() >= 0
    return np.ascontiguousarray(array.astype(np.min_scalar_type(array.max())) if whole else array)


def _widened(array: np.ndarray) -> np.ndarray:
    return array.astype(np.int64) if array.dtype.kind == "u" else array


@contextmanager
def _opened(path: Path | str) -> Iterator[ZipFile]:
    try:
        with ZipFile(path) as archive:
            yield archive
    except _DAMAGED as error:
        problem = f"is not a complete file of sums ({str(error) or type(error).__name__})"
        raise InputError(path, problem, REBUILD_REMEDY) from None


def _units(path: Path | str) -> dict[str, _Units]:
    """Return the units of each group in a shard."""
    with _opened(path) as archive:
        if _UNITS not in archive.namelist():
            raise InputError(path, "is not a file of sums", REBUILD_REMEDY)
        return _checked_units(json.loads(archive.read(_UNITS)))


def _arrays(path: Path | str, group: str, table: str) -> dict[str, np.ndarray]:
    """Return the arrays of a group and a table in a shard."""
    start, found = f"{group}:{table}:", {}
    with _opened(path) as archive:
        for name in archive.namelist():
            if name.startswith(start):
                content = io.BytesIO(archive.read(name))  # reads all, so that a checksum is compared first
                array = np.lib.format.read_array(content, allow_pickle=False)
                found[name.removeprefix(start).removesuffix(".npy")] = _widened(array)
    return found


def _checked_units(units: dict) -> dict[str, _Units]:
    """Return the units of a shard by group; raise ValueError, TypeError or AttributeError if they are none."""
    for first, last, sizes in units.values():
        if not all(type(number) is int and number >= 0 for number in (first, last, *sizes)):
            raise ValueError("its units are not whole numbers")
    return units
