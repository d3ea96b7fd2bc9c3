"""Heat maps of heads with a panel for each task, in as many rows as the width of the page requires."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from math import ceil

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.colors import Normalize
from matplotlib.figure import Figure
from matplotlib.patches import Patch, Rectangle
from matplotlib.ticker import PercentFormatter

from bert_attention.corpora.task_names import in_order, learned_tasks, task_label
from bert_attention.figures import style
from bert_attention.papers.kovaleva.columns import LEAST_EXAMPLES

COLORS = "viridis"
_BELOW_END = 0.98  # fraction of the cells within the color range, so that a single cell does not darken all others
UNKNOWN = "#C8C8C8"  # cells with too little data
_MOST_IN_A_ROW = 4
_TICK_SIZE = 5.8  # points
VEIL = {"facecolor": "white", "alpha": 0.7, "linewidth": 0, "zorder": 10}
NOT_LEARNED = "model did not\nlearn this task"
NOT_LEARNED_LOOK = {"fontsize": 6, "ha": "center", "va": "center", "zorder": VEIL["zorder"] + 1}


def tasks_of(table: pd.DataFrame) -> list[str]:
    """Return the tasks of a table in the paper's order."""
    return in_order(set(table["task"]))


def task_panels(table: pd.DataFrame, *heights: float) -> tuple[Figure, dict[str, np.ndarray]]:
    """Return a figure as wide as the text and, for each task, a column of panels, ``[panel]``, titled with the task.

    ``heights`` has the height of each panel of a column, in inches. A row has at most four columns.
    """
    tasks = tasks_of(table)
    rows = ceil(len(tasks) / _MOST_IN_A_ROW)
    columns = ceil(len(tasks) / rows)
    figure = Figure(figsize=(style.TEXT_WIDTH, rows * sum(heights) + 0.3), layout="constrained")
    grid = figure.subplots(rows * len(heights), columns, squeeze=False, height_ratios=[*heights] * rows)
    blocks = grid.reshape(rows, len(heights), columns)
    placed = {task: blocks[number // columns, :, number % columns] for number, task in enumerate(tasks)}
    for unused in blocks[-1, :, len(tasks) - (rows - 1) * columns :].flat:
        unused.remove()
    for task, panels in placed.items():
        panels[0].set_title(task_label(task))
    return figure, placed


def gray_out_not_learned(panels: Mapping[str, Sequence[Axes]], kovaleva_finetuning: pd.DataFrame) -> None:
    """Gray out the panels of tasks that the model did not learn, and say so in the first panel of each task."""
    for task in panels.keys() - learned_tasks(kovaleva_finetuning):
        first = panels[task][0]
        for panel in panels[task]:
            panel.add_patch(Rectangle((0, 0), 1, 1, transform=panel.transAxes, **VEIL))
        first.text(0.5, 0.5, NOT_LEARNED, transform=first.transAxes, **NOT_LEARNED_LOOK)


def is_leftmost(panel: Axes) -> bool:
    """Return True if a panel has no other panel to its left."""
    return panel.get_subplotspec().is_first_col()


def by_row(panels: Iterable[Axes]) -> list[list[Axes]]:
    """Return the panels of each row of a figure."""
    rows = groupby(panels, key=lambda panel: panel.get_subplotspec().rowspan.start)
    return [list(row) for _, row in rows]


def head_map(panel: Axes, rows: pd.DataFrame, value: str, shades: Normalize) -> None:
    """Draw heads by layers, the first layer on top, with "not measured" over a panel without examples."""
    values = rows.pivot(index="layer", columns="head", values=value)
    draw_map(panel, values, shades)
    if not rows["n"].any():
        panel.text(0.5, 0.5, "not measured", transform=panel.transAxes, ha="center", va="center", color=style.GRAY)
    number_heads(panel, values)


def number_heads(panel: Axes, values: pd.DataFrame) -> None:
    """Write the numbers of the first, middle and last head and layer beside a map."""
    for axis, numbers in ((panel.xaxis, values.columns), (panel.yaxis, values.index)):
        shown = sorted({numbers[0], numbers[(len(numbers) - 1) // 2], numbers[-1]})
        axis.set_ticks([number - numbers[0] + 0.5 for number in shown], shown)
    if not is_leftmost(panel):
        panel.set_yticklabels([])
    panel.tick_params(labelsize=_TICK_SIZE)


def draw_map(panel: Axes, values: pd.DataFrame, shades: Normalize) -> None:
    """Draw a heat map without ticks and labels. Cells without a value show the panel's background."""
    import seaborn as sns  # noqa: PLC0415 (takes a second, and two figures use only the other functions)

    limits = {"vmin": shades.vmin, "vmax": shades.vmax}
    sns.heatmap(values, ax=panel, cmap=COLORS, **limits, cbar=False, xticklabels=False, yticklabels=False)
    panel.set(xlabel="", ylabel="")
    panel.grid(visible=False)
    panel.tick_params(length=0, pad=1.5)


def shades_from_zero(values: pd.Series) -> Normalize:
    """Return the color range of shares: from 0 to the 98th percentile, or to 1 if no share is above 0."""
    end = values.quantile(_BELOW_END, "lower")
    return Normalize(0, end if end > 0 else 1)


def unknown_key(label: str) -> Patch:
    """Return the legend entry of gray cells."""
    return Patch(color=UNKNOWN, label=label)


def attention_to_features(table: pd.DataFrame) -> pd.DataFrame:
    """Return fine-tuned models' attention in the variant of the paper's text, NaN for features with few examples."""
    rows = table[(table["variant"] == "described") & (table["model"] == "finetuned")]
    return rows.assign(attention=rows["attention"].where(rows["n"] >= LEAST_EXAMPLES))


def explain_rare(figure: Figure, rows: pd.DataFrame) -> None:
    """Add a legend for gray features, if there are any."""
    if (rows["n"] < LEAST_EXAMPLES).any():
        key = unknown_key(f"fewer than {LEAST_EXAMPLES} examples")
        figure.legend(handles=[key], loc="outside lower left", handlelength=1, handleheight=1)


def layer_axis(panel: Axes, *tables: pd.DataFrame) -> None:
    """Label the x axis with the tables' layers, or with every second layer if the narrow panel has more than six."""
    style.layer_axis([panel], *tables)
    layers = panel.get_xticks()
    panel.set_xticks(layers if len(layers) <= 6 else layers[1::2])


def color_bar(figure: Figure, panels: Iterable[Axes], shades: Normalize, label: str) -> None:
    """Add the color bar that some maps share."""
    style.color_bar(figure, ScalarMappable(shades, COLORS), panels, label, aspect=30, pad=0.015)


def percent_bar(figure: Figure, panels: Iterable[Axes], shades: Normalize, values: pd.Series, label: str) -> None:
    """Add the color bar of shares. If some values are above its range, it has an arrow, and the highest value."""
    highest = values.max()
    above = highest > shades.vmax
    look = {"extend": "max" if above else "neither", "extendfrac": 1 / 30, "aspect": 30, "pad": 0.015}
    bar = style.color_bar(figure, ScalarMappable(shades, COLORS), panels, label, **look)
    bar.formatter = PercentFormatter(1, decimals=0)
    if above:
        bar.ax.set_title(f"max. {highest:.0%}", fontsize=_TICK_SIZE, loc="center", pad=2)
