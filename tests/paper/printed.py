"""Shared by the tests of printed tables."""

from __future__ import annotations

from functools import cache

import pandas as pd

from bert_attention.claims import publications
from bert_attention.paper.layout import PrintedTable
from tests.conftest import ROOT


def rows(table: PrintedTable) -> dict[str, list[str]]:
    """The rows of a printed table by their first cells."""
    return {row[0]: list(row[1:]) for group in table.groups for row in group}


@cache
def published_rows(paper: str, name: str) -> pd.DataFrame:
    """The rows of a table that a paper published."""
    return publications.published_rows(ROOT / "workflow" / "claims" / f"{paper}.yaml", name)


@cache
def published_values(table: str) -> pd.DataFrame:
    """The published numbers that a result table answers."""
    return publications.published_values(ROOT / "workflow" / "claims" / f"{table.partition('_')[0]}.yaml", table)
