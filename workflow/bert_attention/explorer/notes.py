"""Findings on each head, read from the result tables: numbers with intervals, counts and controls.

``papers/<paper>/notes.py`` says which rows of the paper's tables they are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

import pandas as pd

from bert_attention.plan import control_of
from bert_attention.tables import bounds_of, select

Head = tuple[int, int]  # layer and head, from 1

# The smallest share of attention, and the smallest accuracy, that the brief text on a head mentions.
_LARGE_SHARE, _LEAST_ACCURACY = 0.3, 0.1


@dataclass(frozen=True)
class Fact:
    """A number of one head, with its 95% interval, its count of items and its control.

    The control is the mean over random encoders. Unknown numbers are None. ``remark`` is shown with the number, and may
    be empty.
    """

    value: float
    low: float | None = None
    high: float | None = None
    n: int | None = None
    control: float | None = None
    remark: str = ""


@dataclass(frozen=True)
class Finding:
    """A measurement of some or all heads: one relation, one kind of token, ..."""

    group: str  # the kind of measurement, such as "Attention to"
    label: str  # its object, such as "[CLS]"
    corpus: str  # a description of the corpus that was measured
    unit: str  # the format of values: share (a fraction, in percent), nats, number, or change (with a sign)
    facts: Mapping[Head, Fact]


@dataclass(frozen=True)
class Reading:
    """The rows of a table, and the column of its numbers, that become findings. ``label`` returns None to skip a row.

    ``best_head_alone`` is True if the rows have only the best head, which can be another head in a random encoder.
    ``evidence`` is a table with sentences to show beside the numbers.
    """

    group: str
    corpus: str
    table: str
    column: str
    where: Mapping[str, object]
    label: Callable[[tuple], str | None]
    unit: str = "share"
    remark: Callable[[tuple], str] = lambda _: ""
    best_head_alone: bool = False
    evidence: str | None = None


# Groups of findings that the brief text on a head mentions.
BEST, ATTENTION = "Best head for", "Attention to"
# Findings in the group BEST that summarize all relations, with their labels.
SUMMARIES = {"all": "all relations", "all_without_punctuation": "all relations without punctuation"}
# Kinds of tokens, with their labels.
CATEGORIES = {"cls": "[CLS]", "sep": "[SEP]", "punctuation": "periods and commas", "other": "other tokens"}
# The corpora of findings, in the page's order.
CORPORA = ("treebank", "coreference", "wikipedia", "frames", "tasks")


def findings(
    readings: Iterable[Reading], tables: Mapping[str, pd.DataFrame], corpora: Mapping[str, str]
) -> list[Finding]:
    """Return the findings on heads in some tables, which come by name with their controls (``control/<name>``).

    ``corpora`` has a description of each of :data:`CORPORA`, by name.
    """
    found = []
    for reading in sorted(readings, key=lambda reading: CORPORA.index(reading.corpus)):
        table, column = reading.table, reading.column
        if table not in tables:
            continue
        keys = ["label"] if reading.best_head_alone else ["label", "layer", "head"]
        rows = _labeled(tables[table], reading)
        rows = rows[rows[column].notna()].assign(control=None)
        if (control := control_of(table)) in tables:
            by_seed = _labeled(tables[control], reading).groupby(keys)[column]
            means = by_seed.agg(lambda numbers: numbers.mean(skipna=False)).rename("control")
            rows = rows.drop(columns="control").join(means, on=keys)
        for label, label_rows in rows.groupby("label", sort=False):
            facts = {(int(row.layer), int(row.head)): _fact(row, reading) for row in label_rows.itertuples()}
            found.append(Finding(reading.group, label, corpora[reading.corpus], reading.unit, facts))
    return found


def _labeled(table: pd.DataFrame, reading: Reading) -> pd.DataFrame:
    """Return the rows of single heads that a reading selects, with their labels."""
    rows = select(table[table["head"].notna()], reading.where)
    rows = rows.assign(label=[reading.label(row) for row in rows.itertuples()])
    return rows[rows["label"].notna()]


def _fact(row: tuple, reading: Reading) -> Fact:
    column = reading.column
    numbers = (getattr(row, name) for name in (column, *bounds_of(reading.table, column), "n", "control"))
    value, low, high, n, control = (None if pd.isna(number) else float(number) for number in numbers)
    return Fact(value, low, high, int(n), control, reading.remark(row))


def evidence(table: pd.DataFrame) -> dict[str, list[dict]]:
    """Return the sentences of a table of evidence by relation, ready for JSON: words, weights and roles."""
    found: dict[str, list[dict]] = {}
    for (relation, right, _), rows in table.groupby(["relation", "right", "sentence"], sort=False):
        sentence = {
            "right": bool(right),
            "words": rows["word"].astype(str).tolist(),
            "weights": [round(float(weight), 3) for weight in rows["weight"]],
            "roles": rows["role"].fillna("").tolist(),
        }
        found.setdefault(relation.replace("_", " "), []).append(sentence)
    return found


def in_percent(share: float) -> str:
    """Return a share in percent, with a decimal below 10%."""
    return f"{100 * share:.0f}%" if share >= 0.0995 else f"{100 * share:.1f}%"


def briefs(found: list[Finding]) -> dict[Head, str]:
    """Return a text for each head: the relations for which it is best, or else the main target of its attention."""
    best: dict[Head, str] = {}
    for finding in _of_relations(found):
        for head in [head for head, fact in finding.facts.items() if fact.value >= _LEAST_ACCURACY]:
            best[head] = f"{best[head]}, {finding.label}" if head in best else finding.label
    largest: dict[Head, tuple[float, str]] = {}
    for finding in found:
        for head, fact in finding.facts.items() if finding.group == ATTENTION else ():
            target = fact.value, f"{finding.label} {in_percent(fact.value)}"
            if fact.value >= _LARGE_SHARE and target > largest.get(head, (0.0, "")):
                largest[head] = target
    return {head: text for head, (_, text) in largest.items()} | best


def head_best_for_most(found: list[Finding]) -> Head:
    """Return the head that is best for most relations, or the first head if none is. Total accuracy decides ties."""
    accuracies: dict[Head, list[float]] = {(1, 1): []}
    for finding in _of_relations(found):
        for head, fact in finding.facts.items():
            accuracies.setdefault(head, []).append(fact.value)
    return max(sorted(accuracies), key=lambda head: (len(accuracies[head]), sum(accuracies[head])))


def _of_relations(found: list[Finding]) -> list[Finding]:
    """Return the findings on best heads, without summaries of all relations."""
    return [finding for finding in found if finding.group == BEST and finding.label not in SUMMARIES.values()]
