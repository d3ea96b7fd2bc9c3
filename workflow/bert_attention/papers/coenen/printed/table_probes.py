"""Section 3.1 of Coenen et al. 2019: probes that predict the relation of two words from attention."""

from __future__ import annotations

import pandas as pd

from bert_attention.papers.coenen.columns import DIRECTIONS, FEWEST_SHARE
from bert_attention.printing.layout import PrintedTable, percent_with_interval, with_interval
from bert_attention.printing.published_cells import note_on_recalled, published_cell
from bert_attention.statistics.forms import percent

# Probe and negatives in the table, with their printed names.
_PROBES = {
    ("binary", "random"): "related",
    ("binary", "same_distance"): "related, same distance",
    ("relation", ""): "which relation",
}
_DIRECTIONS = dict(zip(DIRECTIONS, ("dependent to head", "head to dependent", "either"), strict=True))
_ACCURACY = ["accuracy", "low", "high"]
_OPTIMIZERS = {"sgd": "by SGD", "lbfgs": "by L-BFGS"}
_CONTROLS = {
    ("distance_only", "lbfgs"): "distance",
    ("random_model", "lbfgs"): "random weights",
    ("dependent_form", ""): "word form",
}


def format_table(coenen_probes: pd.DataFrame, published: pd.DataFrame) -> PrintedTable:
    """Format the accuracy of the probes and of their controls, beside the published accuracy."""
    system = ["probe", "negatives", "direction", "features", "optimizer"]
    ours = coenen_probes.fillna({"negatives": "", "optimizer": ""}).set_index(system).sort_index()
    theirs = published.fillna({"negatives": ""})

    def row(probe: tuple[str, str], direction: str) -> list[str]:
        here = ours.loc[(*probe, direction)]
        where = dict(zip(("probe", "negatives", "direction"), (*probe, direction), strict=True))
        return [
            f"{_PROBES[probe]}: {_DIRECTIONS[direction]}",
            *(percent_with_interval(*here.loc[("attention", name), _ACCURACY]) for name in _OPTIMIZERS),
            *(percent(here["accuracy"].get(control)) for control in _CONTROLS),
            percent(here["majority"].iloc[0]),
            published_cell(theirs, percent, **where, column="accuracy"),
        ]

    header = [
        ("", ["probe: attention of"]),
        ("attention", [*_OPTIMIZERS.values()]),
        ("control", [*_CONTROLS.values(), "majority"]),
        ("published", ["by SGD"]),
    ]
    groups = [[row(probe, direction) for direction in DIRECTIONS] for probe in _PROBES]
    counts = ours.xs((DIRECTIONS[0], "attention", "lbfgs"), level=("direction", "features", "optimizer"))
    left_out = counts["relations_left_out"].max()
    gain = counts.loc[("relation", ""), ["gain_over_form", "gain_over_form_low", "gain_over_form_high"]]
    notes = (
        "Percent, with 95% intervals over texts. The paper trains by SGD; L-BFGS comes nearer the minimum.",
        "related: whether two words are related. same distance: unrelated pairs have the distances of related pairs. "
        "majority: the most frequent answer.",
        *(
            f"{name}: {int(counts.loc[probe, 'n_train']):,} pairs to train, {int(counts.loc[probe, 'n_test']):,} to "
            f"test, {int(counts.loc[probe, 'classes'])} classes."
            for probe, name in _PROBES.items()
        ),
        *_note_on_sample(ours),
        f"which relation: {left_out or 'no'} relations with under {FEWEST_SHARE:.2%} of the pairs to train are left "
        "out; this share leaves the paper 30.",
        "word form: the relation that the dependent's word form most often has in training, without attention. "
        "Attention of the dependent to its head, by L-BFGS, minus word form, in points: "
        f"{with_interval(percent, *gain)}.",
        "either: the dependent or the head attends, drawn at random for each pair. "
        "The paper does not say which of the two words attends, nor how unrelated pairs are drawn.",
        *note_on_recalled(published),
    )
    return PrintedTable(header, groups, notes)


def _note_on_sample(table: pd.DataFrame) -> list[str]:
    """Return a note on the pairs that random weights are tested on, if these are those of a sample of sentences."""
    tested = table["n_test"].xs((DIRECTIONS[0], "lbfgs"), level=("direction", "optimizer")).unstack("features")
    sampled = tested["random_model"]
    if (sampled == tested["attention"]).all():
        return []
    counts = ", ".join(f"{int(sampled[probe]):,}" for probe in _PROBES)
    return [f"random weights: {counts} of the pairs to test, those in a sample of the sentences."]
