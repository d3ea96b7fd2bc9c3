"""Main figure of Kobayashi et al. 2020, section 4.2: each head's attention to each kind of token."""

from __future__ import annotations

import pandas as pd
from matplotlib.figure import Figure

from bert_attention.figures import style

_TITLES = ("(a) attention weight", "(b) norm of the weighted vectors", "(c) norm of the heads' sum")


def draw(kobayashi_categories: pd.DataFrame) -> Figure:
    """Draw each head's attention to each kind of token, by weight and by norm, and the shares of the heads' sum."""
    head_rows = kobayashi_categories[kobayashi_categories["head"].notna()]
    layer_rows = kobayashi_categories[kobayashi_categories["head"].isna()]
    with style.house_style():
        figure, axes = style.panels(len(_TITLES), panel_height=1.55)
        for panel, measure in zip(axes, ("weight", "norm"), strict=False):
            for category, label, color, marker in style.TOKEN_KINDS:
                rows = head_rows[(head_rows["measure"] == measure) & (head_rows["category"] == category)]
                style.heads_by_layer(panel, rows, "value", color, marker, label)
        for category, label, color, marker in style.TOKEN_KINDS:
            rows = layer_rows[(layer_rows["measure"] == "share_of_norm_of_sum") & (layer_rows["category"] == category)]
            style.layer_line(axes[2], rows["layer"], rows["value"], color, marker, label)
        for panel, title in zip(axes, _TITLES, strict=True):
            panel.set_title(title)
        style.percent_axis(axes[0], "sum of weights")
        axes[1].set_ylim(bottom=0)
        axes[1].set_ylabel("sum of norms")
        style.percent_axis(axes[2], "share of norms")
        style.legend_above(axes[0])
        style.layer_axis(axes, kobayashi_categories)
        return figure
