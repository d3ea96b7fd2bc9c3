"""Table 2 of Kobayashi et al. 2020: correlation between attention weights and the lengths of vectors."""

from __future__ import annotations

import pandas as pd

from bert_attention.printing.layout import PrintedTable, with_interval
from bert_attention.printing.published_cells import note_on_recalled, published_cell
from bert_attention.statistics.forms import decimal

_CATEGORIES = {"cls": "[CLS]", "sep": "[SEP]", "punctuation": ". and ,", "other": "other tokens"}


def format_table(kobayashi_correlation: pd.DataFrame, published: pd.DataFrame) -> PrintedTable:
    """Format Spearman's correlation of weight and length by kind of the attended token, beside the published one."""
    ours = kobayashi_correlation.set_index("category")
    rows = [
        [
            name,
            with_interval(decimal(2), *ours.loc[category, ["spearman", "low", "high"]]),
            f"{ours.loc[category, 'n']:,}",
            published_cell(published, decimal(2), category=category),
        ]
        for category, name in _CATEGORIES.items()
    ]
    header = [("", ["attended token"]), ("replicated", ["Spearman", "pairs"]), ("published", ["Spearman"])]
    return PrintedTable(header, [rows], note_on_recalled(published))
