"""Figures of tables in memory."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import pandas as pd

from bert_attention.errors import InputError
from bert_attention.interface.requirements import figure_named
from bert_attention.plan import Plan
from bert_attention.results import results
from bert_attention.running.jobs import library_function
from bert_attention.tables import read_published

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def draw(name: str, tables: Mapping[str, pd.DataFrame], published_curves: bool = False) -> Figure | list[Figure]:
    """Draw a figure from its tables, which come from a :class:`.Study` or from a run of the workflow.

    Parameters
    ----------
    name
        The name of the figure, or its start up to the number (``clark_figure_2``).
    tables
        The tables by name, as ``results.yaml`` lists them. Other tables are ignored.
    published_curves
        True to draw the published curves under ours, if the figure has any, by relative depth.

    Returns
    -------
    Figure or list of Figure
        One figure. The scoreboard has a list: one page for each work.

    Raises
    ------
    InputError
        If there is no such figure, or a table is missing.
    """
    from bert_attention.figures.style import complete, published_at_depth  # noqa: PLC0415 (imports matplotlib)

    name = figure_named(name)
    entry = results().figures[name]
    lacking = [table for table in entry.tables if table not in tables]
    if lacking:
        raise InputError(f"figure {name}", f"lacks the tables {', '.join(lacking)}", "give all tables of the figure")
    plan = Plan(results())
    files = plan.published(name)
    shown = {table: tables[table] for table in entry.tables}
    published = {
        argument: published_at_depth(read_published(file if published_curves else None), shown.values())
        for argument, file in files.items()
    }
    drawn = library_function(plan.showing_function(name))(**shown, **published)
    for figure in drawn if isinstance(drawn, list) else [drawn]:
        complete(figure)
    return drawn
