"""Figures of tables in memory."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import pandas as pd

from bert_attention.claims.publications import published_curves
from bert_attention.errors import InputError
from bert_attention.interface.requirements import figure_named
from bert_attention.plan import Plan
from bert_attention.results import results
from bert_attention.running.jobs import library_function

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def draw(name: str, tables: Mapping[str, pd.DataFrame], claims: Path | str | None = None) -> Figure | list[Figure]:
    """Draw a figure from its tables, which come from a :class:`.Study` or from a run of the workflow.

    Parameters
    ----------
    name
        The name of the figure, or its start up to the number (``clark_figure_2``).
    tables
        The tables by name, as ``results.yaml`` lists them. Other tables are ignored.
    claims
        A file of ``workflow/claims`` with published curves to draw under ours, if the figure has published curves.

    Returns
    -------
    Figure or list of Figure
        One figure. The scoreboard has a list: one page for each work.

    Raises
    ------
    InputError
        If there is no such figure, or a table is missing.
    """
    from bert_attention.figures.style import complete  # noqa: PLC0415 (imports matplotlib)

    name = figure_named(name)
    entry = results().figures[name]
    lacking = [table for table in entry.tables if table not in tables]
    if lacking:
        raise InputError(f"figure {name}", f"lacks the tables {', '.join(lacking)}", "give all tables of the figure")
    published = {"published": published_curves(claims, name)} if entry.published_curves else {}
    function = library_function(Plan(results()).showing_function(name))
    drawn = function(**{table: tables[table] for table in entry.tables}, **published)
    for figure in drawn if isinstance(drawn, list) else [drawn]:
        complete(figure)
    return drawn
