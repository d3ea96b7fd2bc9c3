"""Findings on each head, read from the result tables: numbers with intervals, counts and controls."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import pandas as pd

from bert_attention.corpora.task_names import TASK_LABELS
from bert_attention.plan import control_of
from bert_attention.tables import bounds_of, select

Head = tuple[int, int]  # layer and head, from 1

# The smallest share of attention that the brief text on a head mentions.
_LARGE_SHARE = 0.3


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
    """A measurement of some or all heads: one relation, one kind of token, ...

    Attributes
    ----------
    group, label
        The kind of measurement and its object, such as ``Attention to`` and ``[CLS]``.
    corpus
        A description of the corpus that was measured.
    unit
        The format of values: ``share`` (a fraction, in percent), ``nats``, ``number``, or ``change`` (with a sign).
    facts
        Facts by head.
    """

    group: str
    label: str
    corpus: str
    unit: str
    facts: Mapping[Head, Fact]


@dataclass(frozen=True)
class _Reading:
    """The rows of a table, and the column of its numbers, that become findings. ``label`` returns None to skip a row.

    ``best_head_alone`` is True if the rows have only the best head, which can be another head in a random encoder.
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


_BEST = "Best head for"
_ATTENTION = "Attention to"
# Rows of clark_dependency_heads that summarize all relations.
_SUMMARIES = {"all": "all relations", "all_without_punctuation": "all relations without punctuation"}
_CATEGORIES = {"cls": "[CLS]", "sep": "[SEP]", "punctuation": "periods and commas", "other": "other tokens"}
_TARGETS = {"previous": "previous token", "next": "next token", "self": "the token itself"} | _CATEGORIES
_PATTERNS = {
    "next": "next token",
    "previous": "previous token",
    "identical": "the same word",
    "identical_other_sentence": "the same word in the other sentence",
    "predictive": "words that predict the word",
    "delimiter": "[CLS] and [SEP]",
}
# Values of the rows of clark_coreference.
_ANTECEDENTS = {"system": "best_head", "candidates": "mentions", "selection": "same_data", "mention_type": "all"}


# In the page's order.
_READINGS = (
    _Reading(
        _BEST,
        "treebank",
        "clark_dependency_heads",
        "accuracy",
        {"selection": "same_data", "variant": "described"},
        lambda row: _SUMMARIES.get(row.relation, row.relation.replace("_", " ")),
        remark=lambda row: f"{row.direction.replace('_', ' ')}; a fixed offset: {_in_percent(row.baseline_accuracy)}",
        best_head_alone=True,
    ),
    _Reading(
        _BEST,
        "coreference",
        "clark_coreference",
        "accuracy",
        _ANTECEDENTS,
        lambda row: f"coreference, {row.direction.replace('_', ' ')}",
        best_head_alone=True,
    ),
    _Reading(_ATTENTION, "wikipedia", "clark_positions", "attention", {}, lambda row: _TARGETS.get(row.target)),
    _Reading(
        "Breadth of attention",
        "wikipedia",
        "clark_entropy",
        "entropy",
        {"source": "all"},
        lambda _: "entropy",
        unit="nats",
        remark=lambda row: f"uniform attention: {row.uniform:.2f}",
    ),
    *(
        _Reading(
            f"Share of {name}, by kind of token",
            "wikipedia",
            "kobayashi_categories",
            "value",
            {"measure": measure},
            lambda row: _CATEGORIES.get(row.category),
        )
        for name, measure in (("weight", "weight"), ("norm", "share_of_norm"))
    ),
    _Reading(
        "Vig's six patterns",
        "wikipedia",
        "vig_patterns",
        "attention",
        {},
        lambda row: _PATTERNS.get(row.pattern),
        remark=lambda row: f"by chance or distance alone: {_in_percent(row.baseline)}",
    ),
    _Reading(
        "Attention in frames",
        "frames",
        "kovaleva_frames",
        "attention",
        {"variant": "described", "link": "annotated"},
        lambda _: "between a predicate and its elements",
        unit="number",
        remark=lambda row: "" if pd.isna(row.gain) else f"{row.gain:+.3f} compared with pairs at the same distance",
    ),
    _Reading(
        "Change of fine-tuned models without the head",
        "tasks",
        "kovaleva_disabled_heads",
        "difference",
        {},
        lambda row: f"{TASK_LABELS.get(row.task, row.task)} ({row.metric})",
        unit="change",
    ),
)

TABLES = tuple(dict.fromkeys(reading.table for reading in _READINGS))
CORPORA = tuple(dict.fromkeys(reading.corpus for reading in _READINGS))


def findings(tables: Mapping[str, pd.DataFrame], corpora: Mapping[str, str]) -> list[Finding]:
    """Return the findings on heads in some tables.

    Parameters
    ----------
    tables
        Some of :data:`TABLES`, by name, and their controls (``control/<name>``).
    corpora
        A description of each of :data:`CORPORA`, by name.
    """
    found = []
    for reading in _READINGS:
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


def _labeled(table: pd.DataFrame, reading: _Reading) -> pd.DataFrame:
    """Return the rows of single heads that a reading selects, with their labels."""
    rows = select(table[table["head"].notna()], reading.where)
    rows = rows.assign(label=[reading.label(row) for row in rows.itertuples()])
    return rows[rows["label"].notna()]


def _fact(row: tuple, reading: _Reading) -> Fact:
    column = reading.column
    numbers = (getattr(row, name) for name in (column, *bounds_of(reading.table, column), "n", "control"))
    value, low, high, n, control = (None if pd.isna(number) else float(number) for number in numbers)
    return Fact(value, low, high, int(n), control, reading.remark(row))


def evidence(table: pd.DataFrame) -> dict[str, list[dict]]:
    """Return the sentences of table ``clark_evidence`` by relation, ready for JSON: words, weights and roles."""
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


def _in_percent(share: float) -> str:
    return f"{100 * share:.0f}%" if share >= 0.0995 else f"{100 * share:.1f}%"


def briefs(found: list[Finding]) -> dict[Head, str]:
    """Return a text for each head: the relations for which it is best, or else the main target of its attention."""
    best: dict[Head, str] = {}
    for finding in _of_relations(found):
        for head in finding.facts:
            best[head] = f"{best[head]}, {finding.label}" if head in best else finding.label
    largest: dict[Head, tuple[float, str]] = {}
    for finding in found:
        for head, fact in finding.facts.items() if finding.group == _ATTENTION else ():
            target = fact.value, f"{finding.label} {_in_percent(fact.value)}"
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
    return [finding for finding in found if finding.group == _BEST and finding.label not in _SUMMARIES.values()]
