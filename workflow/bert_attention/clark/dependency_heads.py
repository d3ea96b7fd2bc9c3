"""Heads that follow one dependency relation (Clark et al. 2019, section 4.2, table 1)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd

from bert_attention.attention.store import StoredSequence
from bert_attention.clark.column_values import ALL_RELATIONS, ALL_WITHOUT_PUNCTUATION, DEPENDENCY_DIRECTIONS
from bert_attention.corpora.relations import AUX_WITH_TO, MARK_WITHOUT_TO, clark_name, is_infinitive_marker
from bert_attention.corpora.types import Sentence
from bert_attention.statistics.held_out import SELECTIONS, Choice, best
from bert_attention.statistics.sums import Sums, ratio

_FEWEST_INSTANCES = 100  # of a relation in the table
_ONLY_IN_ALL = ("root", "punct")
_POSSESSIVE = "poss"
_CASE_MARKERS = ("case", "possessive")  # relations of 's, in Universal and in Stanford Dependencies
_NOWHERE = -2  # a prediction that is never right; -1 is the root


@dataclass(frozen=True)
class _Variant:
    """What the paper's text and the released notebook do differently."""

    offsets: tuple[int, ...]  # of the baseline
    stays_inside: bool  # whether an offset beyond the sentence predicts its end (left: the root), or no word
    possessives: Callable[[Sentence], dict[int, int]]  # for each possessor, the place of its marker
    last_word_stands: bool  # whether a possessor for which the sentence's last word is predicted keeps its prediction
    prefers_last: bool  # whether ties go to the last layer, head, direction and offset, or to the first


def sums(sequence: StoredSequence, sentence: Sentence) -> dict[str, np.ndarray | int]:
    """What a sentence adds, for each relation: its words, and how many of them get their head.

    The latter is, by variant, of each head in each direction ``[direction, layer, head]``, and of each offset
    ``[offset]``.

    Parameters
    ----------
    sequence
        Attention between words, [CLS] first and [SEP] last.

    Raises
    ------
    ValueError
        If the attention does not have as many words as the sentence.
    """
    predicted = predicted_words(sequence.attention, sentence)
    instances = _instances(sentence)
    added: dict[str, np.ndarray | int] = {f"n/{relation}": len(words) for relation, words in instances.items()}
    added["infinitives"] = sum(is_infinitive_marker(word.form, word.relation) for word in sentence.words)
    gold = np.array([word.head - 1 for word in sentence.words])
    for name, variant in VARIANTS.items():
        for kind, predictions in (("heads", predicted), ("offsets", _at_offsets(len(gold), variant))):
            right = _counted(predictions, sentence, variant) == gold
            added |= {f"{name}/{kind}/{relation}": right[..., words].sum(-1) for relation, words in instances.items()}
    return added


def table(sums: Sums) -> pd.DataFrame:
    """Table ``clark_dependency_heads``: for each relation the attention head that predicts it best, and a baseline.

    An attention head predicts the syntactic head of every word. In the direction ``dependent_to_head`` it predicts the
    word that the dependent attends to most; in the other direction, the word that attends to the dependent most. The
    word itself, [CLS] and [SEP] are left out. The baseline predicts the word at a fixed offset, the best one for each
    relation; ``gain`` is the accuracy minus that of the baseline.

    Relations with 100 instances or more have rows, the most frequent first. So do ``all``, which includes punctuation,
    and ``all_without_punctuation``. Both count the root, which no attention head finds. In Universal Dependencies the
    "to" of an infinitive is ``mark``, in the Stanford Dependencies of the paper ``aux``. A treebank that has such words
    has two further rows, ``mark_without_to`` and ``aux_with_to``, which count them as the paper does.

    ``selection`` says on which sentences the head (with its direction) and the offset are chosen; ``chosen`` in what
    share of the choices it is this head; see :mod:`bert_attention.statistics.held_out`.

    Variant ``described``: offsets from -3 to 3; if a possessor has the marker 's as a dependent after it, the
    prediction for the marker counts as the possessor's; ties go to the first layer and head. ``released``, as in
    ``Syntax_Analysis.ipynb``: offsets from -3 to 2, clipped to the sentence and its root; a possessor right before the
    word 's or s' takes that word's prediction, unless its own is the last word of the sentence; ties go to the last
    layer, head, direction and offset. The notebook stops with an error at a possessor that ends its sentence; here its
    own prediction counts. Both variants get the same attention, made as the edition's ``attention.words`` says. The
    released script made it from the first wordpiece of each word.
    """
    rows = []
    for name, variant in VARIANTS.items():
        chosen = {relation: _best(sums, name, variant, relation) for relation in _relations_with_rows(sums.of_all)}
        for selection in SELECTIONS:
            for relation, (heads, offsets) in chosen.items():
                rows.append(
                    {
                        "relation": relation,
                        "selection": selection,
                        "variant": name,
                        **_head_columns(heads[selection].system, sums[f"{name}/heads/{relation}"].shape),
                        "chosen": heads[selection].share,
                        "accuracy": heads[selection].score,
                        "baseline_offset": variant.offsets[offsets[selection].system],
                        "baseline_accuracy": offsets[selection].score,
                        "gain": heads[selection].score - offsets[selection].score,
                        "n": sums[f"n/{relation}"],
                    }
                )
    return pd.DataFrame(rows)


def _relations_with_rows(sums: Sums) -> list[str]:
    """The relations that are frequent enough, the most frequent first, after those of all words."""
    counts = {name.removeprefix("n/"): sums[name] for name in sums if name.startswith("n/")}
    further = () if sums["infinitives"] else (MARK_WITHOUT_TO, AUX_WITH_TO)
    left_out = {ALL_RELATIONS, ALL_WITHOUT_PUNCTUATION, *_ONLY_IN_ALL, *further}
    frequent = [name for name, count in counts.items() if count >= _FEWEST_INSTANCES and name not in left_out]
    return [ALL_RELATIONS, ALL_WITHOUT_PUNCTUATION, *sorted(frequent, key=lambda name: (-counts[name], name))]


def _best(sums: Sums, name: str, variant: _Variant, relation: str) -> tuple[dict[str, Choice], dict[str, Choice]]:
    """By selection, the head (in a direction) and the offset that are right at the largest share of words."""

    def accuracy(kind: str) -> Callable[[Mapping[str, np.ndarray]], np.ndarray]:
        def of_splits(split: Mapping[str, np.ndarray]) -> np.ndarray:
            right = split[f"{name}/{kind}/{relation}"]
            return ratio(right.reshape(len(right), -1), split[f"n/{relation}"][:, None])

        return of_splits

    last_first = (None, None)
    if variant.prefers_last:
        places = np.arange(sums[f"{name}/heads/{relation}"].size).reshape(len(DEPENDENCY_DIRECTIONS), -1)
        last_first = (places.T.ravel()[::-1], np.arange(len(variant.offsets))[::-1])  # from the last layer and head
    heads, offsets = (best(sums, accuracy(kind), of) for kind, of in zip(("heads", "offsets"), last_first, strict=True))
    return heads, offsets


def _head_columns(system: int, shape: tuple[int, ...]) -> dict[str, object]:
    """Layer, head and direction of a place in ``[direction, layer, head]``, as a table names them."""
    direction, layer, head = np.unravel_index(system, shape)
    return {"layer": int(layer) + 1, "head": int(head) + 1, "direction": DEPENDENCY_DIRECTIONS[direction]}


def predicted_words(attention: np.ndarray, sentence: Sentence) -> np.ndarray:
    """The word, from 0, that each head in each direction predicts as the syntactic head of each word.

    Parameters
    ----------
    attention
        ``[layer, head, query, key]`` between words, [CLS] first and [SEP] last.

    Returns
    -------
    ``[direction, layer, head, word]``; ties go to the first word.
    """
    words = len(sentence.words)
    if attention.shape[-1] != words + 2:
        raise ValueError(
            f"sentence {sentence.id!r} has {words} words and two special tokens, "
            f"but its attention has {attention.shape[-1]} positions"
        )
    between_words = attention[..., 1:-1, 1:-1].copy()
    between_words[..., np.arange(words), np.arange(words)] = 0
    return np.stack([between_words.argmax(-1), between_words.argmax(-2)])


def possessive_markers(sentence: Sentence) -> dict[int, int]:
    """For each possessor the place of its marker: a case marker that depends on it and comes after it.

    In Universal and in Stanford Dependencies, the word that 's marks has the possessor's relation, and 's depends on
    it. Nothing else in English marks case from behind.
    """
    markers = {}
    for place, word in enumerate(sentence.words):
        possessor = word.head - 1
        behind = 0 <= possessor < place
        if behind and word.relation in _CASE_MARKERS and _is_possessor(sentence, possessor):
            markers.setdefault(possessor, place)
    return markers


def _markers_beside(sentence: Sentence) -> dict[int, int]:
    """For each possessor the place of the next word, if that is 's or s'."""
    following = enumerate(sentence.forms[1:], start=1)
    return {
        place - 1: place for place, form in following if form in ("'s", "s'") and _is_possessor(sentence, place - 1)
    }


def _is_possessor(sentence: Sentence, place: int) -> bool:
    return clark_name(sentence.words[place].relation) == _POSSESSIVE


VARIANTS: Mapping[str, _Variant] = {
    "described": _Variant(
        offsets=tuple(range(-3, 4)),
        stays_inside=False,
        possessives=possessive_markers,
        last_word_stands=False,
        prefers_last=False,
    ),
    "released": _Variant(
        offsets=tuple(range(-3, 3)),
        stays_inside=True,
        possessives=_markers_beside,
        last_word_stands=True,
        prefers_last=True,
    ),
}


def _at_offsets(words: int, variant: _Variant) -> np.ndarray:
    """The word, from 0, that each offset predicts for each word, ``[offset, word]``."""
    found = np.arange(words) + np.array(variant.offsets)[:, None]
    if variant.stays_inside:
        return found.clip(-1, words - 1)
    return np.where((found < 0) | (found >= words), _NOWHERE, found)


def _counted(predictions: np.ndarray, sentence: Sentence, variant: _Variant) -> np.ndarray:
    """The predictions ``[..., word]`` that count: of some possessors, that for their marker."""
    markers = variant.possessives(sentence)
    counted = predictions[..., [markers.get(place, place) for place in range(len(sentence.words))]]
    if variant.last_word_stands:
        return np.where(predictions == len(sentence.words) - 1, predictions, counted)
    return counted


def _instances(sentence: Sentence) -> dict[str, np.ndarray]:
    """Places in the sentence of the words that each row of the table counts."""
    relations = np.array([word.relation for word in sentence.words])
    is_to = np.array([is_infinitive_marker(word.form, word.relation) for word in sentence.words])
    masks = {ALL_RELATIONS: np.ones(len(relations), dtype=bool), ALL_WITHOUT_PUNCTUATION: relations != "punct"}
    masks |= {name: relations == name for name in dict.fromkeys(relations.tolist())}
    masks |= {MARK_WITHOUT_TO: (relations == "mark") & ~is_to, AUX_WITH_TO: (relations == "aux") | is_to}
    return {name: np.flatnonzero(mask) for name, mask in masks.items() if mask.any()}
