"""Section 4.4 of Kobayashi et al. 2021: the factor by which value and output projection lengthen vectors."""

from __future__ import annotations

import pandas as pd

from bert_attention.printing.layout import PrintedTable
from bert_attention.printing.published_cells import model_name, note_on_recalled, published_cell
from bert_attention.statistics.forms import decimal

_VARIANTS = ("released", "described")


def format_table(kobayashi_expansion: pd.DataFrame, published: pd.DataFrame) -> PrintedTable:
    """Format the expansion rate of each layer and the mean rate, beside the published means of several models."""
    ours = kobayashi_expansion.pivot(index="layer", columns="variant", values="expansion_rate")[[*_VARIANTS]]
    models = published["model"].unique()
    mean, *by_layer = (
        [
            f"layer {layer}" if layer else "mean of the layers",
            *map(decimal(3), rates),
            *(published_cell(published, decimal(3), model=model, layer=layer) for model in models),
        ]
        for layer, *rates in ours.itertuples()
    )
    header = [("", [""]), ("replicated", _VARIANTS), ("published", [*map(model_name, models)])]
    notes = (
        "released: with the bias of the output projection where the authors' script has it, as for the published "
        "numbers; "
        "described: the affine map itself.",
        *note_on_recalled(published),
    )
    return PrintedTable(header, [[mean], by_layer], notes)
