"""Table 1 of Clark et al. 2019: heads that find dependency relations."""

from __future__ import annotations

import pandas as pd

from bert_attention.corpora.relations import AUX_WITH_TO, CLARK_TABLE_1, MARK_WITHOUT_TO, clark_counterparts
from bert_attention.heads import head_name
from bert_attention.papers.clark.columns import ALL_RELATIONS, ALL_WITHOUT_PUNCTUATION, DEPENDENCY_DIRECTIONS
from bert_attention.printing.layout import Bold, PrintedTable, percent_with_interval, with_interval
from bert_attention.statistics.forms import NO_VALUE, percent

# The paper prints "particularly effective" heads in bold and gives no rule. Its bold rows are exactly the rows whose
# head makes less than 60% of the baseline's errors.
_BOLD_BELOW = 0.6

_OURS = ("head", "accuracy", "held out", "baseline", "gain apart", "n")
_THEIRS = ("head", "accuracy", "baseline")
_NOTE_ON_TO = (
    f"{AUX_WITH_TO}, {MARK_WITHOUT_TO}: the to of an infinitive counts as aux, as in the paper's trees; "
    "in Universal Dependencies it is mark, so that aux and mark themselves have no published counterpart."
)
_NOTE_ON_CASE = "case: the possessive 's, as in every scheme with pobj."
_NAMES = {ALL_RELATIONS: "all", ALL_WITHOUT_PUNCTUATION: "all but punctuation"}


def format_table(clark_dependency_heads: pd.DataFrame, published: pd.DataFrame, notebook: pd.DataFrame) -> PrintedTable:
    """Format the best head of each relation and the best fixed offset, beside the published ones.

    The paper's relations come first, in the paper's order. Other relations follow, by frequency. Published ``mark`` and
    ``aux`` stand beside the rows that count the "to" of an infinitive as the paper does. Of our table, only the variant
    that the paper describes is printed.
    """
    described = clark_dependency_heads[clark_dependency_heads["variant"] == "described"]
    ours = described[described["selection"] == "same_data"].set_index("relation")
    held_out = described[described["selection"] == "held_out"].set_index("relation")
    theirs = {row["relation"]: row for row in published.to_dict("records")}
    counterparts = clark_counterparts(ours.index)

    def row(relation: str | None, name: str, published_row: dict | None) -> list[str]:
        replicated = _our_cells(ours.loc[relation], held_out.loc[relation]) if relation else [NO_VALUE] * len(_OURS)
        label = _NAMES.get(name) or (name if relation in (name, None) else f"{name} ({relation})")
        return [label, *replicated, *(_their_cells(published_row) if published_row else [NO_VALUE] * len(_THEIRS))]

    in_paper = [name for name in CLARK_TABLE_1 if name in counterparts or name in theirs]
    others = [relation for relation in ours.index if relation not in (*_NAMES, *counterparts.values())]
    groups = [
        [row(name, name, theirs.get(name)) for name in _NAMES],
        [row(counterparts.get(name), name, theirs.get(name)) for name in in_paper],
        [row(relation, relation, None) for relation in others],
    ]
    both = published.merge(notebook, on="relation", suffixes=("_published", ""))
    notes = [
        "Percent, with 95% intervals over texts. held out: chosen on one half, scored on the other.",
        "baseline: the word at the offset in brackets. *: the word that attends to the dependent most is its head.",
        "gain apart: for words not beside their heads, the best head minus the best offset, in points; held out.",
        "Replicated in bold: the head leaves less than 60% of the baseline's errors, as in the paper's rows in bold.",
        *([_NOTE_ON_CASE] if {"case", "pobj"} <= set(ours.index) else []),
        *([_NOTE_ON_TO] if {AUX_WITH_TO, MARK_WITHOUT_TO} & set(ours.index) else []),
        *(
            f"{row['relation']}: the authors' notebook has {percent(row['accuracy'])}, baseline {_baseline(row)}."
            for row in both[both["accuracy"] != both["accuracy_published"]].to_dict("records")
        ),
    ]
    header = [("", ["relation"]), ("replicated", _OURS), ("published", _THEIRS)]
    return PrintedTable(header, [group for group in groups if group], notes)


def _our_cells(row: pd.Series, held_out: pd.Series) -> list[str]:
    accuracy = percent_with_interval(*row[["accuracy", "low", "high"]])
    effective = 1 - row["accuracy"] < _BOLD_BELOW * (1 - row["baseline_accuracy"])
    mark = "" if row["direction"] == DEPENDENCY_DIRECTIONS[0] else "*"
    return [
        f"{head_name(row['layer'], row['head'])}{mark}",
        Bold(accuracy) if effective else accuracy,
        percent(held_out["accuracy"]),
        _baseline(row),
        with_interval(percent, *held_out[["apart_gain", "apart_gain_low", "apart_gain_high"]]),
        f"{row['n']:,}",
    ]


def _their_cells(row: dict) -> list[str]:
    accuracy = percent(row["accuracy"])
    return [head_name(row["layer"], row["head"]), Bold(accuracy) if row["bold"] else accuracy, _baseline(row)]


def _baseline(row: pd.Series | dict) -> str:
    return f"{percent(row['baseline_accuracy'])} ({row['baseline_offset']:+d})".replace("-", "\N{MINUS SIGN}")
