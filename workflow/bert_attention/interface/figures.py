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
from bert_attention.tables import columns_of, read_published

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
        If there is no such figure, or a table is missing, has no rows, or lacks a column.
    """
    from bert_attention.figures.style import complete, published_at_depth  # noqa: PLC0415 (imports matplotlib)

    name = figure_named(name)
    entry = results().figures[name]
    if not isinstance(tables, Mapping):
        problem = f"gets a {type(tables).__name__}, not tables by name"
        raise InputError(f"figure {name}", problem, f"give {{{entry.tables[0]!r}: ...}}")
    lacking = [table for table in entry.tables if table not in tables]
    if lacking:
        raise InputError(f"figure {name}", f"lacks the tables {', '.join(lacking)}", "give all tables of the figure")
    plan = Plan(results())
    files = plan.published(name)
    shown = {table: tables[table] for table in entry.tables}
    for table, rows in shown.items():
        _check_table(f"figure {name}", table, rows)
    published = {
        argument: published_at_depth(read_published(file if published_curves else None), shown.values())
        for argument, file in files.items()
    }
    drawn = library_function(plan.showing_function(name))(**shown, **published)
    for figure in drawn if isinstance(drawn, list) else [drawn]:
        complete(figure)
    return drawn


def _check_table(figure: str, name: str, table: object) -> None:
    """Raise InputError if a table of a figure is no table, has no rows, or lacks a column of its contract."""
    remedy = f"give the table of study.table({name!r}) or of read_table"
    if not isinstance(table, pd.DataFrame):
        raise InputError(figure, f"the table {name} is a {type(table).__name__}, not a DataFrame", remedy)
    if table.empty:
        raise InputError(figure, f"the table {name} has no rows", remedy)
    if lacking := [column for column in columns_of(name) if column not in table]:
        raise InputError(figure, f"the table {name} lacks the columns {', '.join(lacking)}", remedy)
