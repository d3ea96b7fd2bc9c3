"""Every claim of the papers: published beside replicated."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from bert_attention.figures import style

_COLUMNS = 3
_PAPERS = {
    "clark": "Clark et al. 2019",
    "kovaleva": "Kovaleva et al. 2019",
    "kobayashi": "Kobayashi et al. 2020, 2021",
    "coenen": "Coenen et al. 2019",
    "vig": "Vig 2019",
}
# Inches.
_ROW_HEIGHT = 0.105
_LABEL_WIDTH, _AXES_WIDTH, _MARK_WIDTH = 1.3, 0.58, 0.2
_LEGEND_HEIGHT, _TOP = 0.5, 0.08
_SMALL = 4.6  # points
# In widths of the axes.
_LABEL_PLACE = -(_LABEL_WIDTH - 0.03) / _AXES_WIDTH
_MARK_PLACE = 1 + _MARK_WIDTH / 2 / _AXES_WIDTH
# Verdict (and direction, where numbers cannot be compared): mark, colour, label.
_MARKS = {
    ("reproduced", ""): ("\N{BLACK CIRCLE}", style.GREEN, "reproduced"),
    ("direction only", ""): ("\N{BLACK UP-POINTING TRIANGLE}", style.ORANGE, "direction only"),
    ("not reproduced", ""): ("\N{BLACK SQUARE}", style.VERMILION, "not reproduced"),
    ("not comparable", "holds"): ("\N{CHECK MARK}", style.BLUE, "not comparable: the statement is true here"),
    ("not comparable", "does not hold"): ("\N{BALLOT X}", style.PURPLE, "not comparable: it is not true here"),
    ("not comparable", ""): ("\N{EN DASH}", style.GREY, "not comparable"),
}


def draw(scoreboard: pd.DataFrame, published: pd.DataFrame) -> Figure:
    """A row for each claim that has a published and a replicated number: both, and the verdict.

    ``published`` is not drawn: the scoreboard has what was published.
    """
    table = _of_first_models(scoreboard.dropna(subset=["published", "replicated"]))
    rows = _with_titles(table)
    most = max(-(-len(rows) // _COLUMNS), 1)
    columns = [rows[start : start + most] for start in range(0, most * _COLUMNS, most)]
    with style.house_style():
        width, height = style.TEXT_WIDTH, most * _ROW_HEIGHT + _LEGEND_HEIGHT + _TOP
        figure = Figure(figsize=(width, height), layout="none")
        for place, column in enumerate(columns):
            left = place * width / _COLUMNS + _LABEL_WIDTH
            box = (left / width, _LEGEND_HEIGHT / height, _AXES_WIDTH / width, most * _ROW_HEIGHT / height)
            _draw_rows(figure.add_axes(box), column, most)
        handles = [
            *(_legend_mark(*mark) for (verdict, direction), mark in _MARKS.items() if _has(table, verdict, direction)),
            Line2D(
                [],
                [],
                color=style.GREY,
                marker="D",
                markerfacecolor="none",
                linewidth=0,
                markersize=3,
                label="published",
            ),
            Line2D([], [], color="black", marker="o", linewidth=0.7, markersize=3, label="replicated, 95 % interval"),
        ]
        figure.legend(handles=handles, loc="lower center", ncols=4, fontsize=5.5, columnspacing=1.4, borderpad=0.3)
        return figure


def _of_first_models(table: pd.DataFrame) -> pd.DataFrame:
    """Each claim once: on the first model that it was measured on."""
    return table.drop_duplicates(["paper", "id"])


def _with_titles(table: pd.DataFrame) -> list[pd.Series | str]:
    """The rows of all papers, each after the paper's name."""
    rows: list[pd.Series | str] = []
    for paper, found in table.groupby("paper", sort=False):
        rows += [_PAPERS[paper], *(row for _, row in found.iterrows())]
    return rows


def _draw_rows(axes: Axes, rows: list[pd.Series | str], most: int) -> None:
    for place, row in enumerate(rows):
        if isinstance(row, str):
            axes.text(
                _LABEL_PLACE, place, row, transform=axes.get_yaxis_transform(), fontsize=6, weight="bold", va="center"
            )
        else:
            _draw_row(axes, place, row)
    axes.set_xlim(-1.05, 1.05)
    axes.set_ylim(most - 0.5, -0.5)
    axes.set_yticks([])
    axes.set_xticks([-1, -0.5, 0, 0.5, 1], ["\N{MINUS SIGN}1", "", "0", "", "1"], fontsize=5)
    axes.set_xlabel("value", fontsize=5, labelpad=1)
    axes.grid(axis="x")
    axes.spines["left"].set_visible(False)
    axes.tick_params(axis="x", length=1.5, pad=1)


def _draw_row(axes: Axes, place: int, row: pd.Series) -> None:
    values = np.array(
        [row["published"], row["published_low"], row["published_high"], row["replicated"], row["low"], row["high"]],
        float,
    )
    largest = np.nanmax(np.abs(values)) if np.isfinite(values).any() else 0.0
    scale = 10.0 ** np.ceil(np.log10(largest)) if largest > 1 else 1.0
    published, published_low, published_high, replicated, low, high = values / scale
    if scale > 1:
        label = f"{row['id'].partition('-')[0]} {row['label']} (÷{scale:.0f})"
    else:
        label = f"{row['id'].partition('-')[0]} {row['label']}"
    axes.text(_LABEL_PLACE, place, label, transform=axes.get_yaxis_transform(), fontsize=_SMALL, va="center")
    mark, color, _ = _MARKS[_kind(row)]
    axes.hlines(place, published_low, published_high, color=style.GREY, linewidth=1.6, alpha=0.5)
    axes.scatter(published, place, s=7, marker="D", facecolors="none", edgecolors=style.GREY, linewidths=0.5, zorder=3)
    axes.hlines(place, low, high, color=color, linewidth=0.7)
    axes.scatter(replicated, place, s=5, color=color, linewidths=0, zorder=4)
    axes.text(
        _MARK_PLACE,
        place,
        mark,
        transform=axes.get_yaxis_transform(),
        color=color,
        fontsize=5,
        ha="center",
        va="center",
    )


def _kind(row: pd.Series) -> tuple[str, str]:
    direction = row["direction"] if isinstance(row["direction"], str) else ""
    return row["verdict"], direction if row["verdict"] == "not comparable" else ""


def _has(table: pd.DataFrame, verdict: str, direction: str) -> bool:
    return any(_kind(row) == (verdict, direction) for _, row in table.iterrows())


def _legend_mark(mark: str, color: str, label: str) -> Line2D:
    return Line2D([], [], color=color, marker=f"${mark}$", linewidth=0, markersize=4, markeredgewidth=0.2, label=label)
