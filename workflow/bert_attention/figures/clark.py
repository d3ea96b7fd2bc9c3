"""Figures of Clark et al. 2019."""

from __future__ import annotations

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from bert_attention.figures import style

# Panel title, then for each curve: target in the table, label, colour, marker.
_FIGURE_2 = (
    (
        "(a) attention to special tokens and punctuation",
        (
            ("cls", "[CLS]", style.BLUE, "o"),
            ("sep", "[SEP]", style.VERMILION, "s"),
            ("punctuation", ". and ,", style.GREEN, "^"),
        ),
    ),
    (
        "(b) attention to [SEP], by the attending token",
        (
            ("sep_from_sep", "from [SEP]", style.PURPLE, "D"),
            ("sep_from_other", "from other tokens", style.ORANGE, "v"),
        ),
    ),
    (
        "(c) attention to neighbouring tokens",
        (
            ("next", "next token", style.SKY, "P"),
            ("previous", "previous token", style.VERMILION, "X"),
            ("self", "current token", style.GREY, "o"),
        ),
    ),
)

_FIGURE_4 = (
    ("(a) from all tokens", "all", style.BLUE, "o"),
    ("(b) from [CLS]", "cls", style.VERMILION, "s"),
)


def figure_2(clark_positions: pd.DataFrame, published: pd.DataFrame) -> Figure:
    """Figure 2: each head's mean attention to token types and positions, by layer.

    ``published`` holds the paper's curves (columns ``series``, ``layer``, ``value``); where it has rows they are laid
    under ours as light dashes.
    """
    with style.house_style():
        figure, axes = style.panels(len(_FIGURE_2), panel_height=1.6)
        for panel, (title, curves) in zip(axes, _FIGURE_2, strict=True):
            for target, label, color, marker in curves:
                rows = clark_positions[clark_positions["target"] == target]
                style.published_curve(panel, published[published["series"] == target], color)
                style.heads_by_layer(panel, rows, "attention", color, marker, label)
            panel.set_title(title)
            style.percent_axis(panel, "mean attention")
            _legend(panel, published["series"].isin([curve[0] for curve in curves]).any())
        style.layer_axis(axes, _last_layer(clark_positions, published))
        return figure


def figure_4(clark_entropy: pd.DataFrame, published: pd.DataFrame) -> Figure:
    """Figure 4: entropy of each head's attention, by layer, with that of attending to all tokens alike.

    ``published`` as in :func:`figure_2`.
    """
    with style.house_style():
        figure, axes = style.panels(len(_FIGURE_4), panel_height=1.75)
        for panel, (title, source, color, marker) in zip(axes, _FIGURE_4, strict=True):
            rows = clark_entropy[clark_entropy["source"] == source]
            style.published_curve(panel, published[published["series"] == source], color)
            style.heads_by_layer(panel, rows, "entropy", color, marker, "mean of a layer", head_label="a head")
            panel.axhline(rows["uniform"].iloc[0], color=style.GREY, linewidth=0.9, linestyle="--")
            panel.annotate(
                "uniform attention",
                (1, rows["uniform"].iloc[0]),
                xycoords=("axes fraction", "data"),
                xytext=(0, 1.5),
                textcoords="offset points",
                ha="right",
                color=style.GREY,
                fontsize=6.5,
            )
            panel.set_title(title)
            panel.set_ylim(0, rows["uniform"].iloc[0] * 1.12)
            panel.set_ylabel("mean entropy (nats)")
        _legend(axes[0], with_published=not published.empty)
        style.layer_axis(axes, _last_layer(clark_entropy, published))
        return figure


def _last_layer(table: pd.DataFrame, published: pd.DataFrame) -> int:
    return int(max(table["layer"].max(), published["layer"].max() if len(published) else 0))


def _legend(panel: Axes, with_published: bool) -> None:
    if with_published:
        panel.plot([], [], color=style.GREY, linewidth=0.9, linestyle=(0, (2, 1.6)), label="published")
    style.legend_above(panel)
