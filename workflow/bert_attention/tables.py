"""The result tables: which there are, the columns that readers count on, and how they are written."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pandas as pd
import yaml

from bert_attention.checks import InputError
from bert_attention.files import replacing

# Six significant digits: more than the float16 attention maps carry, few enough to hide the order of summation.
FLOAT_FORMAT = "%.6g"


@dataclass(frozen=True)
class ResultTable:
    """What a result table holds, and the columns that it has at least, in this order."""

    description: str
    columns: tuple[str, ...]


@cache
def result_tables() -> dict[str, ResultTable]:
    """Every result table by name, from ``tables.yaml``: a new one there runs nothing again that has run."""
    entries = yaml.safe_load(Path(__file__).with_suffix(".yaml").read_text(encoding="utf-8"))
    return {name: ResultTable(entry["description"], tuple(entry["columns"])) for name, entry in entries.items()}


def write_table(table: pd.DataFrame, path: Path | str) -> None:
    """Write a result table as CSV, whole or not at all; the file's stem names it in ``tables.yaml``.

    Raises
    ------
    KeyError
        If the table is unknown or lacks a column of its contract.
    ValueError
        If the table has no rows.
    """
    contract = result_tables()[Path(path).stem]
    further = [column for column in table.columns if column not in contract.columns]
    if table.empty:
        raise ValueError(f"{path}: the table has no rows")
    with replacing(path) as partial:
        table[[*contract.columns, *further]].to_csv(
            partial, index=False, float_format=FLOAT_FORMAT, lineterminator="\n"
        )


def read_table(path: Path | str) -> pd.DataFrame:
    """Read a result table back, checking the columns of its contract.

    Raises
    ------
    InputError
        If the file is not a table or lacks a column.
    """
    remedy = "delete the file and run again: Snakemake makes it anew"
    try:
        table = pd.read_csv(path, keep_default_na=False, na_values=[""])  # "null" is a word
    except (pd.errors.ParserError, pd.errors.EmptyDataError, UnicodeDecodeError) as error:
        raise InputError(path, f"is not a CSV table ({error})", remedy) from None
    missing = set(result_tables()[Path(path).stem].columns) - set(table.columns)
    if missing:
        raise InputError(path, f"lacks the columns {', '.join(sorted(missing))}", remedy)
    return table
