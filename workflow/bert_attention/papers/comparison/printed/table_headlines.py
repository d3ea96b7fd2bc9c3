"""The headline numbers of all models of an edition, with a column for each model."""

from __future__ import annotations

import pandas as pd

from bert_attention.heads import head_name
from bert_attention.papers.comparison import columns as values
from bert_attention.printing.layout import PrintedTable, percent_with_interval, with_interval
from bert_attention.statistics.forms import NO_VALUE, decimal, percent


def format_table(comparison_headlines: pd.DataFrame) -> PrintedTable:
    """Format each model's numbers, with its own highest layers and heads, and note the models that lack a number."""
    found = dict(iter(comparison_headlines.groupby(["model", "statistic"])))
    layers = comparison_headlines.groupby("model", sort=False)["layers"].first()
    groups = [
        [
            [name, *(form(found[model, key]) if (model, key) in found else NO_VALUE for model in layers.index)]
            for name, key, form in group
        ]
        for group in _GROUPS
    ]
    missing = {
        model: [name for group in _GROUPS for name, key, _ in group if (model, key) not in found]
        for model in layers.index
    }
    notes = (
        "Percent, but for layers and correlations; in brackets 95% intervals, over texts.",
        "Best heads of relations are chosen on one half of the sentences and scored on the other.",
        "In brackets after a highest value: its layer, or layer-head.",
        *(f"{model} has no number for: {'; '.join(names)}." for model, names in missing.items() if names),
    )
    return PrintedTable([("", ["", *map(str, layers.index)])], [[["layers", *map(str, layers)]], *groups], notes)


def _mean(rows: pd.DataFrame) -> str:
    return percent(rows["value"].mean())


def _highest(rows: pd.DataFrame) -> str:
    """Return the highest value, with its layer, or layer and head."""
    row = rows.loc[rows["value"].idxmax()]
    return f"{percent(row['value'])} ({head_name(row['layer'], row['head'])})"


def _interval(rows: pd.DataFrame) -> str:
    return percent_with_interval(*rows[["value", "low", "high"]].squeeze())


def _count(rows: pd.DataFrame) -> str:
    """Return a share as counts, such as ``22 of 73``."""
    share, n = rows[["value", "n"]].squeeze()
    return f"{share * n:.0f} of {n:.0f}"


def _correlation(rows: pd.DataFrame) -> str:
    return with_interval(decimal(2), *rows[["value", "low", "high"]].squeeze())


# Groups of rows: the row's name, its statistic, and the function that formats the cell of a model.
_GROUPS = (
    (
        ("attention to the previous token, mean of all heads", values.PREVIOUS_TOKEN, _mean),
        ("attention to the previous token, highest head", values.PREVIOUS_TOKEN_HEAD, _highest),
        ("attention to [SEP], mean of all heads", values.SEP, _mean),
        ("attention to [SEP], highest layer", values.SEP, _highest),
        ("share of [SEP] by norm, mean of layers", values.SEP_BY_NORM, _mean),
        ("share of [SEP] by norm, highest layer", values.SEP_BY_NORM, _highest),
    ),
    (
        ("best head of all dependency relations", values.DEPENDENCY_HEAD, _interval),
        ("best fixed offset", values.DEPENDENCY_OFFSET, _interval),
        ("relations that a head finds better than an offset", values.RELATIONS_BEYOND_OFFSET, _count),
        ("probe of attention and word vectors, UAS", values.PROBE, _interval),
        ("probe of distances and word vectors, UAS", values.PROBE_OF_DISTANCES, _interval),
    ),
    (
        ("weight and norm, Spearman, [SEP]", values.NORM_AGAINST_WEIGHT_SEP, _correlation),
        ("weight and norm, Spearman, other tokens", values.NORM_AGAINST_WEIGHT_OTHER, _correlation),
    ),
)
