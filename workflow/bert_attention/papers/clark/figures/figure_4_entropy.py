"""Figure 4 of Clark et al. 2019: how broadly each head attends."""

from __future__ import annotations

import pandas as pd
from matplotlib.figure import Figure

from bert_attention.figures import style

# Title of the panel, source in the table, color, marker.
_PANELS = (
    ("(a) from all tokens", "all", style.BLUE, "o"),
    ("(b) from [CLS]", "cls", style.VERMILION, "s"),
)


def draw(clark_entropy: pd.DataFrame, published: pd.DataFrame) -> Figure:
    """Draw the entropy of each head's attention, by layer, and the entropy of uniform attention as a dashed line.

    The paper's curves (``published``: ``series``, ``layer``, ``value``) are light dashed lines under ours.
    """
    with style.house_style():
        figure, axes = style.panels(len(_PANELS), panel_height=1.75)
        for panel, (title, source, color, marker) in zip(axes, _PANELS, strict=True):
            rows = clark_entropy[clark_entropy["source"] == source]
            uniform = rows["uniform"].iloc[0]
            style.published_curve(panel, published[published["series"] == source], color)
            style.heads_by_layer(panel, rows, "entropy", color, marker, "layer mean", head_label="head")
            style.reference_line(panel, uniform)
            panel.annotate(
                "uniform attention",
                (1, uniform),
                xycoords=("axes fraction", "data"),
                xytext=(0, 1.5),
                textcoords="offset points",
                ha="right",
                color=style.GRAY,
                fontsize=6.5,
            )
            panel.set_title(title)
            panel.set_ylim(0, uniform * 1.12)
            panel.set_ylabel("mean entropy (nats)")
        style.legend_above(axes[0], published=published)
        style.layer_axis(axes, clark_entropy, published)
        return figure
