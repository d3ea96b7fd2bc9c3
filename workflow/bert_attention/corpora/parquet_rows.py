"""Read rows of Parquet files in bounded memory.

A file can store a text that many rows share only once: 14 kB are enough for two million rows of 300 kB each. Such a
text is also one object in memory. The sizes that a file states are compared with limits before its rows are read. If
the sizes are wrong, pages of 2 GB, the format's maximum, can still be unpacked, one at a time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

import pyarrow as pa
import pyarrow.parquet as pq

from bert_attention.errors import InputError

_ROWS_AT_A_TIME = 8192
_LARGEST_CHUNK = 1 << 30  # bytes of a column in a row group; writers make row groups of some hundred megabytes at most


@dataclass(frozen=True)
class Kind:
    """A kind of column: its name in messages, and tests of Arrow types, at least one of which must be True."""

    name: str
    tests: tuple[Callable[[pa.DataType], bool], ...]


TEXT = Kind("text", (pa.types.is_string, pa.types.is_large_string))
BYTES = Kind("bytes", (pa.types.is_binary, pa.types.is_large_binary))
WHOLE_NUMBERS = Kind("whole numbers", (pa.types.is_integer,))
NUMBERS = Kind("numbers", (pa.types.is_integer, pa.types.is_floating, pa.types.is_boolean))


_NO_COLUMNS: Mapping[str, Kind] = MappingProxyType({})


@dataclass(frozen=True)
class Limit:
    """Maximum numbers of rows and of bytes of a file; bytes are counted unpacked, and shared texts in every row."""

    rows: int
    size: int


def parquet_rows(
    path: Path, kinds: Mapping[str, Kind], limit: Limit, remedy: str, optional: Mapping[str, Kind] = _NO_COLUMNS
) -> Iterator[tuple]:
    """Yield some columns of each row, in the order of the arguments; missing values are None.

    ``kinds`` has the required kind of each column. Columns in ``optional`` come after the others, and are None in every
    row if the file lacks them. Raise InputError with the advice ``remedy`` if the file is not a readable Parquet file
    or is larger than the limit, or if a column is missing, occurs twice or has another kind.
    """
    try:
        with pq.ParquetFile(path) as file:
            present = {name: kind for name, kind in optional.items() if name in file.schema_arrow.names}
            absent = (None,) * (len(optional) - len(present))
            kinds = {**kinds, **present}
            _check_columns(path, file.schema_arrow, kinds, remedy)
            _check_stated_size(path, file.metadata, kinds, limit, remedy)
        with pq.ParquetFile(path, read_dictionary=list(kinds)) as file:
            size = 0
            for batch in file.iter_batches(_ROWS_AT_A_TIME, columns=list(kinds), use_threads=False):
                columns = [_values(batch[name]) for name in kinds]
                size += sum(
                    _size(column) for column, kind in zip(columns, kinds.values(), strict=True) if kind in (TEXT, BYTES)
                )
                if size > limit.size:
                    problem = f"has more than {limit.size / 1e9:g} GB of text, counting repeated texts in every row"
                    raise InputError(path, problem, remedy)
                yield from (row + absent for row in zip(*columns, strict=True))
    except (pa.ArrowException, OSError, UnicodeError, OverflowError) as error:
        raise InputError(path, f"is not a readable Parquet file ({error})", remedy) from None


def _check_columns(path: Path, schema: pa.Schema, kinds: Mapping[str, Kind], remedy: str) -> None:
    missing = [name for name in kinds if name not in schema.names]
    if missing:
        problem = f"has no column {', '.join(missing)}; its columns are {', '.join(schema.names)}"
        raise InputError(path, problem, remedy)
    twice = [name for name in kinds if schema.names.count(name) > 1]
    if twice:
        raise InputError(path, f"has more than one column {', '.join(twice)}", remedy)
    for name, kind in kinds.items():
        found = schema.field(name).type
        held = found.value_type if pa.types.is_dictionary(found) else found
        if not any(test(held) for test in kind.tests):
            raise InputError(path, f"its column {name} holds {held}, not {kind.name}", remedy)


def _check_stated_size(path: Path, footer: pq.FileMetaData, names: Mapping, limit: Limit, remedy: str) -> None:
    groups = [footer.row_group(index) for index in range(footer.num_row_groups)]
    rows = max(footer.num_rows, sum(group.num_rows for group in groups))
    if rows > limit.rows:
        raise InputError(path, f"has {rows} rows; the maximum is {limit.rows}", remedy)
    chunks = [group.column(index) for group in groups for index in range(group.num_columns)]
    sizes = [chunk.total_uncompressed_size for chunk in chunks if chunk.path_in_schema in names]
    if sum(sizes) > limit.size or max(sizes, default=0) > _LARGEST_CHUNK:
        problem = f"unpacks to {sum(sizes) / 1e9:.1f} GB; the maximum is {min(limit.size, _LARGEST_CHUNK) / 1e9:.1f} GB"
        raise InputError(path, problem, remedy)


def _values(column: pa.Array) -> list:
    """Return the values of a column; equal entries of a dictionary column are the same object."""
    if not isinstance(column, pa.DictionaryArray):
        return column.to_pylist()
    entries = column.dictionary.to_pylist()
    return [None if index is None else entries[index] for index in column.indices.to_pylist()]


def _size(values: list[str | bytes | None]) -> int:
    return sum(len(value) for value in values if value is not None)
