"""Section 3.1 of Coenen et al. 2019: what attention tells of the relation of two words."""

from __future__ import annotations

import pandas as pd

from bert_attention.coenen.column_values import DIRECTIONS
from bert_attention.paper.layout import PrintedTable, percent, percent_with_interval
from bert_attention.paper.published_cells import note_on_recalled, published_cell

# Probe and negatives in the table, and how they are printed.
_PROBES = {
    ("binary", "random"): "related or not",
    ("binary", "same_distance"): "related or not, at the same distance",
    ("relation", ""): "which relation",
}
_DIRECTIONS = dict(zip(DIRECTIONS, ("dependent attends to head", "head attends to dependent", "either"), strict=True))
_CONTROLS = {"distance_only": "distance only", "random_model": "random weights"}


def lay_out(coenen_probes: pd.DataFrame, published: pd.DataFrame) -> PrintedTable:
    """Accuracy of the probes and of their controls, beside what was published."""
    ours = coenen_probes.fillna({"negatives": ""}).set_index(["probe", "negatives", "direction", "features"])
    theirs = published.fillna({"negatives": ""})

    def row(probe: tuple[str, str], direction: str) -> list[str]:
        attention = ours.loc[(*probe, direction, "attention")]
        where = dict(zip(("probe", "negatives", "direction"), (*probe, direction), strict=True))
        return [
            f"{_PROBES[probe]}: {_DIRECTIONS[direction]}",
            percent_with_interval(attention["accuracy"], attention["low"], attention["high"]),
            *(percent(ours.loc[(*probe, direction, control), "accuracy"]) for control in _CONTROLS),
            percent(attention["majority"]),
            published_cell(theirs, percent, **where, column="accuracy"),
        ]

    header = [("", "probe: pair"), ("replicated", "attention"), *(("replicated", name) for name in _CONTROLS.values())]
    header += [("replicated", "most frequent answer"), ("published", "attention")]
    groups = [[row(probe, direction) for direction in DIRECTIONS] for probe in _PROBES]
    counts = ours.xs((DIRECTIONS[0], "attention"), level=("direction", "features"))
    notes = (
        "Per cent, with 95 % intervals over sentences.",
        *(_note_on_size(name, counts.loc[probe]) for probe, name in _PROBES.items()),
        "either: the dependent or the head attends, by the toss of a coin for each pair. "
        "The paper does not say which of the two words attends, nor how unrelated pairs are drawn.",
    )
    return PrintedTable(header, groups, (*notes, *note_on_recalled(published)))


def _note_on_size(name: str, counts: pd.Series) -> str:
    """How many pairs and classes a probe has."""
    return (
        f"{name}: {int(counts['n_train']):,} pairs to train, {int(counts['n_test']):,} to test, "
        f"{int(counts['classes'])} classes."
    )
