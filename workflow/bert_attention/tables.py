"""Writing and reading result tables, checked against their contracts."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from pathlib import Path

import pandas as pd

from bert_attention.errors import InputError
from bert_attention.files import MADE_ANEW, replacing
from bert_attention.results import results

# Six significant digits: more than the float16 attention maps carry, few enough to hide the order of summation.
FLOAT_FORMAT = "%.6g"


def write_table(table: pd.DataFrame, path: Path | str) -> None:
    """Write a result table as CSV, whole or not at all; the file's stem names it in ``results.yaml``.

    Raises
    ------
    KeyError
        If the table is unknown or lacks a column of its contract.
    ValueError
        If the table has no rows.
    """
    contract = results().tables[Path(path).stem]
    further = [column for column in table.columns if column not in contract.columns]
    if table.empty:
        raise ValueError(f"{path}: the table has no rows")
    with replacing(path) as partial:
        table[[*contract.columns, *further]].to_csv(
            partial, index=False, float_format=FLOAT_FORMAT, lineterminator="\n"
        )


def write_tables(tables: pd.DataFrame | Mapping[str, pd.DataFrame], paths: Sequence[Path | str]) -> None:
    """Write all tables that an analysis returns: one, or several by name, each to the path with that stem.

    Raises
    ------
    KeyError, ValueError
        As :func:`write_table`; and if tables and paths do not have the same names.
    """
    names = [Path(path).stem for path in paths]
    by_name = {names[0]: tables} if isinstance(tables, pd.DataFrame) else tables
    if sorted(by_name) != sorted(names):
        raise ValueError(f"the analysis returns the tables {', '.join(by_name)}, the rule expects {', '.join(names)}")
    for name, path in zip(names, paths, strict=True):
        write_table(by_name[name], path)


def join_tables(
    tables: Sequence[pd.DataFrame | Mapping[str, pd.DataFrame]],
) -> pd.DataFrame | dict[str, pd.DataFrame]:
    """The rows of all tables; of several tables by name, those of each name."""
    if isinstance(tables[0], pd.DataFrame):
        return pd.concat(tables, ignore_index=True)
    return {name: pd.concat([by_name[name] for by_name in tables], ignore_index=True) for name in tables[0]}


def read_table(path: Path | str) -> pd.DataFrame:
    """Read a result table back, checking the columns of its contract.

    Raises
    ------
    InputError
        If the file is not a table, is cut in a line, or lacks a column.
    """
    content = Path(path).read_bytes()
    if content and not content.endswith(b"\n"):  # pandas takes half a row for a row
        raise InputError(path, "is cut: its last line does not end", MADE_ANEW)
    try:
        table = pd.read_csv(io.BytesIO(content), keep_default_na=False, na_values=[""])  # "null" is a word
    except (pd.errors.ParserError, pd.errors.EmptyDataError, UnicodeError, OverflowError) as error:
        raise InputError(path, f"is not a CSV table ({error})", MADE_ANEW) from None
    missing = set(results().tables[Path(path).stem].columns) - set(table.columns)
    if missing:
        raise InputError(path, f"lacks the columns {', '.join(sorted(missing))}", MADE_ANEW)
    return table
