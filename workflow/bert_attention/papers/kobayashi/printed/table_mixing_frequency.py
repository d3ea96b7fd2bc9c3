"""Table 2 of Kobayashi et al. 2021: correlation between the frequency of a token and its mixing ratio."""

from __future__ import annotations

import pandas as pd

from bert_attention.papers.kobayashi.columns import MIXING_LABELS, TEXTS
from bert_attention.printing.layout import PrintedTable, with_interval
from bert_attention.printing.published_cells import note_on_recalled, published_cell
from bert_attention.statistics.forms import decimal

_TOKENS = {"all": "all tokens", "without_specials": "without [CLS] and [SEP]"}


def format_table(kobayashi_mixing_frequency: pd.DataFrame, published: pd.DataFrame) -> PrintedTable:
    """Format Spearman's correlation of frequency rank and mixing ratio by method, beside the published one."""
    averaged = kobayashi_mixing_frequency[kobayashi_mixing_frequency["layer"] == 0]
    ours = averaged.set_index(["text", "method", "tokens"])[["spearman", "low", "high"]]

    def row(method: str, name: str) -> list[str]:
        cells = [name]
        for tokens in _TOKENS:
            cells += [with_interval(decimal(3), *ours.loc[(text, method, tokens)]) for text in TEXTS]
            cells.append(published_cell(published, decimal(3), method=method, tokens=tokens))
        return cells

    header = [("", ["method"]), *((title, [*TEXTS, "published"]) for title in _TOKENS.values())]
    notes = (
        "The most frequent token has rank 1. whole, masked: replicated, on the text as it is and with 12% of "
        "the tokens masked; a masked token has the rank of the token it replaces. published: on the whole text.",
        *note_on_recalled(published),
    )
    return PrintedTable(header, [[row(*method) for method in MIXING_LABELS.items()]], notes)
