"""Appendix of Coenen et al. 2019 as a figure: prediction of each relation from attention."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from bert_attention.figures import style

_DIRECTION = "dependent_to_head"
# Features in the table, label, color, marker. The last features are drawn on top.
_FEATURES = (
    ("random_model", "attention of random weights", style.GRAY, "D"),
    ("distance_only", "distance only", style.ORANGE, "s"),
    ("dependent_form", "dependent's word form", style.GREEN, "^"),
    ("attention", "attention", style.BLUE, "o"),
)
_ROW_HEIGHT, _MARGINS = 0.125, 0.8  # inches


def draw(coenen_relations: pd.DataFrame) -> Figure:
    """Draw the F1 of each relation from attention, by L-BFGS, and from the controls, best by attention first."""
    table = coenen_relations[coenen_relations["direction"] == _DIRECTION].dropna(subset=["f1"])
    table = table[table["optimizer"] != "sgd"]
    best_first = table[table["features"] == "attention"].sort_values(["f1", "n"], ascending=False)
    height = len(best_first) * _ROW_HEIGHT + _MARGINS
    with style.house_style():
        figure = Figure(figsize=(style.COLUMN_WIDTH, height), layout="constrained")
        axes = figure.subplots()
        ranks = pd.Series(np.arange(len(best_first)), index=best_first["relation"])
        for features, label, color, marker in _FEATURES:
            rows = table[table["features"] == features]
            y = rows["relation"].map(ranks)
            axes.hlines(y, rows["low"], rows["high"], color=color, linewidth=0.8, alpha=0.6)
            look = {"s": 13, "color": color, "marker": marker, "linewidths": 0}
            axes.scatter(rows["f1"], y, **look, label=label, clip_on=False, zorder=3)  # points at the edge stay whole
        axes.set_yticks(ranks, [f"{row.relation} ({row.n:,})" for row in best_first.itertuples()])
        axes.set_ylim(len(best_first) - 0.5, -0.5)
        axes.set_xlim(-0.025, 1)  # keep points at 0 off the axis
        axes.set_xlabel("F1")
        axes.grid(axis="both")
        axes.tick_params(axis="y", length=0)
        handles, _ = axes.get_legend_handles_labels()
        figure.legend(handles=handles[::-1], loc="outside upper left", ncols=2, borderpad=0)  # lists attention first
        return figure
