"""Figure 3 of Kovaleva et al. 2019: attention between predicates and their frame elements, by head."""

from __future__ import annotations

from string import ascii_lowercase

import pandas as pd
import seaborn as sns
from matplotlib.axes import Axes
from matplotlib.figure import Figure, SubFigure
from matplotlib.patches import Rectangle

from bert_attention.figures import style
from bert_attention.heads import head_name

_PANELS = {
    "annotated": "(a) from element to predicate",
    "reversed": "(b) from predicate to element",
    "random_pair": "(c) other pairs at equal distance",
}
_COLORS = "Blues"
_CELL = 0.15  # inches
_AROUND = 0.72  # inches: titles, labels and legend
_EXAMPLE_CELL, _EXAMPLE_AROUND = 0.145, 1.0  # inches: a cell of the example, and its titles and the tokens below
_OUTLINE = {"fill": False, "linewidth": 1.1, "clip_on": False}
_HIGHEST = {**_OUTLINE, "edgecolor": style.VERMILION}
_LINKED = {**_OUTLINE, "edgecolor": "black", "linestyle": (0, (1.5, 1))}


def draw(kovaleva_frames: pd.DataFrame, kovaleva_frame_example: pd.DataFrame) -> Figure:
    """Draw layers by heads for each kind of pair, with the highest heads outlined, and maps of some heads below."""
    table = kovaleva_frames[kovaleva_frames["variant"] == "described"]
    above = _AROUND + _CELL * table["layer"].max()
    below = _EXAMPLE_AROUND + _EXAMPLE_CELL * (kovaleva_frame_example["key"].max() + 1)
    with style.house_style():
        figure = Figure(figsize=(style.TEXT_WIDTH, above + below), layout="constrained")
        heads_figure, example_figure = figure.subfigures(2, 1, height_ratios=[above, below])
        _draw_heads(heads_figure, table)
        _draw_example(example_figure, kovaleva_frame_example)
        return figure


def _draw_heads(figure: SubFigure, table: pd.DataFrame) -> None:
    """Draw a heat map of layers by heads for each kind of pair, with the same colors."""
    top = table["attention"].max()
    axes = figure.subplots(1, len(_PANELS), sharey=True)
    for panel, (link, title) in zip(axes, _PANELS.items(), strict=True):
        _draw_map(panel, table[table["link"] == link], top)
        panel.set_title(title)
    axes[0].set_ylabel("layer")
    bar = figure.colorbar(axes[0].collections[0], ax=list(axes), aspect=18, pad=0.015, label="mean attention")
    bar.outline.set_visible(False)
    outlines = {"above the 99th percentile of the panel": _HIGHEST, "from a frame element to its predicate": _LINKED}
    handles = [Rectangle((0, 0), 1, 1, label=label, **look) for label, look in outlines.items()]
    figure.legend(handles=handles, loc="outside lower left", ncols=2, handlelength=1, handleheight=1)


def _draw_map(panel: Axes, rows: pd.DataFrame, top: float) -> None:
    """Draw layers from the top and heads from the left, with colors from 0 to ``top``. Outline the highest heads."""
    values = rows.pivot_table(index="layer", columns="head", values="attention", dropna=False)
    _heat_map(panel, values, top)
    for head in rows[rows["above_99th_percentile"]].itertuples():
        panel.add_patch(Rectangle((head.head - 1, head.layer - 1), 1, 1, **_HIGHEST))
    panel.set_xlabel("head")


def _draw_example(figure: SubFigure, cells: pd.DataFrame) -> None:
    """Draw a map of tokens by tokens for each head, with colors from 0 to 1 and outlines around linked tokens."""
    heads = cells.groupby(["layer", "head"], sort=False)
    axes = figure.subplots(1, heads.ngroups, sharey=True, squeeze=False)[0]
    letters = ascii_lowercase[len(_PANELS) :]
    for panel, letter, ((layer, head), rows) in zip(axes, letters, heads, strict=False):
        weights = rows.pivot_table(index="query", columns="key", values="weight")
        tokens = rows.drop_duplicates("key").set_index("key").loc[weights.columns, "key_token"]
        _heat_map(panel, weights.set_axis(tokens, axis=0).set_axis(tokens, axis=1), top=1)
        for cell in rows[rows["linked"]].itertuples():
            panel.add_patch(Rectangle((cell.key, cell.query), 1, 1, **_LINKED))
        panel.tick_params(axis="x", labelrotation=90)
        panel.set_xlabel("to")
        panel.set_title(f"({letter}) head {head_name(layer, head)}")
    axes[0].set_ylabel("from")
    bar = figure.colorbar(axes[0].collections[0], ax=list(axes), aspect=18, pad=0.015, label="attention")
    bar.outline.set_visible(False)


def _heat_map(panel: Axes, values: pd.DataFrame, top: float) -> None:
    """Draw a heat map with colors from 0 to ``top`` and every row and column labeled."""
    labels = {"xticklabels": True, "yticklabels": True}
    sns.heatmap(values, ax=panel, vmin=0, vmax=top, cmap=_COLORS, cbar=False, square=True, linewidths=0.3, **labels)
    panel.set(xlabel="", ylabel="")
    panel.tick_params(length=0, pad=1.5, labelrotation=0)
    panel.grid(visible=False)
