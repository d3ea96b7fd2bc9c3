"""Table 1 of Kobayashi et al. 2021 as a figure by layer: the share of other tokens in a token's new vector."""

from __future__ import annotations

import pandas as pd
from matplotlib.figure import Figure

from bert_attention.figures import style
from bert_attention.papers.kobayashi.columns import MIXING_LABELS

# Method in the table, color, marker.
_METHODS = (
    ("attn_w", style.SKY, "o"),
    ("attn_n", style.BLUE, "s"),
    ("attn_res_w", style.ORANGE, "^"),
    ("attn_res_n", style.VERMILION, "D"),
    ("attn_res_ln_n", style.PURPLE, "v"),
)


def draw(kobayashi_mixing: pd.DataFrame) -> Figure:
    """Draw the mean share of other tokens in a token's new vector, by method and layer, with some tokens masked."""
    by_layer = kobayashi_mixing[(kobayashi_mixing["layer"] > 0) & (kobayashi_mixing["text"] == "masked")]
    with style.house_style():
        figure, (panel,) = style.panels(1, panel_height=2.1)
        for method, color, marker in _METHODS:
            rows = by_layer[by_layer["method"] == method]
            style.layer_line(panel, rows["layer"], rows["mixing_ratio"], color, marker, MIXING_LABELS[method])
        style.percent_axis(panel, "mean mixing ratio")
        panel.set_ylim(0, 1)
        style.layer_axis((panel,), by_layer)
        figure.legend(loc="outside upper left", ncols=2, columnspacing=1.1, handlelength=1.7, borderpad=0)
        return figure
