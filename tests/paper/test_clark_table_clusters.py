"""Section 6 of Clark et al. 2019 in numbers, as printed."""

import numpy as np
import pandas as pd

from bert_attention.paper.clark_table_clusters import format_table
from bert_attention.paper.layout import as_markdown

STATISTICS = ("same_layer", "cross_layer", "same_to_cross", "silhouette", "neighbors_in_layer")


def test_trained_and_random_weights_stand_side_by_side():
    places = [(weights, name, layer) for weights in ("trained", "random") for name in STATISTICS for layer in (0, 1, 2)]
    table = pd.DataFrame(places, columns=["weights", "statistic", "layer"])
    table = table.assign(value=np.arange(30) / 100, chance=0.5, p=np.arange(30) / 1000, n=24)
    table = table.assign(low=table["value"] - 0.01, high=table["value"] + 0.02)
    table.loc[table["layer"] == 2, ["low", "high"]] = np.nan  # of too few segments
    lines = as_markdown(format_table(table)).splitlines()
    title = "nearest heads that are of the same layer, per cent"
    assert f"| {title} | 12.0 (11.0–14.0) | 50.0 | 0.012 | 27.0 (26.0–29.0) | 50.0 | 0.027 |" in lines
    assert (
        "| mean silhouette, layers as clusters | 0.09 (0.08–0.11) | 0.50 | 0.009 | 0.24 (0.23–0.26) | 0.50 | 0.024 |"
        in lines
    )
    assert "| ratio, layer 2 | 0.08 | 0.50 | 0.008 | 0.23 | 0.50 | 0.023 |" in lines
    assert len([line for line in lines if line.startswith("| ")]) == 2 + 5 + 2
    assert "24 heads;" in "\n".join(lines)
    assert "Not testable here" in lines[-1]
