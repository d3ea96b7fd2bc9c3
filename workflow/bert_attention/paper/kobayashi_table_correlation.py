"""Table 2 of Kobayashi et al. 2020: correlation between attention weights and the lengths of vectors."""

from __future__ import annotations

from functools import partial

import pandas as pd

from bert_attention.paper.layout import PrintedTable, decimal, with_interval
from bert_attention.paper.published_cells import note_on_recalled, published_cell

_CATEGORIES = {"cls": "[CLS]", "sep": "[SEP]", "punctuation": ". and ,", "other": "other tokens"}


def format_table(kobayashi_correlation: pd.DataFrame, published: pd.DataFrame) -> PrintedTable:
    """Format Spearman's correlation of weight and length by kind of the attended token, beside the published one."""
    ours = kobayashi_correlation.set_index("category")
    form = partial(decimal, places=2)

    def row(category: str, name: str) -> list[str]:
        spearman = with_interval(form, *ours.loc[category, ["spearman", "low", "high"]])
        replicated = (spearman, f"{ours.loc[category, 'n']:,}")
        return [name, *replicated, published_cell(published, form, category=category)]

    header = [("", "attended token"), ("replicated", "Spearman"), ("replicated", "pairs"), ("published", "Spearman")]
    return PrintedTable(header, [[row(*category) for category in _CATEGORIES.items()]], note_on_recalled(published))
