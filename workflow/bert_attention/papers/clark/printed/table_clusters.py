"""Section 6 of Clark et al. 2019 in numbers: the similarity of heads of the same layer."""

from __future__ import annotations

import pandas as pd

from bert_attention.printing.layout import PrintedTable, with_interval
from bert_attention.statistics.forms import decimal, percent

_WEIGHTS = {"trained": "as trained", "random": "random weights"}
_STATISTICS = {
    "same_layer": ("mean divergence from heads of the same layer, nats", decimal(4)),
    "cross_layer": ("mean divergence from heads of other layers, nats", decimal(4)),
    "same_to_cross": ("the former as a ratio to the latter", decimal(2)),
    "silhouette": ("mean silhouette, layers as clusters", decimal(2)),
    "neighbors_in_layer": ("nearest heads that are of the same layer, percent", percent),
}


def format_table(clark_head_clusters: pd.DataFrame) -> PrintedTable:
    """Format how alike the heads of a layer attend, in the trained encoder and with random weights.

    The paper has no such numbers. It shows a map of the heads, and suspects a cause that cannot be tested here.
    """
    values = clark_head_clusters.set_index(["weights", "statistic", "layer"])

    def row(title: str, statistic: str, layer: int) -> list[str]:
        cells, (_, form) = [title], _STATISTICS[statistic]
        for weights in _WEIGHTS:
            found = values.loc[weights, statistic, layer]
            value = with_interval(form, *found[["value", "low", "high"]])
            cells += [value, form(found["chance"]), decimal(3)(found["p"])]
        return cells

    overall = [row(title, statistic, 0) for statistic, (title, _) in _STATISTICS.items()]
    layers = sorted(set(clark_head_clusters["layer"]) - {0})
    by_layer = [row(f"ratio, layer {layer}", "same_to_cross", layer) for layer in layers]
    header = [("", ["Jensen-Shannon divergence between heads"])]
    header += [(title, ["value", "by chance", "p"]) for title in _WEIGHTS.values()]
    notes = (
        f"{int(clark_head_clusters['n'].max())} heads; 95% intervals are over segments. by chance: the mean over "
        "permutations of the heads among the layers. p: one-sided, over the same permutations.",
        "random weights: the encoder's embeddings under layers with random weights.",
        "The paper suspects that dropout of attention makes heads alike. To test this, one would need encoders "
        "pre-trained with and without dropout.",
    )
    return PrintedTable(header, [overall, by_layer], notes)
