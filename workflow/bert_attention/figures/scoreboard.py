"""Judged statements of the papers: their effects beyond their thresholds, beside those of random weights.

An effect is a number's distance beyond the threshold, in multiples of the smallest effect worth stating. So effects in
different units share an axis.
"""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from bert_attention.figures import style
from bert_attention.judging.claims import SMALLEST_EFFECTS
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
_NEAREST_EDGE = 100.0  # the axis goes at least this far on either side
_TICKS = [-1000, -100, -10, -1, 1, 10, 100, 1000]


def draw(scoreboard: pd.DataFrame) -> list[Figure]:
    """Draw a page for each work, with a row for each of its statements that was judged.

    Italics mark automatic parses (silver) and labels by a language model, a dagger marks recalled statements.
    """
    drawn = _drawn(scoreboard)
    pages = [_page(work, rows) for work, rows in drawn.groupby("work", sort=False)]
    return pages or [_page("No statement was judged", drawn)]


def page_count(scoreboard: pd.DataFrame) -> int:
    """Return the number of pages that :func:`draw` makes."""
    return max(1, _drawn(scoreboard)["work"].nunique())


def _drawn(scoreboard: pd.DataFrame) -> pd.DataFrame:
    """Return the rows to draw: each statement once, for the first model on which it was measured."""
    judged = scoreboard[(scoreboard["counted"] == True) & scoreboard["effect"].notna()]  # noqa: E712 (some rows have no value)
    return _in_smallest_effects(judged.drop_duplicates(["paper", "id"]))


def _in_smallest_effects(rows: pd.DataFrame) -> pd.DataFrame:
    """Return the rows with effects of the encoder and of random weights in multiples of the smallest effect.

    A statement whose smallest effect is 0 has that of its unit.
    """
    of_unit = rows["unit"].fillna("").map(lambda unit: SMALLEST_EFFECTS[unit.partition(" ")[0]].size)
    smallest = rows["smallest"].where(rows["smallest"] > 0, of_unit).astype(float)
    effects = ["effect", "effect_low", "effect_high"]
    scaled = rows[effects].astype(float).div(smallest, axis=0)
    return rows.assign(**scaled, control_effect=scaled["effect"] - rows["gain"].astype(float) / smallest)


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
    axes.axvspan(0, 1, color=style.GRAY, alpha=0.22, linewidth=0)
    at_left = {"va": "center_baseline", "fontsize": _SIZE, "annotation_clip": False}
    at_left |= {"xycoords": axes.get_yaxis_transform(), "textcoords": "offset points"}
    for y, (_, row) in enumerate(rows.iterrows()):
        axes.axhline(y, color=style.GRAY, linewidth=0.2, zorder=0)
        slant = "normal" if row["text"] == "real" else "italic"
        mark = RECALLED if row["provenance"].startswith("recalled") else ""
        axes.annotate(row["label"] + mark, (0, y), (-72 * _LABEL_WIDTH, 0), style=slant, **at_left)
        color, marker = LOOKS[row["finding"]]
        axes.plot(row["control_effect"], y, markersize=4.4, **_CONTROL)
        axes.plot([row["effect_low"], row["effect_high"]], [y, y], color=color, linewidth=1.2)
        axes.plot(row["effect"], y, color=color, marker=marker, markersize=4, markeredgewidth=0)
    axes.set_ylim(max(len(rows), 1) - 0.5, -0.5)
    axes.set_yticks([])
    axes.spines["left"].set_visible(False)
    axes.set_xscale("symlog", linthresh=1, linscale=0.6)
    drawn = rows[["effect", "effect_low", "effect_high", "control_effect"]].abs().to_numpy(float)
    edge = 1.3 * np.nanmax([_NEAREST_EDGE, *drawn.ravel()])
    axes.set_xlim(-edge, edge)
    ticks = [tick for tick in _TICKS if abs(tick) <= edge]
    axes.set_xticks(ticks, [f"{tick:g}".replace("-", "\N{MINUS SIGN}") for tick in ticks], fontsize=_SIZE)
    axes.set_xticks([], minor=True)
    axes.set_xlabel("effect beyond the threshold,\nin smallest effects worth stating", fontsize=_SIZE, labelpad=1)
    axes.grid(visible=False)


def _label_sides(axes: Axes) -> None:
    """Label the two sides of the threshold, and effects too small to be stated, above the rows."""
    above = {"transform": axes.get_xaxis_transform(), "ha": "center", "va": "bottom", "fontsize": _SIZE}
    for x, label in ((-10, "false"), (0.5, "too small"), (20, "true")):
        axes.text(x, 1.0, label, **above)


def _legend(rows: pd.DataFrame) -> list[Line2D]:
    """Return a key for each verdict that occurs, and one for random weights."""
    keys = [
        Line2D([], [], color=color, marker=marker, linewidth=0, markersize=4, markeredgewidth=0, label=verdict)
        for verdict, (color, marker) in LOOKS.items()
        if (rows["finding"] == verdict).any()
    ]
    return [*keys, Line2D([], [], linewidth=0, markersize=4.4, label="random weights", **_CONTROL)]
