"""Table 1 of Clark et al. 2019: heads that find dependency relations."""

from __future__ import annotations

import pandas as pd

from bert_attention.clark.column_values import ALL_RELATIONS, ALL_WITHOUT_PUNCTUATION, DEPENDENCY_DIRECTIONS
from bert_attention.corpora.relations import CLARK_TABLE_1, clark_name
from bert_attention.paper.layout import NO_VALUE, Cell, PrintedTable, percent, percent_with_interval

# The paper prints "particularly effective" heads in bold and gives no rule. Its bold rows are exactly those in which
# the head makes less than 60 % of the baseline's errors.
_BOLD_BELOW = 0.6

_OURS = ("head", "accuracy", "held out", "baseline", "n")
_THEIRS = ("head", "accuracy", "baseline")
_NAMES = {ALL_RELATIONS: "all", ALL_WITHOUT_PUNCTUATION: "all but punctuation"}


def lay_out(
    clark_dependency_heads: pd.DataFrame, published: pd.DataFrame | None, notebook: pd.DataFrame | None
) -> PrintedTable:
    """The best head of each relation and the best fixed offset, beside what was published.

    The paper's relations come first, in its order. Relations that it does not have follow, by frequency.

    Parameters
    ----------
    clark_dependency_heads
        The table; only the variant described in the paper is printed.
    published, notebook
        Rows ``table_1`` and ``table_1_notebook`` of the paper's claims; None leaves out the published columns.
    """
    described = clark_dependency_heads[clark_dependency_heads["variant"] == "described"]
    ours = described[described["selection"] == "same_data"].set_index("relation")
    held_out = described[described["selection"] == "held_out"].set_index("relation")["accuracy"]
    theirs = {} if published is None else {row["relation"]: row for row in published.to_dict("records")}
    by_clark_name = {clark_name(relation): relation for relation in ours.index}

    def row(relation: str | None, name: str) -> tuple[Cell, ...]:
        replicated = _our_cells(ours.loc[relation], held_out[relation]) if relation else [NO_VALUE] * len(_OURS)
        label = Cell(_NAMES.get(name) or (name if relation in (name, None) else f"{name} ({relation})"))
        if published is None:
            return (label, *replicated)
        return (label, *replicated, *(_their_cells(theirs[name]) if name in theirs else [NO_VALUE] * len(_THEIRS)))

    counterparts = [name for name in CLARK_TABLE_1 if name in by_clark_name or name in theirs]
    others = [relation for relation in ours.index if relation not in _NAMES and not clark_name(relation)]
    groups = [
        [row(name, name) for name in _NAMES],
        [row(by_clark_name.get(name), name) for name in counterparts],
        [row(relation, relation) for relation in others],
    ]
    header = [("", "relation"), *(("replicated", column) for column in _OURS)]
    header += [] if published is None else [("published", column) for column in _THEIRS]
    notes = [
        "Per cent; intervals cover 95 % of resampled sentences. held out: chosen on one half, scored on the other.",
        "baseline: the word at the offset in brackets. *: the word that attends to the dependent most is its head.",
        "Replicated in bold: the head leaves less than 60 % of the baseline's errors, as in the paper's rows in bold.",
        *_differences(published, notebook),
    ]
    return PrintedTable(tuple(header), tuple(tuple(group) for group in groups if group), tuple(notes))


def _our_cells(row: pd.Series, held_out: float) -> list[Cell]:
    effective = 1 - row["accuracy"] < _BOLD_BELOW * (1 - row["baseline_accuracy"])
    mark = "" if row["direction"] == DEPENDENCY_DIRECTIONS[0] else "*"
    return [
        Cell(f"{row['layer']}-{row['head']}{mark}"),
        Cell(percent_with_interval(row["accuracy"], row["low"], row["high"]), bool(effective)),
        Cell(percent(held_out)),
        Cell(_baseline(row)),
        Cell(f"{row['n']:,}"),
    ]


def _their_cells(row: dict) -> list[Cell]:
    return [Cell(row["head"]), Cell(percent(row["accuracy"]), row["bold"]), Cell(_baseline(row))]


def _differences(published: pd.DataFrame | None, notebook: pd.DataFrame | None) -> list[str]:
    """A note on each row for which the authors' notebook and the paper disagree."""
    if published is None or notebook is None:
        return []
    both = published.merge(notebook, on="relation", suffixes=("_published", ""))
    differ = both[both["accuracy"] != both["accuracy_published"]]
    return [
        f"{row['relation']}: the authors' notebook has {percent(row['accuracy'])}, baseline {_baseline(row)}."
        for row in differ.to_dict("records")
    ]


def _baseline(row: pd.Series | dict) -> str:
    return f"{percent(row['baseline_accuracy'])} ({row['baseline_offset']:+d})".replace("-", "\N{MINUS SIGN}")
