"""Kobayashi et al. 2020, section 5: attention from target words to source words in a few pairs of sentences."""

from __future__ import annotations

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Rectangle

from bert_attention.figures import style

_METHODS = (("weight", "Oranges"), ("norm", "Blues"))  # name in the table and label, then color map
_WORD_SIZE = 5.8  # points
_DOT = {"color": "black", "marker": "o", "markersize": 2.4, "markeredgecolor": "white", "markeredgewidth": 0.4}
_FRAME = {"fill": False, "edgecolor": style.GRAY, "linewidth": 0.8}
_DASHES = {"sure": "-", "possible": (0, (1.5, 1.2))}


def draw(kobayashi_alignment_examples: pd.DataFrame) -> Figure:
    """Draw maps of one layer's attention to the source words, by weight and by norm, with gold links, for each model.

    A model trained from several seeds is shown with its first seed.
    """
    by_model = [
        (model, cells[cells["seed"].isna() | (cells["seed"] == cells["seed"].iloc[0])])
        for model, cells in kobayashi_alignment_examples.groupby("model", sort=False)
    ]
    pairs = kobayashi_alignment_examples["pair"].nunique()
    with style.house_style():
        figure = Figure(figsize=(style.TEXT_WIDTH, 0.25 + 1.9 * len(by_model)), layout="constrained")
        grid = figure.subplots(len(by_model), pairs * len(_METHODS), squeeze=False)
        for (model, model_rows), row in zip(by_model, grid, strict=True):
            panels = iter(row)
            for number, cells in model_rows.groupby("pair"):
                for method, colors in _METHODS:
                    panel = next(panels)
                    _draw_map(panel, cells, method, colors, with_targets=method == _METHODS[0][0])
                    panel.set_title(f"pair {number}: {method}")
            first = model_rows.iloc[0]
            row[0].set_ylabel(f"{model}\nlayer {first['layer']}, {first['setting'].upper()}")
        handles = [Rectangle((0, 0), 1, 1, label=f"{gold} link", linestyle=_DASHES[gold], **_FRAME) for gold in _DASHES]
        handles.append(Line2D([], [], label="largest value of its row", linestyle="", **_DOT))
        figure.legend(handles=handles, loc="outside lower left", ncols=4, handlelength=1.2)
        return figure


def _draw_map(panel: Axes, cells: pd.DataFrame, method: str, colors: str, with_targets: bool) -> None:
    """Draw target words by source words: colors for values, frames for gold links, a dot for each row's highest."""
    values = cells.pivot_table(index="target", columns="source", values=method)
    sources = cells.drop_duplicates("source").set_index("source")["source_word"]
    targets = cells.drop_duplicates("target").set_index("target")["target_word"]
    rows, columns = values.shape
    edges = (0.5, columns + 0.5, rows + 0.5, 0.5)  # center cells on the numbers of their words, the first on top
    panel.imshow(values, cmap=colors, vmin=0, aspect="auto", extent=edges)
    for link in cells[cells["gold"] != "none"].itertuples():
        corner = (link.source - 0.5, link.target - 0.5)
        panel.add_patch(Rectangle(corner, 1, 1, linestyle=_DASHES[link.gold], **_FRAME))
    panel.plot(values.idxmax(axis=1), values.index, linestyle="", **_DOT)
    panel.set_xticks(sources.index, sources, rotation=90, fontsize=_WORD_SIZE, parse_math=False)
    panel.set_yticks(targets.index, targets if with_targets else [], fontsize=_WORD_SIZE, parse_math=False)
    panel.tick_params(length=0, pad=1.5)
    panel.grid(visible=False)
