"""Statements whose truth depends on a choice of the analysis: a row for each, a column for each choice.

Simonsohn et al. 2020 (Nature Human Behaviour 4) call such a figure a specification curve. Here it has rows instead of a
curve, because statements have different units.
"""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Patch, Rectangle

from bert_attention.figures import style
from bert_attention.judging.alternatives import held
from bert_attention.judging.encoders import FALSE, OPEN, TRUE

_COLORS = {TRUE: style.GREEN, FALSE: style.VERMILION, OPEN: "#d5d8dc"}
_CONFIGURED = "as configured"
_ROW, _COLUMN, _LABEL, _RIGHT, _BELOW, _LETTER = 0.135, 0.22, 3.6, 0.1, 0.35, 0.06  # inches
_SIZE = 7  # points


def draw(table: pd.DataFrame, labels: Mapping[str, str]) -> Figure:
    """Draw the statements that are true, false or open under some choice only.

    ``table`` is that of :func:`.under_alternatives`. ``labels`` are the labels of choices, by name. A white cell is a
    choice that does not change the statement's number. With several encoders, the name of each stands above its rows.
    """
    counts = held(table)
    changing = counts[counts["holds"] < counts["asked"]]
    choices = [name for name in labels if name in set(table["choice"])]
    truths = table.set_index(["paper", "id", "model", "choice"])["truth"]
    rows: list[tuple[str, list[str | None]]] = []
    for model, of_model in changing.groupby("model"):
        rows += [(str(model), [])] if table["model"].nunique() > 1 else []
        for row in of_model.itertuples():
            found = [truths.get((row.paper, row.id, row.model, choice)) for choice in choices]
            rows.append((row.label, [row.before, *found]))
    with style.house_style():
        above = _LETTER * (1 + max(len(label) for label in (_CONFIGURED, *(labels[name] for name in choices))))
        height = above + max(len(rows), 1) * _ROW + _BELOW
        width = _LABEL + (len(choices) + 1) * _COLUMN + _RIGHT
        figure = Figure(figsize=(width, height), layout="none")
        box = (_LABEL / width, _BELOW / height, 1 - (_LABEL + _RIGHT) / width, 1 - (above + _BELOW) / height)
        axes = figure.add_axes(box)
        for y, (text, found) in enumerate(rows):
            _draw_row(axes, y, text, found)
        _label(axes, [_CONFIGURED, *(labels[name] for name in choices)], len(rows))
        keys = [Patch(color=color, label=truth) for truth, color in _COLORS.items()]
        figure.legend(handles=keys, loc="lower left", bbox_to_anchor=(0, 0), ncols=3, fontsize=_SIZE)
    return figure


def _draw_row(axes: Axes, y: int, text: str, truths: list[str | None]) -> None:
    """Draw a statement with a cell for each choice, or the name of an encoder without cells."""
    for x, truth in enumerate(truths):
        color = _COLORS.get(truth, "white")
        axes.add_patch(Rectangle((x - 0.46, y - 0.42), 0.92, 0.84, facecolor=color, linewidth=0))
    axes.annotate(
        text,
        (0, y),
        (-72 * _LABEL + 2, 0),
        xycoords=axes.get_yaxis_transform(),
        textcoords="offset points",
        va="center_baseline",
        fontsize=_SIZE,
        style="normal" if truths else "italic",
        annotation_clip=False,
    )


def _label(axes: Axes, columns: list[str], rows: int) -> None:
    axes.set_xlim(-0.5, len(columns) - 0.5)
    axes.set_ylim(max(rows, 1) - 0.5, -0.5)
    axes.axvline(0.5, color=style.GRAY, linewidth=0.6)
    axes.xaxis.tick_top()
    axes.set_xticks(range(len(columns)), columns, rotation=90, fontsize=_SIZE)
    axes.set_yticks([])
    axes.tick_params(length=0)
    axes.grid(visible=False)
    for side in axes.spines.values():
        side.set_visible(False)
