"""Small tables of one model, such as its analyses make."""

from __future__ import annotations

import pandas as pd

from bert_attention.comparison.headlines import side_by_side
from bert_attention.statistics.tables import with_intervals
from tests.replicates import within


def tables_of_model(layers: int, heads: int = 2) -> dict[str, pd.DataFrame]:
    """The tables that the comparison reads, of an encoder with so many layers."""
    return {
        "clark_positions": positions(layers, heads),
        "clark_dependency_heads": dependency_heads(layers),
        "clark_probes": probes(),
        "kobayashi_categories": categories(layers),
        "kobayashi_correlation": correlation(),
    }


def positions(layers: int, heads: int) -> pd.DataFrame:
    """Head h of layer l gives (l + 10 h) thousandths to the previous token, and half of it to [SEP]."""
    rows = [
        {"layer": layer, "head": head, "target": target, "attention": share * (layer + 10 * head) / 1000}
        for target, share in (("previous", 1), ("sep", 0.5), ("sep_from_sep", 0.5), ("next", 7))
        for layer in range(1, layers + 1)
        for head in range(1, heads + 1)
    ]
    return pd.DataFrame(rows).assign(n=50)


def categories(layers: int) -> pd.DataFrame:
    """Layer l has a share of l hundredths for [SEP] by the norm of the heads' sum; heads have other measures."""
    rows = [
        {"layer": layer, "head": None, "category": category, "measure": measure, "value": value * layer / 100}
        for category, measure, value in (
            ("sep", "share_of_norm_of_sum", 1),
            ("sep", "share_of_norm", 5),
            ("cls", "share_of_norm_of_sum", 6),
        )
        for layer in range(1, layers + 1)
    ]
    return pd.DataFrame(rows).assign(n=50)


def dependency_heads(layers: int) -> pd.DataFrame:
    """Two relations and all together; det is found best in the last layer, held out in the first."""
    columns = ["relation", "selection", "variant", "layer", "head", "accuracy", "n"]
    rows = [
        ("all", "same_data", "described", 1, 1, 0.9, 300),
        ("all", "held_out", "described", 1, 1, 0.5, 300),
        ("all", "held_out", "released", 1, 1, 0.7, 300),
        ("mark_without_to", "held_out", "described", 1, 1, 0.7, 120),
        ("mark_without_to", "same_data", "described", 1, 1, 0.7, 120),
        ("det", "same_data", "described", layers, 2, 0.8, 200),
        ("det", "held_out", "described", 1, 1, 0.6, 200),
        ("obj", "same_data", "described", 1, 2, 0.4, 100),
        ("obj", "held_out", "described", 1, 2, 0.2, 100),
    ]
    return pd.DataFrame(rows, columns=columns).assign(baseline_accuracy=0.3)


def probes() -> pd.DataFrame:
    """Probes of both variants."""
    rows = [
        ("attention_glove", "described", 0.75, 400),
        ("attention_glove", "released", 0.65, 400),
        ("distances_glove", "described", 0.55, 400),
        ("attention", "described", 0.45, 400),
    ]
    return pd.DataFrame(rows, columns=["probe", "variant", "uas", "n"])


def correlation() -> pd.DataFrame:
    """Spearman's correlation by kind of token."""
    rows = [("cls", -0.3, 10), ("sep", -0.6, 20), ("punctuation", -0.2, 30), ("other", -0.1, 40)]
    return pd.DataFrame(rows, columns=["category", "spearman", "n"])


# The statistics of the tables that models are compared by.
STATISTICS = {
    "clark_positions": ["attention"],
    "clark_dependency_heads": ["accuracy", "baseline_accuracy"],
    "clark_probes": ["uas"],
    "kobayashi_categories": ["value"],
    "kobayashi_correlation": ["spearman"],
}


def comparison(**models: dict[str, pd.DataFrame]) -> pd.DataFrame:
    """The table that compares models; the intervals of their own tables are a tenth of each number on either side."""
    varied = {
        model: {
            name: within(table, **{column: table[column] / 10 for column in STATISTICS[name]})
            for name, table in tables.items()
        }
        for model, tables in models.items()
    }
    return with_intervals(side_by_side(varied), "comparison_headlines")
