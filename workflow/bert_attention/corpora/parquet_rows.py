"""Read rows of Parquet files, a few at a time.

A file can store a text that many rows share only once: 14 kB are enough for two million rows of 300 kB each. So bytes
are counted while rows are read, against a limit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

import pyarrow as pa
import pyarrow.parquet as pq

from bert_attention.errors import InputError
from bert_attention.files import check_readable

_ROWS_AT_A_TIME = 256


@dataclass(frozen=True)
class Kind:
    """A kind of column: its name in messages, and tests of Arrow types, at least one of which must be True."""

    name: str
    tests: tuple[Callable[[pa.DataType], bool], ...]


TEXT = Kind("text", (pa.types.is_string, pa.types.is_large_string, pa.types.is_string_view))
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
    check_readable(path)
    try:
        with pq.ParquetFile(path) as file:
            present = {name: kind for name, kind in optional.items() if name in file.schema_arrow.names}
            absent = (None,) * (len(optional) - len(present))
            kinds = {**kinds, **present}
            _check_columns(path, file.schema_arrow, kinds, remedy)
            if file.metadata.num_rows > limit.rows:
                problem = f"has {file.metadata.num_rows} rows; the maximum is {limit.rows}"
                raise InputError(path, problem, remedy)
            size = 0
            for batch in file.iter_batches(_ROWS_AT_A_TIME, columns=list(kinds), use_threads=False):
                columns = [_decoded(batch[name]) for name in kinds]
                size += sum(column.nbytes for column in columns)
                if size > limit.size:
                    problem = f"has more than {limit.size / 1e9:g} GB, counting repeated texts in every row"
                    raise InputError(path, problem, remedy)
                yield from (row + absent for row in zip(*(column.to_pylist() for column in columns), strict=True))
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


def _decoded(column: pa.Array) -> pa.Array:
    return column.dictionary_decode() if pa.types.is_dictionary(column.type) else column
