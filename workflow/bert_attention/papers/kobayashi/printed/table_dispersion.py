"""Table 1 of Kobayashi et al. 2020: variation of the lengths of vectors."""

from __future__ import annotations

import pandas as pd

from bert_attention.printing.layout import PrintedTable, with_interval
from bert_attention.printing.published_cells import note_on_recalled, published_cell
from bert_attention.statistics.forms import decimal
from bert_attention.tables import bounds_of

_STATISTICS = ("cv", "mean", "sd", "max", "min")
# Each statistic with its bounds, if it has any.
_COLUMNS = [[statistic, *bounds_of("kobayashi_dispersion", statistic)] for statistic in _STATISTICS]
# Groups of vectors, with their printed names and numbers of decimal places.
_GROUPS = (
    {"transformed": ("transformed vector f(x)", 2), "input": ("input vector x", 2)},
    {"weight": ("attention weight", 3), "weighted": ("weighted vector", 3)},
)


def format_table(kobayashi_dispersion: pd.DataFrame, published: pd.DataFrame) -> PrintedTable:
    """Format statistics of lengths, averaged over heads, beside the published ones."""
    averages = kobayashi_dispersion[kobayashi_dispersion["layer"] == 0].set_index("vector")

    def row(vector: str, name: str, places: int) -> list[str]:
        form = decimal(places)
        ours = [with_interval(form, *averages.loc[vector, columns]) for columns in _COLUMNS]
        return [name, *ours, *(published_cell(published, form, vector=vector, column=name) for name in _STATISTICS)]

    groups = [[row(vector, *print_as) for vector, print_as in group.items()] for group in _GROUPS]
    notes = (
        "Each statistic is that of one head (input vector: of one layer), averaged over all of them. cv: sd / mean.",
        "The first two rows are over all tokens. The other rows, which the paper does not have, are over all pairs of "
        "tokens.",
        *note_on_recalled(published),
    )
    return PrintedTable([("", ["length"]), ("replicated", _STATISTICS), ("published", _STATISTICS)], groups, notes)
