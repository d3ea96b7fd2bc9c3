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

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
import pandas as pd

from bert_attention.attention.store import StoredSequence
from bert_attention.clark.agreement import Agreement, mention_agreements
from bert_attention.clark.column_values import BASELINES, CANDIDATES, COREFERENCE_DIRECTIONS, MENTION_TYPES
from bert_attention.corpora.types import Document
from bert_attention.errors import InputError
from bert_attention.statistics.held_out import best
from bert_attention.statistics.sums import Sums, ratio

_RIVAL = "head_match"  # the baseline that the paper compares its head with
_ALL_TYPES = MENTION_TYPES.index("all")


def sums(sequence: StoredSequence, document: Document) -> dict[str, np.ndarray | int]:
    """What a document adds: its mentions with an antecedent ``[type]``, and for how many each system finds one.

    Heads are ``[direction, layer, head, type]`` for each kind of candidates, baselines ``[type]``. A document in which
    no mention has an antecedent adds nothing.

    Parameters
    ----------
    sequence
        Attention between words ``[layer, head, query, key]``: those of the document, with one [CLS] before and one
        [SEP] after them.
    document
        The document, cut to what was run.

    Raises
    ------
    ValueError
        If sequence and document do not belong together.
    """
    attention = _attention_between_words(sequence.attention, document)
    anaphora = find_anaphora(document)
    if anaphora is None:
        return {}
    chosen = {f"head/{name}": chosen_words(attention, anaphora.heads, anaphora.candidates[name]) for name in CANDIDATES}
    right = {name: _right_choices(words, anaphora) for name, words in (chosen | anaphora.baselines).items()}
    return {**right, "mentions": anaphora.types.sum(0), "documents": 1}


def table(sums: Sums) -> pd.DataFrame:
    """Table ``clark_coreference``: how often each system and the best head find an antecedent, by type of mention.

    For each direction and kind of candidates, the best head is the one that is right most often over all types of
    mention. ``selection`` says on which documents it is chosen, ``chosen`` in what share of the choices it is this
    head; see :mod:`bert_attention.statistics.held_out`. Baselines have no head, direction or selection. ``gain`` is by
    how much a head's accuracy exceeds that of ``head_match`` on the same mentions.

    Raises
    ------
    InputError
        If fewer than two documents have a mention with an antecedent.
    """
    documents = int(sums.of_all["documents"]) if sums else 0
    if documents < 2:
        problem = f"mentions have antecedents in {documents} documents; at least two are needed"
        raise InputError("coreference corpus", problem, "give more documents, or documents with more mentions")
    systems = [*_baseline_systems(sums), *_best_heads(sums)]
    rows = pd.DataFrame([{**labels, "mention_type": name} for labels, *_ in systems for name in MENTION_TYPES])
    accuracy, gain = (np.concatenate([system[place] for system in systems]) for place in (1, 2))
    columns = {"accuracy": accuracy, "gain": gain, "n": np.tile(sums["mentions"], len(systems))}
    return rows.assign(**columns).astype({"layer": "Int64", "head": "Int64"})


# A system's labels in the table, its accuracy and its gain over the rival, [type] each.
_System = tuple[dict[str, object], np.ndarray, np.ndarray]


def _baseline_systems(sums: Sums) -> Iterator[_System]:
    for name in BASELINES:
        accuracy = ratio(sums[name], sums["mentions"])
        yield {"system": name, "candidates": "mentions"}, accuracy, np.full(len(accuracy), np.nan)


def _best_heads(sums: Sums) -> Iterator[_System]:
    for candidates, (place, direction) in product(CANDIDATES, enumerate(COREFERENCE_DIRECTIONS)):
        shape = sums[f"head/{candidates}"].shape[1:3]

        def accuracies(
            split: Mapping[str, np.ndarray], name: str = f"head/{candidates}", place: int = place
        ) -> np.ndarray:
            right = split[name][:, place].reshape(len(split["mentions"]), -1, len(MENTION_TYPES))
            by_rival = np.broadcast_to(split[_RIVAL][:, None], right.shape)
            return ratio(np.stack([right, right - by_rival], axis=-1), split["mentions"][:, None, :, None])

        chosen = best(sums, lambda split, of=accuracies: of(split)[..., _ALL_TYPES, 0], reported=accuracies)
        for selection, choice in chosen.items():
            layer, head = np.unravel_index(choice.system, shape)
            labels = {"system": "best_head", "candidates": candidates, "direction": direction, "selection": selection}
            labels |= {"layer": int(layer) + 1, "head": int(head) + 1, "chosen": choice.share}
            yield labels, *np.asarray(choice.score).T


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
