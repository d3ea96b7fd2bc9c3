"""Curves of Clark et al.'s figures 2 and 4, of all models of an edition and of the paper, by relative depth."""

from __future__ import annotations

from itertools import cycle

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from bert_attention.figures import style
from bert_attention.heads import relative_depth
from bert_attention.papers.comparison import columns as names
from bert_attention.papers.comparison.figures.figure_headlines import COLORS, MARKERS, depth_axis

# Title of each panel, statistic of the models, and the published series: figure 2's, then figure 4's.
_POSITIONS = (
    ("(a) attention to [CLS]", names.CLS, "cls"),
    ("(b) attention to [SEP]", names.SEP, "sep"),
    ("(c) attention to periods and commas", names.PUNCTUATION, "punctuation"),
    ("(d) attention from [SEP] to [SEP]", names.SEP_FROM_SEP, "sep_from_sep"),
)
_ENTROPIES = (
    ("(e) entropy of attention", names.ENTROPY, "all"),
    ("(f) entropy of attention from [CLS]", names.ENTROPY_OF_CLS, "cls"),
)


def draw(comparison_headlines: pd.DataFrame, positions: pd.DataFrame, entropy: pd.DataFrame) -> Figure:
    """Draw a panel for each curve, with a line and its interval for each model, and the paper's curve as light dashes.

    ``positions`` and ``entropy`` are the published curves: ``series``, ``value``, and ``layer``, on the layers of the
    deepest model (:func:`.published_at_depth`).
    """
    published = {statistic: positions[positions["series"] == series] for _, statistic, series in _POSITIONS}
    published |= {statistic: entropy[entropy["series"] == series] for _, statistic, series in _ENTROPIES}
    deepest = comparison_headlines["layers"].max()
    with style.house_style():
        figure = Figure(figsize=(style.TEXT_WIDTH, 5.2), layout="constrained")
        grid = figure.subplots(3, 2, sharex=True)
        for panel, (title, statistic, _) in zip(grid.flat, _POSITIONS + _ENTROPIES, strict=True):
            curve = published[statistic]
            style.published_curve(panel, curve.assign(layer=relative_depth(curve["layer"], deepest)), style.GRAY)
            _draw_models(panel, comparison_headlines, statistic)
            panel.set_title(title)
            if statistic in (names.ENTROPY, names.ENTROPY_OF_CLS):
                panel.set_ylim(bottom=0)
                panel.set_ylabel("mean entropy (nats)")
            else:
                style.percent_axis(panel, "mean attention")
        for panel in grid[-1]:
            depth_axis(panel)
        handles = [
            style.layer_key(color, marker, f"{model} ({layers})")
            for (model, layers), color, marker in zip(
                _layers(comparison_headlines).items(), cycle(COLORS), cycle(MARKERS)
            )
        ]
        handles += style.published_keys(pd.concat([positions, entropy]))
        figure.legend(handles=handles, loc="outside lower left", ncols=4, handlelength=1.7)
        return figure


def _layers(table: pd.DataFrame) -> pd.Series:
    """Return the number of layers of each model, in the order of the table."""
    return table.groupby("model", sort=False)["layers"].first()


def _draw_models(panel: Axes, table: pd.DataFrame, statistic: str) -> None:
    for model, color, marker in zip(_layers(table).index, cycle(COLORS), cycle(MARKERS)):
        rows = table[(table["model"] == model) & (table["statistic"] == statistic)]
        if rows.empty:
            continue  # an empty band has no position and would spoil the layout
        style.layer_line(panel, rows["depth"], rows["value"], color, marker, str(model))
        panel.fill_between(rows["depth"], rows["low"], rows["high"], color=color, alpha=0.2, linewidth=0)
