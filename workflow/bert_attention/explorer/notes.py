"""What the analyses found of each head, from their result tables, in a few words each."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

import pandas as pd

# A share of attention that is worth naming when there is room for one thing.
_LARGE_SHARE = 0.3

Head = tuple[int, int]  # layer and head, from 1


@dataclass(frozen=True)
class Fact:
    """One finding of a head: what was measured, the value as it is written, and a share to draw as a bar, or None."""

    group: str
    label: str
    value: str
    share: float | None = None


@dataclass
class Note:
    """All findings of a head, and the most telling one in a few words (``brief``, may be empty)."""

    brief: str = ""
    facts: list[Fact] = field(default_factory=list)


def head_notes(tables: Mapping[str, pd.DataFrame]) -> dict[Head, Note]:
    """What tables say of each head; any of :data:`READERS` can be left out.

    Raises
    ------
    KeyError
        If nothing is known of a table of that name.
    """
    unknown = set(tables) - READERS.keys()
    if unknown:
        raise KeyError(f"no notes are taken from {', '.join(sorted(unknown))}")
    notes: defaultdict[Head, Note] = defaultdict(Note)
    for name, reader in READERS.items():
        for head, fact in reader(tables[name]) if name in tables else ():
            notes[head].facts.append(fact)
    for note in notes.values():
        note.brief = _brief(note.facts)
    return dict(notes)


def most_telling(notes: Mapping[Head, Note]) -> Head:
    """The head that is the best of all for most relations, with the highest accuracies; the first head if none is."""

    def telling(head: Head) -> tuple[int, float]:
        shares = [fact.share for fact in _best(notes[head].facts)]
        return len(shares), sum(shares)

    return max([(1, 1), *sorted(notes)], key=lambda head: telling(head) if head in notes else (0, 0))


def _head(row: object) -> Head:
    return int(row.layer), int(row.head)


def _per_cent(share: float) -> str:
    return f"{100 * share:.0f} %" if share >= 0.0995 else f"{100 * share:.1f} %"


_BEST = "The best of all heads for"
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
_ATTENTION = "Its attention goes to"


def _dependency_heads(table: pd.DataFrame) -> Iterator[tuple[Head, Fact]]:
    """Relations for which a head is the best of all, chosen and scored on the same data as in the paper."""
    chosen = table[(table.selection == "same_data") & (table.variant == "described")]
    for row in chosen.sort_values("accuracy", ascending=False, kind="stable").itertuples():
        direction = row.direction.replace("_", " ")
        value = f"{_per_cent(row.accuracy)} right, {direction}; a fixed offset: {_per_cent(row.baseline_accuracy)}"
        label = _SUMMARIES.get(row.relation, row.relation.replace("_", " "))
        yield _head(row), Fact(_BEST, label, value, row.accuracy)


def _coreference(table: pd.DataFrame) -> Iterator[tuple[Head, Fact]]:
    """Coreference among mentions, where a head is the best of all."""
    chosen = table[
        (table.system == "best_head")
        & (table.candidates == "mentions")
        & (table.selection == "same_data")
        & (table.mention_type == "all")
    ]
    for row in chosen.itertuples():
        value = f"{_per_cent(row.accuracy)} right, {row.direction.replace('_', ' ')}"
        yield _head(row), Fact(_BEST, "coreference", value, row.accuracy)


def _positions(table: pd.DataFrame) -> Iterator[tuple[Head, Fact]]:
    for target, label in _TARGETS.items():
        for row in table[table.target == target].itertuples():
            yield _head(row), Fact(_ATTENTION, label, _per_cent(row.attention), row.attention)


def _entropy(table: pd.DataFrame) -> Iterator[tuple[Head, Fact]]:
    for row in table[table.source == "all"].itertuples():
        value = f"{row.entropy:.2f} nats of {row.uniform:.2f}"
        yield _head(row), Fact("How broad it is", "entropy", value, row.entropy / row.uniform)


def _categories(table: pd.DataFrame) -> Iterator[tuple[Head, Fact]]:
    """What token categories get, by weight and by norm: shares of the head's total, to compare the two."""
    of_heads = table[table["head"].notna()]
    labels = {"cls": "[CLS]", "sep": "[SEP]", "punctuation": "periods and commas", "other": "other tokens"}
    for category, label in labels.items():
        of_category = of_heads[of_heads.category == category]
        shares = {
            measure: {_head(row): row.value for row in of_category[of_category.measure == measure].itertuples()}
            for measure in ("weight", "share_of_norm")
        }
        for head in shares["weight"].keys() & shares["share_of_norm"].keys():
            weight, norm = shares["weight"][head], shares["share_of_norm"][head]
            value = f"{_per_cent(weight)} of weight, {_per_cent(norm)} of norm"
            yield head, Fact("Weight against norm", label, value, norm)


def _frames(table: pd.DataFrame) -> Iterator[tuple[Head, Fact]]:
    chosen = table[(table.variant == "described") & (table.link == "annotated")]
    for row in chosen.itertuples():
        gain = "" if pd.isna(row.gain) else f"; {row.gain:+.3f} against pairs as far apart"
        yield _head(row), Fact("Frames", "predicate and its elements", f"{row.attention:.3f}{gain}", row.attention)


def _disabled_heads(table: pd.DataFrame) -> Iterator[tuple[Head, Fact]]:
    for row in table.itertuples():
        change = f"{row.difference:+.3f}, interval {row.low:+.3f} to {row.high:+.3f}"
        yield _head(row), Fact("Without it, fine-tuned models change by", f"{row.task} ({row.metric})", change)


_PATTERNS = {
    "next": "next token",
    "previous": "previous token",
    "identical": "the same word",
    "identical_other_sentence": "the same word in the other sentence",
    "predictive": "words that predict the word",
    "delimiter": "[CLS] and [SEP]",
}


def _six_patterns(table: pd.DataFrame) -> Iterator[tuple[Head, Fact]]:
    for pattern, label in _PATTERNS.items():
        for row in table[table.pattern == pattern].itertuples():
            value = f"{_per_cent(row.attention)}; by chance or distance alone: {_per_cent(row.baseline)}"
            yield _head(row), Fact("Vig's six patterns", label, value, row.attention)


# What is read of which table, in the order in which the page shows it.
READERS: dict[str, Callable[[pd.DataFrame], Iterator[tuple[Head, Fact]]]] = {
    "clark_dependency_heads": _dependency_heads,
    "clark_coreference": _coreference,
    "clark_positions": _positions,
    "clark_entropy": _entropy,
    "kobayashi_categories": _categories,
    "vig_patterns": _six_patterns,
    "kovaleva_frames": _frames,
    "kovaleva_disabled_heads": _disabled_heads,
}


def _best(facts: list[Fact]) -> list[Fact]:
    """Single relations that a head is the best for."""
    return [fact for fact in facts if fact.group == _BEST and fact.label not in _SUMMARIES.values()]


def _brief(facts: list[Fact]) -> str:
    """The relations that a head is the best for; if there is none, where most of its attention goes, if much does."""
    best = [fact.label for fact in _best(facts)]
    if best:
        return ", ".join(best)
    shares = [fact for fact in facts if fact.group == _ATTENTION and fact.share >= _LARGE_SHARE]
    largest = max(shares, key=lambda fact: fact.share, default=None)
    return f"{largest.label} {largest.value}" if largest else ""
