"""Judged statements of the papers: their distances from their thresholds, beside those of random weights."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from bert_attention.figures import style
from bert_attention.tables import RECALLED

# Color and marker of each verdict on a statement.
LOOKS = {
    "confirmed": (style.GREEN, "o"),
    "not specific to training": (style.ORANGE, "s"),
    "true, perhaps not specific": (style.ORANGE, "P"),
    "true, no control applies": (style.BLUE, "D"),
    "not confirmed": (style.VERMILION, "X"),
    "inconclusive": ("black", "^"),
}
_CONTROL = {"marker": "o", "markerfacecolor": "none", "markeredgecolor": "black", "markeredgewidth": 0.6}
# These sizes are in inches.
_ROW_HEIGHT, _TITLE_HEIGHT, _BOTTOM_HEIGHT = 0.128, 0.36, 0.56  # below the rows are the axis and the legend
_LABEL_WIDTH, _RIGHT = 4.14, 0.1
_SIZE = 7  # points
_FARTHEST = 100.0  # half-widths; points farther away stand at the edge
_TICKS = [-100, -10, -1, 1, 10, 100]


def draw(scoreboard: pd.DataFrame) -> list[Figure]:
    """Draw a page for each work, with a row for each of its statements that was judged.

    Italics mark automatic parses (silver) and labels by a language model, a dagger marks recalled statements.
    """
    pages = [_page(work, rows) for work, rows in _drawn(scoreboard).groupby("work", sort=False)]
    return pages or [_page("No statement was judged", scoreboard.iloc[:0])]


def page_count(scoreboard: pd.DataFrame) -> int:
    """Return the number of pages that :func:`draw` makes."""
    return max(1, _drawn(scoreboard)["work"].nunique())


def _drawn(scoreboard: pd.DataFrame) -> pd.DataFrame:
    """Return the rows to draw: each statement once, for the first model on which it was measured."""
    judged = scoreboard[(scoreboard["counted"] == True) & scoreboard["distance"].notna()]  # noqa: E712 (some rows have no value)
    return judged.drop_duplicates(["paper", "id"])


def _page(title: str, rows: pd.DataFrame) -> Figure:
    with style.house_style():
        body = max(len(rows), 1) * _ROW_HEIGHT
        height = _TITLE_HEIGHT + body + _BOTTOM_HEIGHT
        figure = Figure(figsize=(style.TEXT_WIDTH, height), layout="none")
        box = np.array([_LABEL_WIDTH, _BOTTOM_HEIGHT, style.TEXT_WIDTH - _LABEL_WIDTH - _RIGHT, body])
        axes = figure.add_axes(tuple(box / [style.TEXT_WIDTH, height, style.TEXT_WIDTH, height]))
        _draw_rows(axes, rows)
        _label_sides(axes)
        figure.text(
            0.003, 1 - 0.05 / height, title[:1].upper() + title[1:], weight="bold", fontsize=_SIZE + 1.5, va="top"
        )
        figure.legend(
            handles=_legend(rows),
            loc="lower left",
            bbox_to_anchor=(0, 0.1 / height),
            ncols=3,
            fontsize=_SIZE,
            columnspacing=1.2,
        )
        return figure


def _draw_rows(axes: Axes, rows: pd.DataFrame) -> None:
    axes.axvspan(-1, 1, color=style.GRAY, alpha=0.22, linewidth=0)
    at_left = {"va": "center_baseline", "fontsize": _SIZE, "annotation_clip": False}
    at_left |= {"xycoords": axes.get_yaxis_transform(), "textcoords": "offset points"}
    for y, (_, row) in enumerate(rows.iterrows()):
        axes.axhline(y, color=style.GRAY, linewidth=0.2, zorder=0)
        slant = "normal" if row["text"] == "real" else "italic"
        mark = RECALLED if row["provenance"].startswith("recalled") else ""
        axes.annotate(row["label"] + mark, (0, y), (-72 * _LABEL_WIDTH, 0), style=slant, **at_left)
        color, marker = LOOKS[row["finding"]]
        axes.plot(_within(row["control_distance"]), y, markersize=4.4, clip_on=False, **_CONTROL)
        axes.plot(
            _within(row["distance"]), y, color=color, marker=marker, markersize=4, markeredgewidth=0, clip_on=False
        )
    axes.set_ylim(max(len(rows), 1) - 0.5, -0.5)
    axes.set_yticks([])
    axes.spines["left"].set_visible(False)
    axes.set_xscale("symlog", linthresh=1, linscale=0.6)
    axes.set_xlim(-1.3 * _FARTHEST, 1.3 * _FARTHEST)
    axes.set_xticks(_TICKS, [f"{tick:g}".replace("-", "\N{MINUS SIGN}") for tick in _TICKS], fontsize=_SIZE)
    axes.set_xticks([], minor=True)
    axes.set_xlabel("distance beyond the threshold,\nin half-widths of the 95% interval", fontsize=_SIZE, labelpad=1)
    axes.grid(visible=False)


def _label_sides(axes: Axes) -> None:
    """Label the two sides of the threshold, and the middle, above the rows."""
    above = {"transform": axes.get_xaxis_transform(), "ha": "center", "va": "bottom", "fontsize": _SIZE}
    for x, label in ((-10, "false"), (0, "unclear"), (10, "true")):
        axes.text(x, 1.0, label, **above)


def _within(distance: float) -> float:
    return float(np.clip(distance, -_FARTHEST, _FARTHEST))


def _legend(rows: pd.DataFrame) -> list[Line2D]:
    """Return a key for each verdict that occurs, and one for random weights."""
    keys = [
        Line2D([], [], color=color, marker=marker, linewidth=0, markersize=4, markeredgewidth=0, label=verdict)
        for verdict, (color, marker) in LOOKS.items()
        if (rows["finding"] == verdict).any()
    ]
    return [*keys, Line2D([], [], linewidth=0, markersize=4.4, label="random weights", **_CONTROL)]
