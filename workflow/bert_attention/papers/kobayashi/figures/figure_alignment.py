"""Kobayashi et al. 2020, section 5: word alignment from a translation model's cross-attention, by layer."""

from __future__ import annotations

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import PercentFormatter

from bert_attention.figures import style

_SETTINGS = (("awi", "with the input word (AWI)"), ("awo", "with the output word (AWO)"))
# Method in the table (also its label), color, marker, and shift to the right: the methods' curves can coincide.
_METHODS = (("weight", style.ORANGE, "s", -0.12), ("norm", style.BLUE, "o", 0.12))


def draw(
    kobayashi_alignment: pd.DataFrame, kobayashi_alignment_summary: pd.DataFrame, published: pd.DataFrame
) -> Figure:
    """Draw the alignment error rate of every layer and head, with a column for each model and a row for each setting.

    Lines are the layers' means over a model's seeds. With several seeds, points are every seed's layers, not heads.

    The paper's curves (``published``: ``series``, such as ``awi_norm``, ``layer``, ``value``) are light dashed lines
    below.
    """
    models = kobayashi_alignment["model"].unique()
    by_statistic = kobayashi_alignment_summary.set_index(["statistic", "model"]).sort_index()
    diagonal, layers = by_statistic.loc["diagonal", "value"], by_statistic.loc["layer"]
    with style.house_style():
        width = style.COLUMN_WIDTH if len(models) == 1 else style.TEXT_WIDTH
        figure = Figure(figsize=(width, 3.5), layout="constrained")
        grid = figure.subplots(len(_SETTINGS), len(models), sharex="col", sharey=True, squeeze=False)
        for model, column in zip(models, grid.T, strict=True):
            model_rows = kobayashi_alignment[kobayashi_alignment["model"] == model]
            for panel, (setting, title) in zip(column, _SETTINGS, strict=True):
                here = layers.loc[[model]].query("setting == @setting")
                _draw_rates(panel, model_rows[model_rows["setting"] == setting], here, published)
                style.reference_line(panel, diagonal[model], label="diagonal")
                panel.set_title(_title(title, model_rows, len(models)))
            style.layer_axis(column, model_rows, published)
        for panel in grid[:, 0]:
            panel.set_ylim(0, 1)
            panel.yaxis.set_major_formatter(PercentFormatter(1, decimals=0))
            panel.set_ylabel("alignment error rate")
        handles = [style.layer_key(color, marker, method) for method, color, marker, _ in _METHODS]
        handles += [style.reference_key("diagonal"), *style.published_keys(published)]
        figure.legend(handles=handles, loc="outside upper left", ncols=4, handlelength=1.7)
        return figure


def _title(title: str, model_rows: pd.DataFrame, models: int) -> str:
    """Return a panel's title, with the model's name if there are several models, and its seeds if it has several."""
    seeds = model_rows["seed"].nunique()
    named = title if models == 1 else f"{model_rows['model'].iloc[0]}: {title}"
    return f"{named}, {seeds} seeds" if seeds > 1 else named


def _draw_rates(panel: Axes, rows: pd.DataFrame, layers: pd.DataFrame, published: pd.DataFrame) -> None:
    """Draw, for each method, a line through the layers with its interval, and a point for each head.

    With several seeds, the points are each seed's layers.
    """
    for method, color, marker, sideways in _METHODS:
        layer_rows = layers[layers["method"] == method].sort_values("layer")
        series = f"{layer_rows['setting'].iloc[0]}_{method}"
        style.published_curve(panel, published[published["series"] == series], color)
        points = rows[(rows["method"] == method) & (rows["head"].isna() == (rows["seed"].nunique() > 1))]
        style.head_points(panel, points["layer"] + sideways, points["aer"].astype(float), color, marker)
        x = layer_rows["layer"] + sideways
        panel.fill_between(x, layer_rows["low"], layer_rows["high"], color=color, alpha=0.2, linewidth=0)
        style.layer_line(panel, x, layer_rows["value"], color, marker, method)
