"""Antecedents found by attention heads and by simple systems (Clark et al. 2019, section 4.3, table 2).

For every mention that has an antecedent, a system chooses a word. The choice is right if the word is the head word of
an antecedent of the mention. No code was released, and the paper does not say which words an attention head can choose.
The rules here use gold mentions and their syntactic head words:

- An antecedent is a mention of the same chain whose head word comes earlier and which does not contain the mention.
- Attention heads choose the word with the most attention among the ``candidates``. ``mentions`` are the head words of
  all earlier mentions that do not contain the mention. ``words`` are all words before its head word. ``all`` are all
  words except its head word. ``words`` and ``all`` include the mention's other words. [CLS] and [SEP] are never
  candidates.
- Attention is read in both directions: ``mention_to_antecedent`` (the paper), from the mention's head word to the
  candidate's, and ``antecedent_to_mention``, from the candidate's to the mention's. Each direction has its best head.
- The baselines choose among ``mentions``. ``nearest`` takes the nearest mention (by head words). ``head_match`` takes
  the nearest mention with the same head word. If there is no such mention, its answer counts as wrong.
  ``rule_based`` takes the nearest mention in the first nonempty sieve of four: same words; same head word; agreement in
  number, gender and person (:mod:`~bert_attention.papers.clark.agreement`); all. Comparisons ignore case.
- Two mentions can share a head word ("Tom", "Tom and Ann"). A chosen head word is right if either mention is an
  antecedent. A mention that contains the current mention, or shares its head word, is not a candidate.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from bert_attention.attention.store import StoredSequence
from bert_attention.corpora.types import Document
from bert_attention.errors import InputError
from bert_attention.papers.clark.agreement import Agreement, mention_agreements
from bert_attention.papers.clark.columns import BASELINES, CANDIDATES, COREFERENCE_DIRECTIONS, MENTION_TYPES
from bert_attention.statistics.held_out import best
from bert_attention.statistics.sums import Sums, ratio

_GAIN_BASELINE = "head_match"  # the baseline with which the paper compares its best head


def sums(sequence: StoredSequence, document: Document) -> dict[str, np.ndarray | int]:
    """Return a document's sums: its mentions with an antecedent ``[type]``, and how many each system gets right.

    ``heads`` is ``[candidates, direction, layer, head, type]``, ``baselines`` is ``[baseline, type]``. A document in
    which no mention has an antecedent has no sums. The attention is between words, [CLS] first and [SEP] last. The
    document is cut to the part that the encoder was run on.
    """
    anaphora = find_anaphora(document)
    if anaphora is None:
        return {}
    between_words = sequence.attention[..., 1:-1, 1:-1]
    by_heads = [chosen_words(between_words, anaphora.heads, anaphora.candidates[name]) for name in CANDIDATES]
    by_baselines = [anaphora.baselines[name] for name in BASELINES]
    return {
        "heads": _right_choices(np.stack(by_heads), anaphora),
        "baselines": _right_choices(np.stack(by_baselines), anaphora),
        "mentions": anaphora.types.sum(0),
        "documents": 1,
    }


def table(sums: Sums) -> pd.DataFrame:
    """Return table ``clark_coreference``: how often a baseline or the best head finds an antecedent, by mention type.

    For each direction and kind of candidates, the best head is right most often over all types of mention.
    ``selection`` names the documents on which this head is chosen, and ``chosen`` is the share of choices that fall on
    it (see :mod:`bert_attention.statistics.held_out`). Baselines have no head, direction or selection. ``gain`` is a
    head's accuracy minus that of ``head_match`` on the same mentions. Raise InputError if fewer than two documents have
    a mention with an antecedent.
    """
    documents = int(sums.of_all["documents"]) if sums else 0
    if documents < 2:
        problem = f"mentions have antecedents in {documents} documents; at least two are needed"
        raise InputError("coreference corpus", problem, "give more documents, or documents with more mentions")
    systems, scores = zip(*_systems(sums), strict=True)
    rows = pd.DataFrame([{**labels, "mention_type": name} for labels in systems for name in MENTION_TYPES])
    rows[["accuracy", "gain"]] = np.concatenate(scores)
    return rows.assign(n=np.tile(sums["mentions"], len(systems))).astype({"layer": "Int64", "head": "Int64"})


def _systems(sums: Sums) -> Iterator[tuple[dict[str, object], np.ndarray]]:
    """Yield each system's labels in the table, with its accuracy and gain, ``[type, 2]``."""
    for name, right in zip(BASELINES, sums["baselines"], strict=True):
        accuracy = ratio(right, sums["mentions"])
        yield {"system": name, "candidates": "mentions"}, np.stack([accuracy, accuracy * np.nan], axis=1)
    for cell in np.ndindex(sums["heads"].shape[:2]):
        candidates, direction = CANDIDATES[cell[0]], COREFERENCE_DIRECTIONS[cell[1]]
        for selection, choice in best(sums, partial(_accuracy_and_gain, cell=cell)).items():
            layer, head = divmod(choice.system, sums["heads"].shape[3])
            labels = {"system": "best_head", "candidates": candidates, "direction": direction, "selection": selection}
            yield labels | {"layer": layer + 1, "head": head + 1, "chosen": choice.share}, choice.score


def _accuracy_and_gain(sums: Sums, cell: tuple[int, int]) -> np.ndarray:
    """Return the accuracy and gain of heads, ``[split, head, type, 2]``, in a ``cell`` (candidates, direction).

    :func:`best` chooses by the first number, the accuracy over all types.
    """
    mentions = sums["mentions"][:, None, :, None]
    right = sums["heads"][:, *cell].reshape(len(mentions), -1, len(MENTION_TYPES))
    right_baseline = sums["baselines"][:, None, BASELINES.index(_GAIN_BASELINE)]
    return ratio(np.stack([right, right - right_baseline], axis=-1), mentions)


@dataclass(frozen=True)
class Anaphora:
    """The mentions of a document that have an antecedent, with their candidates, by indices of the document's words."""

    heads: np.ndarray  # [mention]: the head word
    types: np.ndarray  # [mention, type]: True for each of MENTION_TYPES that the mention has
    antecedents: np.ndarray  # [mention, word]: True if the word is the head word of an antecedent
    candidates: dict[str, np.ndarray]  # [mention, word] for each of CANDIDATES: True if a head can choose the word
    baselines: dict[str, np.ndarray]  # [mention] for each baseline: the word that it chooses, or -1 without a candidate


def find_anaphora(document: Document) -> Anaphora | None:
    """Return the mentions of a document that have an antecedent, in document order; None if no mention has one."""
    mentions = document.mentions
    forms = [form.lower() for form in document.forms]
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
    own_head = heads[anaphoric, None]

    texts = [[forms[word] for word in mention.words] for mention in mentions]
    same_words = _relation_matrix(texts, lambda text, other: text == other)[anaphoric]
    same_head = _relation_matrix(heads, lambda head, other: forms[head] == forms[other])[anaphoric]
    agreeing = _relation_matrix(mention_agreements(document), Agreement.matches)[anaphoric]
    sieves = np.select([same_words, same_head, agreeing], [3, 2, 1], 0)  # earlier sieves rank higher
    return Anaphora(
        heads=heads[anaphoric],
        types=np.array([[name in ("all", mention.type) for name in MENTION_TYPES] for mention in mentions])[anaphoric],
        antecedents=antecedents @ at_word,
        candidates={"mentions": eligible @ at_word, "words": words < own_head, "all": words != own_head},
        baselines={
            "nearest": _nearest_candidates(eligible, heads),
            "head_match": _nearest_candidates(eligible & same_head, heads),
            "rule_based": _nearest_candidates(eligible, heads, sieves),
        },
    )


def _relation_matrix(items: Sequence, relation: Callable[[Any, Any], bool]) -> np.ndarray:
    """Return True where the relation holds, ``[item, other item]``."""
    holds = [relation(item, other) for item in items for other in items]
    return np.array(holds, dtype=bool).reshape(len(items), len(items))


def _nearest_candidates(eligible: np.ndarray, heads: np.ndarray, sieves: np.ndarray | int = 0) -> np.ndarray:
    """Return the head word of the nearest candidate in the first nonempty sieve, ``[mention]``; -1 if there is none.

    ``eligible`` and ``sieves`` are ``[mention, candidate]``: True if the candidate can be chosen, and the rank of its
    sieve, the highest first. ``heads`` is the head word of each candidate.
    """
    scores = np.where(eligible, sieves * (heads.max() + 1) + heads, -1)
    return np.where(eligible.any(1), heads[scores.argmax(1)], -1)


def chosen_words(attention: np.ndarray, heads: np.ndarray, candidates: np.ndarray) -> np.ndarray:
    """Return each mention's candidate with most attention, ``[direction, layer, head, mention]``; the first in a tie.

    The attention ``[layer, head, query, key]`` is between words, without special tokens. ``heads`` is the head word of
    each mention. ``candidates`` is ``[mention, word]``: True if the word can be chosen, as at least one can for each
    mention.
    """
    to_antecedent = attention[:, :, heads, :]
    from_antecedent = attention[:, :, :, heads].swapaxes(-1, -2)
    return np.where(candidates, np.stack([to_antecedent, from_antecedent]), -1).argmax(-1)


def _right_choices(chosen: np.ndarray, anaphora: Anaphora) -> np.ndarray:
    """Count right choices ``[..., type]`` among the chosen words ``[..., mention]``: head words of antecedents."""
    is_right = anaphora.antecedents[np.arange(len(anaphora.heads)), chosen] & (chosen >= 0)
    return is_right.astype(np.int32) @ anaphora.types.astype(np.int32)
