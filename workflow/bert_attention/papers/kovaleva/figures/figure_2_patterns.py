"""Figure 2 of Kovaleva et al. 2019: shares of five patterns by task."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from bert_attention.corpora.task_names import learned_tasks, task_label
from bert_attention.corpora.types import PATTERN_LABELS
from bert_attention.figures import style
from bert_attention.papers.kovaleva.columns import BLOCK_OR_HETEROGENEOUS, PATTERN_METHODS
from bert_attention.papers.kovaleva.figures.head_maps import NOT_LEARNED, NOT_LEARNED_LOOK, VEIL, tasks_of

# From the bottom of a bar to its top, as in the paper.
_COLORS = {
    "vertical": style.BLUE,
    "diagonal": style.ORANGE,
    "vertical_diagonal": style.GREEN,
    "block": style.PURPLE,
    "heterogeneous": "#D9D9D9",
    BLOCK_OR_HETEROGENEOUS: "#D9D9D9",
}
_LABELS = {**PATTERN_LABELS, BLOCK_OR_HETEROGENEOUS: "block or heterogeneous"}
_CORRECTED = ("vertical", "diagonal", "vertical_diagonal", BLOCK_OR_HETEROGENEOUS)
_TOP = ("heterogeneous", BLOCK_OR_HETEROGENEOUS)
_BAR = 0.26  # fraction of the distance between tasks


def draw(kovaleva_patterns: pd.DataFrame, kovaleva_finetuning: pd.DataFrame) -> Figure:
    """Draw stacked bars of the shares in fine-tuned models, with intervals: one bar per task and method."""
    finetuned = kovaleva_patterns[kovaleva_patterns["model"] == "finetuned"]
    tasks = tasks_of(finetuned)
    with style.house_style():
        figure = Figure(figsize=(style.TEXT_WIDTH, 2.9), layout="constrained")
        panel = figure.subplots()
        sideways = (np.arange(len(PATTERN_METHODS)) - (len(PATTERN_METHODS) - 1) / 2) * (_BAR + 0.02)
        centers = np.add.outer(np.arange(len(tasks)), sideways)  # [task, method]
        for method, bar_centers in zip(PATTERN_METHODS, centers.T, strict=True):
            method_rows = finetuned[finetuned["method"] == method].set_index(["pattern", "task"])
            parts = _CORRECTED if method == "corrected" else PATTERN_LABELS
            _draw_bars(panel, bar_centers, {name: method_rows.loc[name].loc[tasks] for name in parts})
        panel.set_xticks(centers.ravel(), [*PATTERN_METHODS] * len(tasks), rotation=90, fontsize=5.5)
        panel.tick_params(axis="x", length=0, pad=1.5)
        for x, task in enumerate(tasks):
            panel.annotate(task_label(task), (x, 0), (0, -34), textcoords="offset points", ha="center", va="top")
            if task not in learned_tasks(kovaleva_finetuning):
                panel.axvspan(x - 0.5, x + 0.5, **VEIL)
                panel.text(x, 0.5, NOT_LEARNED, **NOT_LEARNED_LOOK)
        panel.set_xlim(-0.5, len(tasks) - 0.5)
        style.percent_axis(panel, "share of attention maps")
        panel.set_ylim(0, 1)
        labeled = dict(zip(*panel.get_legend_handles_labels()[::-1], strict=True))
        figure.legend(labeled.values(), labeled.keys(), loc="outside upper center", ncols=len(_COLORS))
        return figure


def _draw_bars(panel: Axes, centers: np.ndarray, by_pattern: Mapping[str, pd.DataFrame]) -> None:
    """Draw a bar at each x position, with patterns stacked in order and each pattern's interval at its inner end."""
    bottom = np.zeros(len(centers))
    for number, (pattern, shares) in enumerate(by_pattern.items()):
        share, low, high = (shares[column].to_numpy() for column in ("share", "low", "high"))
        bars = {"color": _COLORS[pattern], "edgecolor": "white", "linewidth": 0.3, "label": _LABELS[pattern]}
        if pattern == BLOCK_OR_HETEROGENEOUS:
            bars |= {"hatch": "////", "edgecolor": _COLORS["block"]}
        panel.bar(centers, share, _BAR, bottom=bottom, **bars)
        ends = (1 - high, 1 - low) if pattern in _TOP else (bottom + low, bottom + high)
        beside = centers + _BAR * (number - (len(by_pattern) - 1) / 2) / (len(by_pattern) + 1)
        panel.vlines(beside, *np.clip(ends, 0, 1), color="black", linewidth=0.7)
        bottom = bottom + share
