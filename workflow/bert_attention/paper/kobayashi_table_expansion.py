"""Section 4.4 of Kobayashi et al. 2021: the factor by which value and output projection lengthen vectors."""

from __future__ import annotations

from functools import partial

import pandas as pd

from bert_attention.paper.layout import NO_VALUE, PrintedTable, decimal
from bert_attention.paper.published_cells import model_name, note_on_recalled, published_cell

_VARIANTS = ("released", "described")


def format_table(kobayashi_expansion: pd.DataFrame, published: pd.DataFrame) -> PrintedTable:
    """Format the expansion rate of each layer and the mean rate, beside the published means of several models."""
    ours = kobayashi_expansion.set_index(["layer", "variant"])["expansion_rate"]
    layers = sorted(set(kobayashi_expansion["layer"]) - {0})
    models = published["model"].unique()
    form = partial(decimal, places=3)

    def replicated(layer: int) -> list[str]:
        return [form(ours[layer, variant]) for variant in _VARIANTS]

    theirs = [published_cell(published, form, model=model, layer=0) for model in models]
    mean = ["mean of the layers", *replicated(0), *theirs]
    by_layer = [[f"layer {layer}", *replicated(layer), *[NO_VALUE] * len(models)] for layer in layers]
    header = [("", ""), *(("replicated", variant) for variant in _VARIANTS)]
    header += [("published", model_name(model)) for model in models]
    notes = (
        "released: with the bias of the output projection where the authors' script has it, as in the published; "
        "described: the affine map itself.",
    )
    return PrintedTable(header, [[mean], by_layer], (*notes, *note_on_recalled(published)))
