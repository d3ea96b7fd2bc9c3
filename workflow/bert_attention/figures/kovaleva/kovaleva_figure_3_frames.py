"""Figure 3 of Kovaleva et al. 2019: attention between predicates and their frame elements, by head."""

from __future__ import annotations

import pandas as pd
import seaborn as sns
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from bert_attention.figures import style

_VARIANT = "described"
_PANELS = {
    "annotated": "(a) from element to predicate",
    "reversed": "(b) from predicate to element",
    "random_pair": "(c) other pairs as far apart",
}
_COLOURS = "Blues"
_CELL = 0.15  # inches
_AROUND = 0.72  # inches: titles, labels and legend
_OUTLINE = {"fill": False, "edgecolor": style.VERMILION, "linewidth": 1.1, "clip_on": False}


def draw(kovaleva_frames: pd.DataFrame) -> Figure:
    """A heat map of layers by heads for each kind of pair, with the same colours; the highest heads are outlined."""
    table = kovaleva_frames[kovaleva_frames["variant"] == _VARIANT]
    top = table["attention"].max()
    with style.house_style():
        size = (style.TEXT_WIDTH, _AROUND + _CELL * table["layer"].max())
        figure = Figure(figsize=size, layout="constrained")
        axes = figure.subplots(1, len(_PANELS), sharey=True)
        for panel, (link, title) in zip(axes, _PANELS.items(), strict=True):
            _draw_map(panel, table[table["link"] == link], top)
            panel.set_title(title)
        axes[0].set_ylabel("layer")
        bar = figure.colorbar(axes[0].collections[0], ax=list(axes), aspect=18, pad=0.015, label="mean attention")
        bar.outline.set_visible(False)
        outlined = Rectangle((0, 0), 1, 1, label="above the 99th percentile of the panel", **_OUTLINE)
        figure.legend(handles=[outlined], loc="outside lower left", handlelength=1, handleheight=1)
        return figure


def _draw_map(panel: Axes, rows: pd.DataFrame, top: float) -> None:
    """Layers from above, heads from the left, colours from 0 to ``top``, and outlines of the highest heads."""
    values = rows.pivot_table(index="layer", columns="head", values="attention", dropna=False)
    sns.heatmap(values, ax=panel, vmin=0, vmax=top, cmap=_COLOURS, cbar=False, square=True, linewidths=0.3)
    for head in rows[rows["above_99th_percentile"]].itertuples():
        panel.add_patch(Rectangle((head.head - 1, head.layer - 1), 1, 1, **_OUTLINE))
    panel.set_xlabel("head")
    panel.set_ylabel("")
    panel.tick_params(length=0, pad=1.5, labelrotation=0)
    panel.grid(visible=False)
