"""Antecedents found by attention heads and by simple systems (Clark et al. 2019, section 4.3, table 2).

For every mention that has an antecedent, a system chooses a word; it is right if that is the head word of one of the
mention's antecedents. No code was released, and the paper does not say what an attention head may choose from. Here,
with gold mentions and their syntactic head words:

- An antecedent is a mention of the same chain whose head word comes earlier and which does not contain the mention.
- Attention heads choose the word with the most attention among the ``candidates``: ``mentions`` are the head words of
  all earlier mentions that do not contain this one; ``words`` are all words before its head word; ``all`` are all words
  but its head word. The last two include the mention's own words. [CLS] and [SEP] are never candidates.
- Attention is read in both directions: ``mention_to_antecedent`` (the paper), from the mention's head word to the
  candidate's, and ``antecedent_to_mention``, from the candidate's to the mention's. Each has its best head.
- The baselines choose among ``mentions``. ``nearest`` takes the nearest one (by head words). ``head_match`` takes the
  nearest with the same head word; if there is none it chooses nothing, which counts as wrong. ``rule_based`` takes the
  nearest in the first of four sieves that holds any: same words; same head word; agreement in number, gender and person
  (:mod:`~bert_attention.clark.agreement`); all. Words are compared regardless of case.
- Two mentions can share a head word (Tom, and Tom and Ann). It is right if it is right for one of the two. A mention
  that contains this one, or shares its head word, is not a candidate.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import product
from typing import Any

import numpy as np
import pandas as pd

from bert_attention.attention.store import StoredSequence
from bert_attention.clark.agreement import Agreement, mention_agreements
from bert_attention.clark.column_values import BASELINES, CANDIDATES, COREFERENCE_DIRECTIONS, MENTION_TYPES
from bert_attention.corpora.types import Document
from bert_attention.errors import InputError
from bert_attention.statistics.intervals import bootstrap_interval
from bert_attention.statistics.old_held_out import SELECTIONS, choices, second_half

_HEAD_LABELS = ("layer", "head", "other_layer", "other_head")
_RIVAL = "head_match"  # the baseline that the paper compares its head with


def coreference(sequences: Iterable[StoredSequence], documents: Sequence[Document], seed: int) -> pd.DataFrame:
    """Table ``clark_coreference``: how often each system and the best head find an antecedent, by type of mention.

    For each direction and kind of candidates, the best head is the one that is right most often over all types of
    mention. ``selection`` says on which documents it is chosen; see :mod:`bert_attention.statistics.held_out`.
    Baselines have no head, direction or selection. Intervals are over documents and take the choice as given. ``gain``
    is by how much a head's accuracy exceeds that of ``head_match`` on the same mentions, ``gain_low`` and ``gain_high``
    bound it, paired.

    Parameters
    ----------
    sequences
        Attention between words ``[layer, head, query, key]`` of each document: its words, with one [CLS] before
        and one [SEP] after them.
    documents
        The documents, cut to what was run. Those in which no mention has an antecedent are skipped.
    seed
        Seed of the halves and of the resamples.

    Raises
    ------
    InputError
        If fewer than two documents have a mention with an antecedent.
    ValueError
        If sequences and documents do not belong together.
    """
    counts = list(_counts(sequences, documents))
    if len(counts) < 2:
        problem = f"mentions have antecedents in {len(counts)} of {len(documents)} documents; at least two are needed"
        raise InputError("coreference corpus", problem, "give more documents, or documents with more mentions")
    of_heads, of_baselines, totals = (np.stack(arrays) for arrays in zip(*counts, strict=True))
    systems = [*_baseline_rows(of_baselines), *_best_head_rows(of_heads, seed)]
    return _accuracy_table(systems, totals, seed)


@dataclass(frozen=True)
class Anaphora:
    """The mentions of a document that have an antecedent, with what can be chosen for them; words are numbered from 0.

    Attributes
    ----------
    heads
        ``[mention]``: the head word.
    types
        ``[mention, type]``: whether the mention has each of ``MENTION_TYPES``.
    antecedents
        ``[mention, word]``: whether a word is the head word of an antecedent.
    candidates
        ``[mention, word]`` for each of ``CANDIDATES``: whether a head may choose a word.
    baselines
        ``[mention]`` for each baseline: the word that it chooses, -1 for none.
    """

    heads: np.ndarray
    types: np.ndarray
    antecedents: np.ndarray
    candidates: dict[str, np.ndarray]
    baselines: dict[str, np.ndarray]


def find_anaphora(document: Document) -> Anaphora | None:
    """The mentions of a document that have an antecedent, in document order; None if no mention has one."""
    mentions = document.mentions
    forms = [form.lower() for sentence in document.sentences for form in sentence.forms]
    heads = np.array([mention.head for mention in mentions], dtype=int)
    words = np.arange(len(forms))
    contains = _relation_matrix(mentions, lambda mention, other: set(mention.words) < set(other.words))
    eligible = (heads[None, :] < heads[:, None]) & ~contains  # [mention, candidate]
    antecedents = eligible & _relation_matrix(mentions, lambda mention, other: mention.chain == other.chain)
    anaphoric = antecedents.any(1)
    if not anaphoric.any():
        return None
    eligible, antecedents = eligible[anaphoric], antecedents[anaphoric]
    at_word = heads[:, None] == words  # [mention, word]
    own = heads[anaphoric, None]

    texts = [[forms[word] for word in mention.words] for mention in mentions]
    same_words = _relation_matrix(texts, lambda text, other: text == other)[anaphoric]
    same_head = _relation_matrix(heads, lambda head, other: forms[head] == forms[other])[anaphoric]
    agreeing = _relation_matrix(mention_agreements(document), Agreement.matches)[anaphoric]
    sieves = np.select([same_words, same_head, agreeing], [3, 2, 1], 0)  # the higher the rank, the earlier the sieve
    return Anaphora(
        heads=heads[anaphoric],
        types=np.array([[name in ("all", mention.type) for name in MENTION_TYPES] for mention in mentions])[anaphoric],
        antecedents=antecedents @ at_word,
        candidates={"mentions": eligible @ at_word, "words": words < own, "all": words != own},
        baselines={
            "nearest": _nearest_candidates(eligible, heads),
            "head_match": _nearest_candidates(eligible & same_head, heads),
            "rule_based": _nearest_candidates(eligible, heads, sieves),
        },
    )


def _relation_matrix(items: Sequence, relation: Callable[[Any, Any], bool]) -> np.ndarray:
    """Whether a relation holds, ``[item, other item]``."""
    holds = [relation(item, other) for item in items for other in items]
    return np.array(holds, dtype=bool).reshape(len(items), len(items))


def _nearest_candidates(eligible: np.ndarray, heads: np.ndarray, sieves: np.ndarray | int = 0) -> np.ndarray:
    """The head word of the nearest earlier candidate of the earliest sieve, ``[mention]``; -1 if there is none.

    Parameters
    ----------
    eligible, sieves
        ``[mention, candidate]``: whether the candidate comes earlier and may be chosen; and the rank of its sieve.
    heads
        ``[candidate]``: the head word.
    """
    scores = np.where(eligible, sieves * (heads.max() + 1) + heads, -1)
    return np.where(eligible.any(1), heads[scores.argmax(1)], -1)


def chosen_words(attention: np.ndarray, heads: np.ndarray, candidates: np.ndarray) -> np.ndarray:
    """The candidate with most attention for each mention, ``[direction, layer, head, mention]``; ties go to the first.

    Parameters
    ----------
    attention
        ``[layer, head, query, key]`` between the words of a document, without special tokens.
    heads
        ``[mention]``: the head word.
    candidates
        ``[mention, word]``: whether a word may be chosen; at least one for each mention.
    """
    to_antecedent = attention[:, :, heads, :]
    from_antecedent = attention[:, :, :, heads].swapaxes(-1, -2)
    return np.where(candidates, np.stack([to_antecedent, from_antecedent]), -1).argmax(-1)


def _counts(
    sequences: Iterable[StoredSequence], documents: Sequence[Document]
) -> Iterator[tuple[np.ndarray, np.ndarray, np.ndarray]]:
    """For each document with antecedents: right choices of heads, right choices of baselines, number of mentions.

    Shapes ``[candidates, direction, layer, head, type]``, ``[baseline, type]`` and ``[type]``.
    """
    for sequence, document in zip(sequences, documents, strict=True):
        anaphora = find_anaphora(document)
        if anaphora is None:
            continue
        attention = _attention_between_words(sequence.attention, document)
        choices = (chosen_words(attention, anaphora.heads, anaphora.candidates[name]) for name in CANDIDATES)
        of_heads = np.stack([_right_choices(chosen, anaphora) for chosen in choices])
        of_baselines = np.stack([_right_choices(anaphora.baselines[name], anaphora) for name in BASELINES])
        yield of_heads, of_baselines, anaphora.types.sum(0)


def _attention_between_words(attention: np.ndarray, document: Document) -> np.ndarray:
    """Attention without [CLS] and [SEP]."""
    words, positions = sum(len(sentence.words) for sentence in document.sentences), attention.shape[-1]
    if positions != words + 2:
        raise ValueError(f"document {document.id} has {words} words, but its attention has {positions} positions")
    return attention[..., 1:-1, 1:-1]


def _right_choices(chosen: np.ndarray, anaphora: Anaphora) -> np.ndarray:
    """How many chosen words ``[..., mention]`` are head words of antecedents: ``[..., type]``."""
    is_right = anaphora.antecedents[np.arange(len(anaphora.heads)), chosen] & (chosen >= 0)
    return is_right.astype(np.int32) @ anaphora.types.astype(np.int32)


@dataclass(frozen=True)
class _System:
    """A system's labels in the table, and its right choices ``[document, type]``."""

    labels: Mapping[str, object]
    correct: np.ndarray


def _baseline_rows(correct: np.ndarray) -> Iterator[_System]:
    """The baselines, from their right choices ``[document, baseline, type]``."""
    for number, name in enumerate(BASELINES):
        yield _System({"system": name, "candidates": "mentions"}, correct[:, number])


def _best_head_rows(correct: np.ndarray, seed: int) -> Iterator[_System]:
    """The best heads, from all heads' right choices ``[document, candidates, direction, layer, head, type]``."""
    documents, heads = len(correct), correct.shape[3:5]
    second = second_half(documents, seed)
    for (row, candidates), (column, direction) in product(enumerate(CANDIDATES), enumerate(COREFERENCE_DIRECTIONS)):
        of_heads = correct[:, row, column].reshape(documents, -1, len(MENTION_TYPES))
        right = of_heads[..., MENTION_TYPES.index("all")]
        found = choices(right.sum(0), right[~second].sum(0), right[second].sum(0))
        for selection in SELECTIONS:
            labels = {"system": "best_head", "candidates": candidates, "direction": direction, "selection": selection}
            labels |= found[selection].columns(partial(_head_columns, heads=heads))
            yield _System(labels, of_heads[np.arange(documents), found[selection].scored(second)])


def _head_columns(place: int, heads: tuple[int, int]) -> dict[str, int]:
    """Columns that name a head, from its place among ``[layer, head]``."""
    layer, head = np.unravel_index(place, heads)
    return {"layer": int(layer) + 1, "head": int(head) + 1}


def _accuracy_table(systems: Sequence[_System], totals: np.ndarray, seed: int) -> pd.DataFrame:
    """Accuracy of each system by type, from the number of mentions ``[document, type]``, with intervals."""
    correct = np.concatenate([system.correct for system in systems], axis=1)
    total = np.tile(totals, len(systems))
    n = total.sum(0)
    low, high = bootstrap_interval(correct, total, seed)
    labels = [{**system.labels, "mention_type": name} for system in systems for name in MENTION_TYPES]
    columns = ["system", "candidates", "direction", "selection", *_HEAD_LABELS, "mention_type"]
    table = pd.DataFrame(labels, columns=columns).astype(dict.fromkeys(_HEAD_LABELS, "Int64"))
    table = table.assign(accuracy=_ratios(correct, n), low=low, high=high, n=n)
    (rival,) = (system.correct for system in systems if system.labels["system"] == _RIVAL)
    gained = correct - np.tile(rival, len(systems))
    gain_low, gain_high = bootstrap_interval(gained, total, seed)
    gains = pd.DataFrame({"gain": _ratios(gained, n), "gain_low": gain_low, "gain_high": gain_high})
    return table.join(gains.where(table["system"] == "best_head"))


def _ratios(counts: np.ndarray, n: np.ndarray) -> np.ndarray:
    """Counts ``[document, column]`` as shares of ``n`` ``[column]``; NaN where there is nothing to count."""
    return np.divide(counts.sum(0), n, out=np.full(len(n), np.nan), where=n > 0)
