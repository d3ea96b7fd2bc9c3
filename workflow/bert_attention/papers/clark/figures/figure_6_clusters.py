"""Figure 6 of Clark et al. 2019: a map of the heads on which heads with similar attention lie close together."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.collections import PathCollection
from matplotlib.colors import BoundaryNorm
from matplotlib.figure import Figure
from matplotlib.patheffects import withStroke
from matplotlib.ticker import MaxNLocator

from bert_attention.figures import style
from bert_attention.heads import head_name

_LEGEND_COLUMNS = 4

# Behavior in the table, label, color, marker. The last behavior is drawn on top.
_BEHAVIORS = (
    ("other", "none of these", "#C4C4C4", "o"),
    ("sep", "to [SEP]", style.VERMILION, "s"),
    ("punctuation", "to . and ,", style.GREEN, "^"),
    ("cls", "to [CLS]", style.BLUE, "D"),
    ("broad", "broad", style.ORANGE, "v"),
    ("next", "to next token", style.SKY, "P"),
    ("previous", "to previous token", style.PURPLE, "X"),
)
_NAMED = ("#222222", "*")
_SIZES = {"P": 20, "X": 20, "*": 36}  # larger, because these markers cover little area


def draw(clark_head_map: pd.DataFrame) -> Figure:
    """Draw every head as a point in the plane, (a) by behavior and (b) by layer.

    Heads that find a linguistic relation have a star and a name. The legend names the relations.
    """
    with style.house_style():
        figure = Figure(figsize=(style.TEXT_WIDTH, 3.3), layout="constrained")  # its height grows with the legend
        by_behaviour, by_layer = figure.subplots(1, 2, sharex=True, sharey=True)
        for panel in (by_behaviour, by_layer):
            _square(panel, clark_head_map)
        _draw_behaviors(by_behaviour, clark_head_map)
        _draw_layers(by_layer, clark_head_map)
        by_behaviour.set_ylabel("y (nats)")
        return figure


def _square(panel: Axes, heads: pd.DataFrame) -> None:
    """Give both axes the same scale, so that a distance means the same in every direction."""
    low, high = heads[["x", "y"]].min(), heads[["x", "y"]].max()
    middle, half = (low + high) / 2, (high - low).max() * 0.55
    panel.set_xlim(middle["x"] - half, middle["x"] + half)
    panel.set_ylim(middle["y"] - half, middle["y"] + half)
    panel.set_box_aspect(1)
    panel.set_xlabel("x (nats)")
    panel.grid(visible=True, axis="both")
    for axis in (panel.xaxis, panel.yaxis):
        axis.set_major_locator(MaxNLocator(5, steps=[1, 2, 5, 10]))


def _draw_behaviors(panel: Axes, heads: pd.DataFrame) -> None:
    panel.set_title("(a) by behavior")
    for behaviour, label, color, marker in _BEHAVIORS:
        rows = heads[heads["behaviour"] == behaviour]
        if not rows.empty:
            _points(panel, rows, marker, color=color, edgecolors="white", label=label)
    named = heads[~heads["behaviour"].isin([behaviour[0] for behaviour in _BEHAVIORS])]
    color, marker = _NAMED
    for head in named.itertuples():
        name = head_name(head.layer, head.head)
        label = f"{name} {head.behaviour}"
        _points(panel, named.loc[[head.Index]], marker, color=color, edgecolors="white", label=label)
        panel.annotate(
            name,
            (head.x, head.y),
            xytext=(3.5, 0),
            textcoords="offset points",
            va="center",
            fontsize=6,
            color=color,
            path_effects=[withStroke(linewidth=1.5, foreground="white")],
        )
    handles, labels = panel.get_legend_handles_labels()
    panel.figure.legend(handles, labels, loc="outside lower center", ncols=_LEGEND_COLUMNS)
    panel.figure.set_figheight(3.2 + 0.16 * math.ceil(len(labels) / _LEGEND_COLUMNS))


def _draw_layers(panel: Axes, heads: pd.DataFrame) -> None:
    panel.set_title("(b) by layer")
    layers = int(heads["layer"].max())
    norm = BoundaryNorm(np.arange(0.5, layers + 1), 256)
    points = _points(panel, heads, "o", c=heads["layer"], cmap="viridis", norm=norm, edgecolors="#555555")
    bar = panel.figure.colorbar(points, ax=panel, ticks=range(1, layers + 1), aspect=28, shrink=0.9, pad=0.02)
    bar.set_label("layer")
    bar.ax.tick_params(which="both", length=0)
    bar.outline.set_visible(False)


def _points(panel: Axes, heads: pd.DataFrame, marker: str, **looks: object) -> PathCollection:
    return panel.scatter(
        heads["x"], heads["y"], s=_SIZES.get(marker, 13), marker=marker, linewidths=0.3, zorder=2, **looks
    )
