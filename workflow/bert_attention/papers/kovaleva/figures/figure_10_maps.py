"""Figure 10 of Kovaleva et al. 2019: all attention maps of an example, for four tasks."""

from __future__ import annotations

from math import ceil

import numpy as np
import pandas as pd
from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.colors import PowerNorm
from matplotlib.figure import Figure

from bert_attention.corpora.task_names import task_label
from bert_attention.figures import style
from bert_attention.papers.kovaleva.figures.head_maps import tasks_of

_PAPERS_TASKS = ("mrpc", "stsb", "sst2", "mnli")
_COLUMNS = 2
_WIDTH, _AROUND = 2.65, 0.45  # inches: width of a grid, and height above and below it
_GAP = 1  # cells between maps
_COLORS = colormaps["Blues"].with_extremes(bad=style.GRAY)  # light, so that weak attention can be seen in print
_SHADES = PowerNorm(0.5, 0, 1)  # a square root, because most weights are far below 1
_TICKS = (0, 0.05, 0.2, 0.5, 1)


def draw(kovaleva_example_maps: pd.DataFrame) -> Figure:
    """Draw, for each of four tasks, a grid of layers by heads with each head's map of queries by keys.

    All maps have one scale, in which color is the square root of attention.
    """
    table = kovaleva_example_maps
    tasks = sorted(tasks_of(table), key=lambda task: task not in _PAPERS_TASKS)[: len(_PAPERS_TASKS)]
    rows = ceil(len(tasks) / _COLUMNS)
    height = rows * (_WIDTH * table["layer"].max() / table["head"].max() + _AROUND)
    with style.house_style():
        figure = Figure(figsize=(style.TEXT_WIDTH, height), layout="constrained")
        panels = figure.subplots(rows, _COLUMNS, squeeze=False).ravel()
        for task, panel in zip(tasks, panels, strict=False):
            _draw_grid(panel, table[table["task"] == task], task_label(task))
        for unused in panels[len(tasks) :]:
            unused.remove()
        shades = ScalarMappable(_SHADES, _COLORS)
        drawn = panels[: len(tasks)]
        style.color_bar(figure, shades, drawn, "attention", ticks=_TICKS, aspect=30, shrink=0.5, pad=0.015)
        return figure


def _draw_grid(panel: Axes, cells: pd.DataFrame, name: str) -> None:
    """Draw the maps of all heads as one image: layers from the top, heads from the left, with gray gaps."""
    layers, heads, tokens = (cells[name].max() + first for name, first in (("layer", 0), ("head", 0), ("key", 1)))
    step = tokens + _GAP
    picture = np.full((layers * step - _GAP, heads * step - _GAP), np.nan)
    down = (cells["layer"] - 1) * step + cells["query"]
    picture[down, (cells["head"] - 1) * step + cells["key"]] = cells["weight"]
    panel.imshow(picture, cmap=_COLORS, norm=_SHADES, interpolation="nearest")
    for axis, count, label in ((panel.xaxis, heads, "head"), (panel.yaxis, layers, "layer")):
        numbers = np.arange(1, count + 1)
        axis.set_ticks((numbers - 1) * step + (tokens - 1) / 2, numbers)
        axis.set_label_text(label)
    panel.set_title(f"{name}: {tokens} tokens")
    panel.tick_params(length=0, pad=1.5, labelsize=5.8)
    panel.spines[:].set_visible(False)
    panel.grid(visible=False)
