"""Figures of tables that are in memory."""

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
    """Draw a figure from its tables, whoever made them: a :class:`.Study`, or a run of the workflow.

    Parameters
    ----------
    name
        Of the figure; it may end at its number (``clark_figure_2``).
    tables
        The tables by their names, as ``results.yaml`` lists them; further ones do no harm.
    claims
        A file of ``workflow/claims`` whose published curves are drawn under ours, where the figure has such.

    Returns
    -------
    Figure or list of Figure
        A figure; of the scoreboard, a page for each paper.

    Raises
    ------
    InputError
        If there is no such figure, or a table is lacking.
    """
    from bert_attention.figures.style import use_fonts_with_glyphs  # noqa: PLC0415 (imports matplotlib)

    name = figure_named(name)
    entry = results().figures[name]
    lacking = [table for table in entry.tables if table not in tables]
    if lacking:
        raise InputError(f"figure {name}", f"is drawn from {', '.join(lacking)}, too", "give all of its tables")
    published = {"published": published_curves(claims, name)} if entry.published_curves else {}
    function = library_function(Plan(results()).showing_function(name))
    drawn = function(**{table: tables[table] for table in entry.tables}, **published)
    for figure in drawn if isinstance(drawn, list) else [drawn]:
        use_fonts_with_glyphs(figure)
    return drawn
