"""What the analyses found of each head, read from their result tables: numbers with intervals, counts and controls."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from bert_attention.kovaleva.column_values import TASK_LABELS
from bert_attention.results import control_of
from bert_attention.tables import bounds_of

Head = tuple[int, int]  # layer and head, from 1

# A share of attention that is worth naming when there is room for one thing.
_LARGE_SHARE = 0.3


@dataclass(frozen=True)
class Fact:
    """A number of one head: its 95 % interval, of how many items, and the same with random weights, the mean of seeds.

    Of these, what is not known is None. ``remark`` is what is to be read with it, and may be empty.
    """

    value: float
    low: float | None = None
    high: float | None = None
    n: int | None = None
    control: float | None = None
    remark: str = ""


@dataclass(frozen=True)
class Finding:
    """What was measured of some or all heads: one relation, one kind of token, ...

    Attributes
    ----------
    group, label
        What is measured, and of what: ``Its attention goes to``, ``[CLS]``.
    corpus
        On what text, in words.
    unit
        How values are written: ``share`` (a fraction, in per cent), ``nats``, ``number``, or ``change`` (with a sign).
    facts
        By head.
    """

    group: str
    label: str
    corpus: str
    unit: str
    facts: Mapping[Head, Fact]


@dataclass(frozen=True)
class _Reading:
    """How findings are read from a table: the rows that have these values, labelled one by one."""

    table: str
    group: str
    corpus: str
    value: str
    label: Callable
    rows: Mapping[str, object] = field(default_factory=dict)
    unit: str = "share"
    remark: Callable = lambda _: ""
    best_head_alone: bool = False


_BEST = "The best of all heads for"
_ATTENTION = "Its attention goes to"
# Rows of clark_dependency_heads that are over all relations.
_SUMMARIES = {"all": "all relations", "all_without_punctuation": "all relations without punctuation"}
_TARGETS = {
    "previous": "previous token",
    "next": "next token",
    "self": "the token itself",
    "cls": "[CLS]",
    "sep": "[SEP]",
    "punctuation": "periods and commas",
}
_CATEGORIES = {"cls": "[CLS]", "sep": "[SEP]", "punctuation": "periods and commas", "other": "other tokens"}
_PATTERNS = {
    "next": "next token",
    "previous": "previous token",
    "identical": "the same word",
    "identical_other_sentence": "the same word in the other sentence",
    "predictive": "words that predict the word",
    "delimiter": "[CLS] and [SEP]",
}


def _relation(row: object) -> str:
    return _SUMMARIES.get(row.relation, row.relation.replace("_", " "))


def _offset(row: object) -> str:
    return f"{row.direction.replace('_', ' ')}; a fixed offset: {_per_cent(row.baseline_accuracy)}"


def _gain(row: object) -> str:
    return "" if pd.isna(row.gain) else f"{row.gain:+.3f} against pairs as far apart"


# In the order in which the page shows what is read.
_READINGS = (
    _Reading(
        "clark_dependency_heads",
        _BEST,
        "treebank",
        "accuracy",
        _relation,
        {"selection": "same_data", "variant": "described"},
        remark=_offset,
        best_head_alone=True,
    ),
    _Reading(
        "clark_coreference",
        _BEST,
        "coreference",
        "accuracy",
        lambda row: f"coreference, {row.direction.replace('_', ' ')}",
        {"system": "best_head", "candidates": "mentions", "selection": "same_data", "mention_type": "all"},
        best_head_alone=True,
    ),
    _Reading("clark_positions", _ATTENTION, "wikipedia", "attention", lambda row: _TARGETS.get(row.target)),
    _Reading(
        "clark_entropy",
        "How broad it is",
        "wikipedia",
        "entropy",
        lambda _: "entropy",
        {"source": "all"},
        unit="nats",
        remark=lambda row: f"{row.uniform:.2f} if all tokens had the same",
    ),
    *(
        _Reading(
            "kobayashi_categories",
            f"Of all its {name}",
            "wikipedia",
            "value",
            lambda row: _CATEGORIES.get(row.category),
            {"measure": measure},
        )
        for name, measure in (("weight", "weight"), ("norm", "share_of_norm"))
    ),
    _Reading(
        "vig_patterns",
        "Vig's six patterns",
        "wikipedia",
        "attention",
        lambda row: _PATTERNS.get(row.pattern),
        remark=lambda row: f"by chance or distance alone: {_per_cent(row.baseline)}",
    ),
    _Reading(
        "kovaleva_frames",
        "Frames",
        "frames",
        "attention",
        lambda _: "predicate and its elements",
        {"variant": "described", "link": "annotated"},
        unit="number",
        remark=_gain,
    ),
    _Reading(
        "kovaleva_disabled_heads",
        "Without it, fine-tuned models change by",
        "tasks",
        "difference",
        lambda row: f"{TASK_LABELS.get(row.task, row.task)} ({row.metric})",
        unit="change",
    ),
)

TABLES = tuple(dict.fromkeys(reading.table for reading in _READINGS))
CORPORA = tuple(dict.fromkeys(reading.corpus for reading in _READINGS))


def findings(tables: Mapping[str, pd.DataFrame], corpora: Mapping[str, str]) -> list[Finding]:
    """What tables say of heads.

    Parameters
    ----------
    tables
        Any of :data:`TABLES`, by name, and their controls (``control/<name>``).
    corpora
        What each of :data:`CORPORA` is, in words.
    """
    found: list[Finding] = []
    for reading in _READINGS:
        if reading.table not in tables:
            continue
        controls = _controls(tables.get(control_of(reading.table), pd.DataFrame()), reading)
        by_label: dict[str, dict[Head, Fact]] = {}
        low, high = bounds_of(reading.table, reading.value)
        for key, row in _rows(tables[reading.table], reading):
            if pd.isna(row[reading.value]):
                continue
            fact = Fact(
                float(row[reading.value]),
                _known(row[low]),
                _known(row[high]),
                int(row["n"]),
                _known(controls.get(key)),
                reading.remark(row),
            )
            by_label.setdefault(key[0], {})[int(row["layer"]), int(row["head"])] = fact
        corpus = corpora[reading.corpus]
        found += [Finding(reading.group, label, corpus, reading.unit, facts) for label, facts in by_label.items()]
    return found


def evidence(table: pd.DataFrame) -> dict[str, list[dict]]:
    """The sentences of table ``clark_evidence`` by relation, ready for JSON: words, weights and roles."""
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


def _rows(table: pd.DataFrame, reading: _Reading) -> list[tuple[tuple, pd.Series]]:
    """The rows that are read, each by its label and, where it is of each head, its layer and head."""
    if table.empty:
        return []
    for column, value in reading.rows.items():
        table = table[table[column] == value]
    labelled = [(reading.label(row), row) for _, row in table[table["head"].notna()].iterrows()]
    return [
        ((label,) if reading.best_head_alone else (label, row["layer"], row["head"]), row)
        for label, row in labelled
        if label
    ]


def _controls(table: pd.DataFrame, reading: _Reading) -> dict[tuple, float]:
    """The number of each label, and head, with random weights: the mean over seeds.

    Where the best head alone is read, it is that of each seed, wherever it stands.
    """
    found: dict[tuple, list[float]] = {}
    for key, row in _rows(table, reading):
        found.setdefault(key, []).append(row[reading.value])
    return {key: float(np.mean(values)) for key, values in found.items()}


def _known(value: float | None) -> float | None:
    return None if value is None or pd.isna(value) else float(value)


def _per_cent(share: float) -> str:
    return f"{100 * share:.0f} %" if share >= 0.0995 else f"{100 * share:.1f} %"


def briefs(found: list[Finding]) -> dict[Head, str]:
    """For each head the relations that it is the best for; if there is none, where most of its attention goes."""
    best: dict[Head, str] = {}
    for finding in _of_relations(found):
        for head in finding.facts:
            best[head] = f"{best[head]}, {finding.label}" if head in best else finding.label
    largest: dict[Head, tuple[float, str]] = {}
    for finding in found:
        for head, fact in finding.facts.items() if finding.group == _ATTENTION else ():
            told = fact.value, f"{finding.label} {_per_cent(fact.value)}"
            if fact.value >= _LARGE_SHARE and told > largest.get(head, (0.0, "")):
                largest[head] = told
    return {head: text for head, (_, text) in largest.items()} | best


def most_telling(found: list[Finding]) -> Head:
    """The head that is the best of all for most relations, with the highest accuracies; the first head if none is."""
    telling: dict[Head, tuple[int, float]] = {(1, 1): (0, 0.0)}
    for finding in _of_relations(found):
        for head, fact in finding.facts.items():
            count, total = telling.get(head, (0, 0.0))
            telling[head] = count + 1, total + fact.value
    return max(sorted(telling), key=telling.__getitem__)


def _of_relations(found: list[Finding]) -> list[Finding]:
    """Findings of single relations that a head is the best for."""
    return [finding for finding in found if finding.group == _BEST and finding.label not in _SUMMARIES.values()]
