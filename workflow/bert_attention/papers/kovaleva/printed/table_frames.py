"""Section 4.2 of Kovaleva et al. 2019: the heads that link predicates and their frame elements most."""

from __future__ import annotations

import numpy as np
import pandas as pd

from bert_attention.heads import head_name
from bert_attention.papers.kovaleva.columns import FRAME_LINKS, VARIANTS
from bert_attention.printing.layout import PrintedTable, share_with_interval, with_interval
from bert_attention.printing.published_cells import model_name, note_on_recalled, published_cell
from bert_attention.statistics.forms import NO_VALUE, decimal

_HEADS = 5
_COLUMNS = ("to predicate", "to element", "other pairs", "gain")

_form = decimal(3)


def format_table(
    kovaleva_frames: pd.DataFrame,
    kovaleva_frame_offsets: pd.DataFrame,
    kovaleva_frame_selection: pd.DataFrame,
    published: pd.DataFrame,
) -> PrintedTable:
    """Format the best five heads by the paper's text and by its code, then the heads that the paper names."""
    theirs = published[published["column"] == "attention"]
    ours = kovaleva_frames.set_index(["variant", "link", "layer", "head"]).sort_index()
    best = {variant: ours.loc[(variant, FRAME_LINKS[0])].nlargest(_HEADS, "attention").index for variant in VARIANTS}
    groups = [[[*_our_cells(ours, variant, *head), NO_VALUE] for head in heads] for variant, heads in best.items()]
    named = [
        [
            *_our_cells(ours, row.variant, row.layer, row.head),
            published_cell(theirs, _form, layer=row.layer, head=row.head),
        ]
        for row in theirs.itertuples()
    ]
    header = [("", ["head"]), ("replicated", _COLUMNS), ("published", [model_name(theirs["model"].iloc[0])])]
    sentences = kovaleva_frame_selection.set_index("outcome")["sentences"]
    left_out = "; ".join(f"{number:,} {reason}" for reason, number in sentences.drop("chosen").items())
    notes = (
        "Greatest attention in a sentence over its linked tokens, averaged over sentences; 95% intervals are over "
        "sentences. to predicate: from the frame element, as the paper scores; to element: the other way; "
        "other pairs: as to predicate, but between other tokens of the sentence that are as far apart. gain: to "
        "predicate minus other pairs, in sentences that have such. The last heads are those that the paper names in "
        "bert-base.",
        f"Of {sentences.sum():,} sentences, {sentences['chosen']:,} pass the filters of section 4.2"
        + (f" (left out: {left_out})." if left_out else "."),
        *(_note_on(variant, kovaleva_frames, kovaleva_frame_offsets) for variant in VARIANTS),
        *note_on_recalled(published),
    )
    return PrintedTable(header, [*groups, named], notes)


def _our_cells(ours: pd.DataFrame, variant: str, layer: int, head: int) -> list[str]:
    """Return the label and the attention of a head by one variant; dashes if the encoder has no such head."""
    label = f"{head_name(layer, head)}, as {variant}"
    if (variant, FRAME_LINKS[0], layer, head) not in ours.index:
        return [label, *[NO_VALUE] * len(_COLUMNS)]
    to_predicate, to_element, others = (ours.loc[(variant, link, layer, head)] for link in FRAME_LINKS)
    return [
        label,
        share_with_interval(_form, *to_predicate[["attention", "low", "high"]]),
        _form(to_element["attention"]),
        _form(others["attention"]),
        with_interval(_form, *to_predicate[["gain", "gain_low", "gain_high"]]),
    ]


def _note_on(variant: str, kovaleva_frames: pd.DataFrame, offsets: pd.DataFrame) -> str:
    """Return a note on the reference values of a variant: the 99th percentile of heads, and the best fixed offset."""
    rows = kovaleva_frames[(kovaleva_frames["variant"] == variant) & (kovaleva_frames["link"] == FRAME_LINKS[0])]
    of_variant = offsets[offsets["variant"] == variant]
    best = of_variant.loc[of_variant["share"].idxmax()]
    offset = f"{best['offset']:+d}".replace("-", "\N{MINUS SIGN}")
    return (
        f"As {variant}: {rows['n'].iloc[0]:,} sentences. 99th percentile of all heads, to predicate: "
        f"{_form(np.percentile(rows['attention'], 99))}. A head that attends to offset {offset} alone would "
        f"have {_form(best['share'])}."
    )
