"""The codebook of an edition's tables: what each table contains, and what each of its columns means."""

from __future__ import annotations

from collections.abc import Iterable

from bert_attention.results import results
from bert_attention.tables import bounds_of

_HEAD = """\
# Codebook

The columns of the tables of numbers (CSV) of this run. Columns with a 95% interval have the names of its bounds in
parentheses. Tables in `tables/control/` have the same columns for random weights, and a column `seed` with the number
of the random encoder. A table can have more columns than this page lists. An empty cell means that there is no number.
"""


def codebook(tables: Iterable[str]) -> str:
    """Return the codebook of some result tables, in Markdown and in the order of ``results.yaml``."""
    wanted = {*tables}
    sections = [_section(name) for name in results().tables if name in wanted]
    return "\n".join([_HEAD, *sections])


def _section(table: str) -> str:
    entry = results().tables[table]
    rows = [f"| {_with_bounds(table, column)} | {results().meaning(table, column)} |" for column in entry.columns]
    return "\n".join([f"## {table}", "", entry.description, "", "| column | meaning |", "|---|---|", *rows, ""])


def _with_bounds(table: str, column: str) -> str:
    bounds = ", ".join(f"`{bound}`" for bound in bounds_of(table, column))
    return f"`{column}`" + (f" ({bounds})" if bounds else "")
