"""Every statement of the papers that was judged: how far it is from its threshold, and random weights beside it."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from bert_attention.figures import style

_COLUMNS = 2
_PAPERS = {
    "clark": "Clark et al. 2019",
    "kovaleva": "Kovaleva et al. 2019",
    "kobayashi": "Kobayashi et al. 2020, 2021",
    "coenen": "Coenen et al. 2019",
    "vig": "Vig 2019",
}
# By the verdict on a statement.
COLORS = {
    "confirmed": style.GREEN,
    "not specific to training": style.ORANGE,
    "true, no control applies": style.BLUE,
    "not confirmed": style.VERMILION,
    "inconclusive": "black",
}
# Inches.
_ROW_HEIGHT, _LABEL_WIDTH = 0.101, 1.95
_LEGEND_HEIGHT, _AXIS_HEIGHT, _RIGHT = 0.36, 0.34, 0.08
_SMALL = 6  # points
_FARTHEST = 100.0  # half-widths; what is farther stands at the edge
_TICKS = [-100, -1, 1, 100]


def draw(scoreboard: pd.DataFrame) -> Figure:
    """Draw a row for each fact that was judged, by paper; italics mark automatic parses (silver)."""
    judged = scoreboard[scoreboard["counted"] & scoreboard["lead"].notna()]
    table = judged.drop_duplicates(["paper", "id"])  # each fact once: on the first model that it was measured on
    rows = _with_titles(table)
    most = max(-(-len(rows) // _COLUMNS), 1)
    with style.house_style():
        width, height = style.TEXT_WIDTH, most * _ROW_HEIGHT + _LEGEND_HEIGHT + _AXIS_HEIGHT
        figure = Figure(figsize=(width, height), layout="none")
        each = width / _COLUMNS
        for place in range(_COLUMNS):
            box = (place * each + _LABEL_WIDTH, _LEGEND_HEIGHT + _AXIS_HEIGHT * 0.9, each - _LABEL_WIDTH - _RIGHT, 0)
            sides = np.array(box) / (width, height, width, 1)
            axes = figure.add_axes((*sides[:3], most * _ROW_HEIGHT / height))
            _draw_rows(axes, rows[place * most : (place + 1) * most], most)
        figure.legend(handles=_legend(table), loc="lower center", ncols=4, fontsize=_SMALL, columnspacing=1.2)
        return figure


def _with_titles(table: pd.DataFrame) -> list[pd.Series | str]:
    """The rows of all papers, each after the paper's name."""
    rows: list[pd.Series | str] = []
    for paper, found in table.groupby("paper", sort=False):
        rows += [_PAPERS[paper], *(row for _, row in found.iterrows())]
    return rows


def _draw_rows(axes: Axes, rows: list[pd.Series | str], most: int) -> None:
    axes.axvspan(-1, 1, color=style.GREY, alpha=0.25, linewidth=0)
    at_left = {"transform": axes.get_yaxis_transform(), "va": "center", "ha": "right", "fontsize": _SMALL}
    for place, row in enumerate(rows):
        if isinstance(row, str):
            axes.text(-0.03, place, row, weight="bold", **at_left)
            continue
        label = f"{row['label']}  {row['id'].partition('-')[0]}"
        axes.text(-0.03, place, label, style="italic" if row["text"] == "silver" else "normal", **at_left)
        axes.axhline(place, color=style.GREY, linewidth=0.2, zorder=0)
        axes.scatter(_within(row["control_lead"]), place, s=12, facecolors="none", edgecolors="black", linewidths=0.5)
        axes.scatter(_within(row["lead"]), place, s=10, color=COLORS[row["finding"]], linewidths=0, zorder=3)
    axes.set_xscale("symlog", linthresh=1, linscale=0.6)
    axes.set_xlim(-1.4 * _FARTHEST, 1.4 * _FARTHEST)
    axes.set_ylim(most - 0.5, -0.5)
    axes.set_yticks([])
    labels = [f"{tick:g}".replace("-", "\N{MINUS SIGN}") for tick in _TICKS]
    axes.set_xticks(_TICKS, labels, fontsize=_SMALL)
    axes.set_xticks([], minor=True)
    axes.set_xlabel("half-widths beyond threshold", fontsize=_SMALL - 0.5, labelpad=1)
    axes.grid(visible=False)
    axes.spines["left"].set_visible(False)


def _within(lead: float) -> float:
    return float(np.clip(lead, -_FARTHEST, _FARTHEST))


def _legend(table: pd.DataFrame) -> list[Line2D | Patch]:
    marks = [
        Line2D([], [], color=color, marker="o", linewidth=0, markersize=3, label=verdict)
        for verdict, color in COLORS.items()
        if (table["finding"] == verdict).any()
    ]
    control = Line2D(
        [], [], color="black", marker="o", markerfacecolor="none", linewidth=0, markersize=3.5, label="random weights"
    )
    return [*marks, control, Patch(color=style.GREY, alpha=0.25, linewidth=0, label="interval has the threshold")]
