"""The headline numbers of all models of an edition, with a column for each model."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import pandas as pd

from bert_attention.comparison import column_values as names
from bert_attention.heads import head_name
from bert_attention.paper.layout import (
    NO_VALUE,
    PrintedTable,
    decimal,
    percent,
    percent_with_interval,
    with_interval,
)


def format_table(comparison_headlines: pd.DataFrame) -> PrintedTable:
    """Format each model's numbers, with its own highest layers and heads, and note the models that lack a number."""
    models = {str(name): rows for name, rows in comparison_headlines.groupby("model", sort=False)}
    layers = ["layers", *(str(rows["layers"].iloc[0]) for rows in models.values())]
    groups = [[[label, *_cells(models, statistic, form)] for label, statistic, form in group] for group in _GROUPS]
    notes = (
        "Per cent, but for layers and correlations; in brackets 95% intervals, over texts.",
        "Best heads of relations are chosen on one half of the sentences and scored on the other.",
        "In brackets after a highest value: its layer, or layer-head.",
        *_notes_on_gaps(models),
    )
    return PrintedTable([("", name) for name in ("", *models)], [[layers], *groups], notes)


def _cells(models: dict[str, pd.DataFrame], statistic: str, form: Callable[[pd.DataFrame], str]) -> list[str]:
    of_models = [rows[rows["statistic"] == statistic] for rows in models.values()]
    return [NO_VALUE if rows.empty else form(rows) for rows in of_models]


def _mean(rows: pd.DataFrame) -> str:
    return percent(rows["value"].mean())


def _highest(rows: pd.DataFrame) -> str:
    """Return the highest value, with its layer, or layer and head."""
    row = rows.loc[rows["value"].idxmax()]
    return f"{percent(row['value'])} ({head_name(row['layer'], row['head'])})"


def _interval(rows: pd.DataFrame) -> str:
    (row,) = rows.itertuples()
    return percent_with_interval(row.value, row.low, row.high)


def _count(rows: pd.DataFrame) -> str:
    """Return a share as counts, such as ``22 of 73``."""
    (row,) = rows.itertuples()
    return f"{row.value * row.n:.0f} of {row.n:.0f}"


def _correlation(rows: pd.DataFrame) -> str:
    (row,) = rows.itertuples()
    return with_interval(partial(decimal, places=2), row.value, row.low, row.high)


# Groups of rows: the row's name, its statistic, and the function that makes a cell of a model's rows.
_GROUPS = (
    (
        ("attention to the previous token, mean of all heads", names.PREVIOUS_TOKEN, _mean),
        ("attention to the previous token, highest head", names.PREVIOUS_TOKEN_HEAD, _highest),
        ("attention to [SEP], mean of all heads", names.SEP, _mean),
        ("attention to [SEP], highest layer", names.SEP, _highest),
        ("share of [SEP] by norm, mean of layers", names.SEP_BY_NORM, _mean),
        ("share of [SEP] by norm, highest layer", names.SEP_BY_NORM, _highest),
    ),
    (
        ("best head of all dependency relations", names.DEPENDENCY_HEAD, _interval),
        ("best fixed offset", names.DEPENDENCY_OFFSET, _interval),
        ("relations that a head finds better than an offset", names.RELATIONS_BEYOND_OFFSET, _count),
        ("probe of attention and word vectors, UAS", names.PROBE, _interval),
        ("probe of distances and word vectors, UAS", names.PROBE_OF_DISTANCES, _interval),
    ),
    (
        ("weight and norm, Spearman, [SEP]", names.NORM_AGAINST_WEIGHT_SEP, _correlation),
        ("weight and norm, Spearman, other tokens", names.NORM_AGAINST_WEIGHT_OTHER, _correlation),
    ),
)


def _notes_on_gaps(models: dict[str, pd.DataFrame]) -> list[str]:
    """Return a note on each model that lacks numbers, with the names of the rows."""
    rows = [row for group in _GROUPS for row in group]
    notes = []
    for name, table in models.items():
        known = set(table["statistic"])
        missing = [label for label, statistic, _ in rows if statistic not in known]
        notes += [f"{name} has no number for: {'; '.join(missing)}."] if missing else []
    return notes
