"""Figure 2 of Kovaleva et al. 2019: shares of five patterns by task."""

from __future__ import annotations

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from bert_attention.corpora.types import PATTERN_LABELS
from bert_attention.figures import style
from bert_attention.figures.kovaleva.head_maps import VEIL
from bert_attention.kovaleva.column_values import PATTERN_METHODS, TASK_LABELS, learnt_tasks

# From the bottom of a bar to its top, as in the paper, with lighter colours between darker ones.
_COLOURS = {
    "vertical": style.BLUE,
    "diagonal": style.ORANGE,
    "vertical_diagonal": style.GREEN,
    "block": style.PURPLE,
    "heterogeneous": "#D9D9D9",
}
_BAR = 0.26  # of the distance between tasks


def draw(kovaleva_patterns: pd.DataFrame, kovaleva_finetuning: pd.DataFrame) -> Figure:
    """Stacked bars of the shares in fine-tuned models: three bars a task, one for each method."""
    finetuned = kovaleva_patterns[kovaleva_patterns["model"] == "finetuned"]
    tasks = [task for task in TASK_LABELS if task in set(finetuned["task"])]
    with style.house_style():
        figure = Figure(figsize=(style.TEXT_WIDTH, 2.7), layout="constrained")
        panel = figure.subplots()
        for number, method in enumerate(PATTERN_METHODS):
            of_method = finetuned[finetuned["method"] == method]
            shares = of_method.pivot_table(index="task", columns="pattern", values="share").loc[tasks]
            _draw_bars(panel, shares, _sideways(number), with_labels=number == 0)
        places = [task + _sideways(number) for task in range(len(tasks)) for number in range(len(PATTERN_METHODS))]
        panel.set_xticks(places, [*PATTERN_METHODS] * len(tasks), rotation=90, fontsize=5.5)
        panel.tick_params(axis="x", length=0, pad=1.5)
        for place, task in enumerate(tasks):
            panel.annotate(TASK_LABELS[task], (place, 0), (0, -34), textcoords="offset points", ha="center", va="top")
            if task not in learnt_tasks(kovaleva_finetuning):
                panel.axvspan(place - 0.5, place + 0.5, **VEIL)
                panel.text(place, 0.5, "not learnt", ha="center", color=style.GREY, zorder=VEIL["zorder"])
        panel.set_xlim(-0.5, len(tasks) - 0.5)
        style.percent_axis(panel, "share of attention maps")
        panel.set_ylim(0, 1)
        figure.legend(loc="outside upper center", ncols=len(_COLOURS))
        return figure


def _sideways(number: int) -> float:
    """How far the bar of a method is from the middle of its task."""
    return (number - (len(PATTERN_METHODS) - 1) / 2) * (_BAR + 0.02)


def _draw_bars(panel: Axes, shares: pd.DataFrame, sideways: float, with_labels: bool) -> None:
    """A bar for each row of ``shares``, patterns stacked in their order."""
    bottom = pd.Series(0.0, index=shares.index)
    for pattern, colour in _COLOURS.items():
        panel.bar(
            [place + sideways for place in range(len(shares))],
            shares[pattern],
            _BAR,
            bottom=bottom,
            color=colour,
            edgecolor="white",
            linewidth=0.3,
            label=PATTERN_LABELS[pattern] if with_labels else None,
        )
        bottom = bottom + shares[pattern]
