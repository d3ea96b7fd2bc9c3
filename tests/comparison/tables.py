"""Small tables of one model, such as its analyses make."""

from __future__ import annotations

import pandas as pd


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
    return pd.DataFrame(rows).assign(n=50, standard_error=lambda table: table["attention"] / 10)


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
    return pd.DataFrame(rows).assign(n=50, low=lambda t: t["value"] - 0.002, high=lambda t: t["value"] + 0.002)


def dependency_heads(layers: int) -> pd.DataFrame:
    """Two relations and all together; det is found best in the last layer, held out in the first."""
    columns = ["relation", "selection", "variant", "layer", "head", "accuracy", "low", "high", "n", "gain_low"]
    rows = [
        ("all", "same_data", "described", 1, 1, 0.9, 0.8, 1.0, 300, 0.4),
        ("all", "held_out", "described", 1, 1, 0.5, 0.4, 0.6, 300, 0.1),
        ("all", "held_out", "released", 1, 1, 0.7, 0.6, 0.8, 300, 0.2),
        ("mark_without_to", "held_out", "described", 1, 1, 0.7, 0.6, 0.8, 120, 0.2),
        ("mark_without_to", "same_data", "described", 1, 1, 0.7, 0.6, 0.8, 120, 0.2),
        ("det", "same_data", "described", layers, 2, 0.8, 0.7, 0.9, 200, 0.3),
        ("det", "held_out", "described", 1, 1, 0.6, 0.5, 0.7, 200, 0.05),
        ("obj", "same_data", "described", 1, 2, 0.3, 0.2, 0.4, 100, 0.1),
        ("obj", "held_out", "described", 1, 2, 0.2, 0.1, 0.3, 100, -0.1),
    ]
    baseline = {"baseline_accuracy": 0.3, "baseline_low": 0.25, "baseline_high": 0.35}
    return pd.DataFrame(rows, columns=columns).assign(**baseline)


def probes() -> pd.DataFrame:
    """Probes of both variants."""
    rows = [
        ("attention_glove", "described", 0.75, 0.7, 0.8, 400),
        ("attention_glove", "released", 0.65, 0.6, 0.7, 400),
        ("distances_glove", "described", 0.55, 0.5, 0.6, 400),
        ("attention", "described", 0.45, 0.4, 0.5, 400),
    ]
    return pd.DataFrame(rows, columns=["probe", "variant", "uas", "low", "high", "n"])


def correlation() -> pd.DataFrame:
    """Spearman's correlation by kind of token."""
    rows = [("cls", -0.3, 10), ("sep", -0.6, 20), ("punctuation", -0.2, 30), ("other", -0.1, 40)]
    return pd.DataFrame(rows, columns=["category", "spearman", "n"])


def by_table(models: dict[str, dict[str, pd.DataFrame]]) -> dict[str, dict[str, pd.DataFrame]]:
    """From the tables of each model to each table of all models, as the analysis takes them."""
    tables = next(iter(models.values()))
    return {table: {model: of_model[table] for model, of_model in models.items()} for table in tables}
