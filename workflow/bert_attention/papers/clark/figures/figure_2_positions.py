"""Figure 2 of Clark et al. 2019: attention to special tokens, punctuation and neighbors."""

from __future__ import annotations

import pandas as pd
from matplotlib.figure import Figure

from bert_attention.figures import style

# Title of each panel. Then, for each of its curves, the target in the table, label, color and marker.
_PANELS = (
    ("(a) attention to special tokens and punctuation", (style.CLS, style.SEP, style.PUNCTUATION)),
    (
        "(b) attention to [SEP], by the attending token",
        (
            ("sep_from_sep", "from [SEP]", style.PURPLE, "D"),
            ("sep_from_other", "from other tokens", style.ORANGE, "v"),
        ),
    ),
    (
        "(c) attention to neighboring tokens",
        (
            ("next", "next token", style.SKY, "P"),
            ("previous", "previous token", style.VERMILION, "X"),
            ("self", "current token", style.GRAY, "o"),
        ),
    ),
)


def draw(clark_positions: pd.DataFrame, published: pd.DataFrame) -> Figure:
    """Draw each head's mean attention to token types and positions, by layer.

    The paper's curves (``published``: ``series``, ``layer``, ``value``) are light dashed lines under ours.
    """
    with style.house_style():
        figure, axes = style.panels(len(_PANELS), panel_height=1.6)
        for panel, (title, curves) in zip(axes, _PANELS, strict=True):
            for target, label, color, marker in curves:
                rows = clark_positions[clark_positions["target"] == target]
                style.published_curve(panel, published[published["series"] == target], color)
                style.heads_by_layer(panel, rows, "attention", color, marker, label)
            panel.set_title(title)
            style.percent_axis(panel, "mean attention")
            panel_curves = published[published["series"].isin([target for target, *_ in curves])]
            style.legend_above(panel, published=panel_curves)
        style.layer_axis(axes, clark_positions, published)
        return figure
