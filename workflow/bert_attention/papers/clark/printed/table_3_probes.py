"""Table 3 of Clark et al. 2019: probes that predict the syntactic heads of words."""

from __future__ import annotations

from math import nan

import pandas as pd

from bert_attention.printing.layout import PrintedTable, percent_with_interval, with_interval
from bert_attention.statistics.forms import NO_VALUE, decimal, percent

_PROBES = {
    "structural_probe": "structural probe (quoted, undirected)",
    "right_branching": "right-branching",
    "distances_glove": "distances + word vectors",
    "random_init_glove": "random-init. attention + word vectors",
    "attention": "attention",
    "attention_glove": "attention + word vectors",
}


def format_table(clark_probes: pd.DataFrame, published: pd.DataFrame) -> PrintedTable:
    """Format the unlabeled attachment scores of the probes, beside rows ``table_3`` of the paper's claims."""
    ours = clark_probes.set_index(["variant", "probe"])
    theirs = published.set_index("probe")["uas"]
    rows = [
        [
            name,
            *_scores(ours, ("described", probe)),
            *_scores(ours, ("released", probe))[:1],
            decimal(0)(100 * theirs.get(probe, nan)),
        ]
        for probe, name in _PROBES.items()
    ]
    columns = ("UAS", "control task", "selectivity", "UAS as released")
    notes = (
        "Percent, without punctuation, root included, with 95% intervals over texts.",
        f"Words: {int(clark_probes['n'].max()):,}, of which {percent(clark_probes['known_words'].max())}% have a word "
        "vector. control task: the same probe, trained to predict heads that were "
        "drawn at random for each word; selectivity: the difference.",
        *_note_on_sample(ours),
        "as released: with the word vectors of candidates misplaced by one, as in the authors' code.",
    )
    return PrintedTable([("", ["model"]), ("replicated", columns), ("published", ["UAS"])], [rows], notes)


def _note_on_sample(table: pd.DataFrame) -> list[str]:
    """Return a note on the words that the encoder with random weights read, if it read a sample."""
    words = table["n"]
    sampled = words.get(("described", "random_init_glove"), words.max())
    return [f"random-init.: {int(sampled):,} of these words, a sample."] if sampled < words.max() else []


def _scores(table: pd.DataFrame, variant_and_probe: tuple[str, str]) -> list[str]:
    """Return UAS, UAS of the control task, and selectivity, the first and last with intervals; dashes if not run."""
    if variant_and_probe not in table.index:
        return [NO_VALUE] * 3
    row = table.loc[variant_and_probe]
    selectivity = with_interval(percent, *row[["selectivity", "selectivity_low", "selectivity_high"]])
    return [percent_with_interval(*row[["uas", "low", "high"]]), percent(row["control_uas"]), selectivity]
