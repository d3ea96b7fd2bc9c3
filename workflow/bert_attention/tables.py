"""Reading of result tables, which are checked against their contracts."""

from __future__ import annotations

import io
from collections.abc import Callable, Mapping
from math import nan
from pathlib import Path

import pandas as pd

from bert_attention.errors import InputError
from bert_attention.files import REBUILD_REMEDY
from bert_attention.results import results

# Mark of numbers and statements that are cited from memory, not checked in the paper.
RECALLED = "\N{DAGGER}"
# The column of a file of replicates that numbers the block without which a row was computed.
LEFT_OUT = "left_out"


def columns_of(name: str) -> list[str]:
    """Return the columns of a result table's contract, each statistic followed by the bounds of its interval."""
    contract = results().tables[name]
    return [column for listed in contract.columns for column in (listed, *bounds_of(name, listed))]


def bounds_of(name: str, column: str) -> tuple[str, ...]:
    """Return the two columns with the bounds of a statistic, ``low`` and ``high`` for the table's first statistic.

    Another statistic has ``<column>_low`` and ``<column>_high``. Other columns have no bounds.
    """
    statistics = results().tables[name].statistics
    if column not in statistics:
        return ()
    prefix = "" if column == statistics[0] else f"{column}_"
    return f"{prefix}low", f"{prefix}high"


def bounds_text(low: str, high: str) -> str:
    """Return the text of two bounds: ``0.63–0.67``, but ``−0.69 to −0.68``."""
    return f"{low} to {high}" if low.startswith("\N{MINUS SIGN}") else f"{low}\N{EN DASH}{high}"


def with_interval(form: Callable[[float], str], value: float, low: float = nan, high: float = nan) -> str:
    """Format a number and its 95% interval by ``form``, such as ``0.65 (0.63–0.67)``; the number alone without one."""
    return form(value) if pd.isna(low) else f"{form(value)} ({bounds_text(form(low), form(high))})"


def select(rows: pd.DataFrame, where: Mapping[str, object]) -> pd.DataFrame:
    """Return the rows of a table that have these values in their columns."""
    for column, wanted in where.items():
        rows = rows[rows[column] == wanted]
    return rows


def read_published(path: Path | str | None) -> pd.DataFrame:
    """Read a published table, whose first lines may be comments; without a path, a table of curves without rows."""
    if path is None:
        return pd.DataFrame({"series": [], "layer": [], "value": []}).astype({"series": str, "layer": int})
    return pd.read_csv(path, comment="#", keep_default_na=False, na_values=[""])


def read_table(path: Path | str) -> pd.DataFrame:
    """Read a result table, in CSV or Parquet, and check that it has the columns of its contract.

    The contract is that of the table in ``results.yaml`` with the file's name. A file with another name can have any
    columns, such as ``heads.csv`` from ``bert-attention table ... --output heads.csv``.

    Raises
    ------
    InputError
        If the file cannot be read, is not a table, ends within a line, lacks a column, or has replicates of a table.
    """
    try:
        path = Path(path)
        content = path.read_bytes()
    except (OSError, TypeError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise InputError(path, f"cannot be read ({reason})", "give the path of a table") from None
    table = _parquet(content, path) if path.suffix == ".parquet" else _csv(content, path)
    if path.stem in results().tables:
        missing = set(columns_of(path.stem)) - set(table.columns)
        if missing:
            raise InputError(path, f"lacks the columns {', '.join(sorted(missing))}", REBUILD_REMEDY)
    return table


def _parquet(content: bytes, path: Path) -> pd.DataFrame:
    try:
        table = pd.read_parquet(io.BytesIO(content))
    except (OSError, ValueError) as error:
        raise InputError(path, f"is not a Parquet table ({error})", REBUILD_REMEDY) from None
    if LEFT_OUT in table:
        remedy = f"give the table, {path.with_suffix('.csv').name}, or read both by bert_attention.statistics.tables"
        raise InputError(path, "has the replicates of a table, one below the other", f"{remedy}.read_replicates")
    return table


def _csv(content: bytes, path: Path) -> pd.DataFrame:
    if content and not content.endswith(b"\n"):  # pandas would accept part of a row
        raise InputError(path, "is cut: its last line does not end", REBUILD_REMEDY)
    try:
        return pd.read_csv(io.BytesIO(content), keep_default_na=False, na_values=[""])  # a word can be "null"
    except (pd.errors.ParserError, pd.errors.EmptyDataError, UnicodeError, OverflowError) as error:
        raise InputError(path, f"is not a CSV table ({error})", REBUILD_REMEDY) from None
