"""Table 1 of Kobayashi et al. 2020 as a figure by layer: variation of vectors and weights."""

from __future__ import annotations

import pandas as pd
from matplotlib.figure import Figure

from bert_attention.figures import style


def draw(kobayashi_dispersion: pd.DataFrame) -> Figure:
    """Draw the coefficient of variation of vector lengths and of weights, by layer."""
    lists = kobayashi_dispersion[kobayashi_dispersion["layer"] > 0]
    by_vector = {vector: lists[lists["vector"] == vector] for vector in lists["vector"].unique()}
    inputs = by_vector["input"]
    with style.house_style():
        figure, (vectors, weights) = style.panels(2, panel_height=1.6)
        style.heads_by_layer(vectors, by_vector["transformed"], "cv", style.BLUE, "o", "transformed vector")
        style.layer_line(vectors, inputs["layer"], inputs["cv"], style.ORANGE, "s", "input vector")
        style.heads_by_layer(weights, by_vector["weight"], "cv", style.VERMILION, "^", "weight")
        style.heads_by_layer(weights, by_vector["weighted"], "cv", style.PURPLE, "D", "weighted vector")
        for panel, title in (
            (vectors, "(a) lengths of vectors"),
            (weights, "(b) weights and lengths of weighted vectors"),
        ):
            panel.set_title(title)
            panel.set_ylim(bottom=0)
            panel.set_ylabel("coefficient of variation")
            style.legend_above(panel)
        style.layer_axis((vectors, weights), kobayashi_dispersion)
        return figure
