"""Shared by the tests of printed tables."""

from __future__ import annotations

import json
import re
from functools import cache

import pandas as pd
import typst

from bert_attention import papers
from bert_attention.printing.layout import PrintedTable, as_typst
from tests.conftest import ROOT


def rows(table: PrintedTable) -> dict[str, list[str]]:
    """The rows of a printed table by their first cells."""
    return {row[0]: list(row[1:]) for group in table.groups for row in group}


def width(table: PrintedTable, points: float) -> float:
    """The width of a printed table in inches, set as in the paper in a size of font."""
    look = (ROOT / "workflow" / "report" / "paper_look.typ").read_text(encoding="utf-8")
    inset = re.search(r"set table\(inset: .*\)", look)[0]
    source = f"""
#{{
{as_typst(table).replace("#let", "let").partition("#body")[0]}
set text(font: "Libertinus Serif", size: {points}pt)
{inset}
context [#metadata(measure(body).width / 1in) <width>]
}}"""
    return json.loads(typst.query(source.encode(), "<width>", field="value", ignore_system_fonts=True))[0]


@cache
def published_rows(paper: str, name: str) -> pd.DataFrame:
    """The rows of a table that a paper published."""
    return papers.paper(paper).published(name)


@cache
def published_values(table: str) -> pd.DataFrame:
    """The published numbers that a result table answers."""
    return published_rows(*table.split("_", 1))
