"""Table 1 of Kobayashi et al. 2021: the share of a token's new vector that comes from other tokens."""

from __future__ import annotations

import pandas as pd

from bert_attention.papers.kobayashi.columns import MIXING_LABELS
from bert_attention.printing.layout import PrintedTable, share_with_interval
from bert_attention.printing.published_cells import model_name, note_on_recalled, published_cell
from bert_attention.statistics.forms import decimal
from bert_attention.tables import bounds_of

_STATISTICS = {"mixing_ratio": "mean", "max": "max", "min": "min"}
# Each statistic with its bounds, if it has any.
_COLUMNS = [[statistic, *bounds_of("kobayashi_mixing", statistic)] for statistic in _STATISTICS]
_TEXTS = {"masked": "replicated, masked", "whole": "replicated, whole text"}


def format_table(kobayashi_mixing: pd.DataFrame, published: pd.DataFrame) -> PrintedTable:
    """Format mixing ratios of all tokens in all layers by method, beside the published ratios of each model."""
    ours = kobayashi_mixing[kobayashi_mixing["layer"] == 0].set_index(["text", "method"])
    theirs = {
        model: [column for column in _STATISTICS if column in set(claims["column"])]
        for model, claims in published.groupby("model", sort=False)
    }
    rows = [
        [
            name,
            *(share_with_interval(_percent, *ours.loc[(text, method), cells]) for text in _TEXTS for cells in _COLUMNS),
            *(
                published_cell(published, _percent, method=method, model=model, column=column)
                for model, columns in theirs.items()
                for column in columns
            ),
        ]
        for method, name in MIXING_LABELS.items()
    ]
    header = [("", ["method"]), *((title, [*_STATISTICS.values()]) for title in _TEXTS.values())]
    header += [(f"published, {model_name(model)}", [*map(_STATISTICS.get, found)]) for model, found in theirs.items()]
    notes = (
        "Percent. masked: 12% of the tokens are replaced by [MASK] before the encoder is run, as for the published "
        "numbers.",
        *note_on_recalled(published),
    )
    return PrintedTable(header, [rows], notes)


def _percent(fraction: float) -> str:
    """Format a fraction in percent, with the paper's two decimal places."""
    return decimal(2)(100 * fraction)
