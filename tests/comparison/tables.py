"""Small tables of one model, such as its analyses make."""

from __future__ import annotations

import pandas as pd

from bert_attention.papers.comparison.headlines import side_by_side
from bert_attention.results import results
from bert_attention.statistics.tables import with_intervals
from tests.judging.claim_tables import rows
from tests.replicates import within


def tables_of_model(layers: int) -> dict[str, pd.DataFrame]:
    """The tables that the comparison reads, of an encoder with so many layers of two heads."""
    # Head h of layer l gives (l + 10 h) thousandths to the previous token, and half of it to [SEP].
    shares = [("previous", 1), ("sep", 0.5), ("sep_from_sep", 0.5), ("next", 7)]
    positions = rows({("target", "share"): shares, "layer": range(1, layers + 1), "head": [1, 2]}, n=50)
    attention = positions.pop("share") * (positions["layer"] + 10 * positions["head"]) / 1000
    # Entropy rises to 4 nats in the last layer, and to 2 from [CLS].
    sources = [("all", 4.0), ("cls", 2.0)]
    entropy = rows({("source", "entropy"): sources, "layer": range(1, layers + 1), "head": [1, 2]}, n=50)
    # By the norm of the heads' sum, [SEP] has a share of l hundredths in layer l.
    values = [("sep", "share_of_norm_of_sum", 1), ("sep", "share_of_norm", 5), ("cls", "share_of_norm_of_sum", 6)]
    categories = rows({("category", "measure", "value"): values, "layer": range(1, layers + 1)}, head=None, n=50)
    # The best head for det is in the last layer, and the best held-out head is in the first layer.
    heads = pd.DataFrame(
        [
            ("all", "same_data", "described", 1, 1, 0.9, 300),
            ("all", "held_out", "described", 1, 1, 0.5, 300),
            ("all", "held_out", "released", 1, 1, 0.7, 300),
            ("mark_without_to", "held_out", "described", 1, 1, 0.7, 120),
            ("mark_without_to", "same_data", "described", 1, 1, 0.7, 120),
            ("det", "same_data", "described", layers, 2, 0.8, 200),
            ("det", "held_out", "described", 1, 1, 0.6, 200),
            ("obj", "same_data", "described", 1, 2, 0.4, 100),
            ("obj", "held_out", "described", 1, 2, 0.2, 100),
        ],
        columns=["relation", "selection", "variant", "layer", "head", "accuracy", "n"],
    )
    probes = [
        ("attention_glove", "described", 0.75),
        ("attention_glove", "released", 0.65),
        ("distances_glove", "described", 0.55),
        ("attention", "described", 0.45),
    ]
    correlation = [("cls", -0.3, 10), ("sep", -0.6, 20), ("punctuation", -0.2, 30), ("other", -0.1, 40)]
    return {
        "clark_positions": positions.assign(attention=attention),
        "clark_entropy": entropy.assign(entropy=entropy["entropy"] * entropy["layer"] / layers),
        "clark_dependency_heads": heads.assign(baseline_accuracy=0.3),
        "clark_probes": pd.DataFrame(probes, columns=["probe", "variant", "uas"]).assign(n=400),
        "kobayashi_categories": categories.assign(value=categories["value"] * categories["layer"] / 100),
        "kobayashi_correlation": pd.DataFrame(correlation, columns=["category", "spearman", "n"]),
    }


def comparison(**models: dict[str, pd.DataFrame]) -> pd.DataFrame:
    """The table that compares models; the intervals of their own tables are a tenth of each number on either side."""
    varied = {
        model: {
            name: within(
                table, **{column: table[column] / 10 for column in {*results().tables[name].statistics} & {*table}}
            )
            for name, table in tables.items()
        }
        for model, tables in models.items()
    }
    return with_intervals(side_by_side(varied), "comparison_headlines")
