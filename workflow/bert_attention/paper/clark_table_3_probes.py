"""Table 3 of Clark et al. 2019: probes that predict the syntactic heads of words."""

from __future__ import annotations

import pandas as pd

from bert_attention.paper.layout import NO_VALUE, PrintedTable, percent, percent_with_interval, with_interval

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
            f"{100 * theirs[probe]:.0f}" if probe in theirs.index else NO_VALUE,
        ]
        for probe, name in _PROBES.items()
    ]
    columns = ("UAS", "control task", "selectivity", "UAS as released")
    header = [("", "model"), *(("replicated", column) for column in columns), ("published", "UAS")]
    notes = (
        "Per cent, without punctuation, root included, with 95% intervals over texts.",
        f"Words: {int(clark_probes['n'].max()):,}. control task: the same probe, trained to predict heads that were "
        "drawn at random for each word; selectivity: the difference.",
        "as released: with the word vectors of candidates misplaced by one, as in the authors' code.",
    )
    return PrintedTable(header, [rows], notes)


def _scores(table: pd.DataFrame, place: tuple[str, str]) -> list[str]:
    """Return UAS, UAS of the control task, and selectivity, the first and last with intervals; dashes if not run."""
    if place not in table.index:
        return [NO_VALUE] * 3
    row = table.loc[place]
    uas = percent_with_interval(row["uas"], row["low"], row["high"])
    if pd.isna(row["control_uas"]):
        return [uas, NO_VALUE, NO_VALUE]
    selectivity = with_interval(percent, row["selectivity"], row["selectivity_low"], row["selectivity_high"])
    return [uas, percent(row["control_uas"]), selectivity]
