"""Heads that follow one dependency relation (Clark et al. 2019, section 4.2, table 1)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from bert_attention.attention.store import StoredSequence
from bert_attention.clark.column_values import ALL_RELATIONS, ALL_WITHOUT_PUNCTUATION, DEPENDENCY_DIRECTIONS
from bert_attention.corpora.relations import AUX_WITH_TO, MARK_WITHOUT_TO, clark_name, is_infinitive_marker
from bert_attention.corpora.types import Sentence
from bert_attention.statistics.intervals import bootstrap_interval
from bert_attention.statistics.old_held_out import SELECTIONS, Choice, choices, second_half

_FEWEST_INSTANCES = 100  # of a relation in the table
_ONLY_IN_ALL = ("root", "punct")
_POSSESSIVE = "poss"
_CASE_MARKERS = ("case", "possessive")  # relations of 's, in Universal and in Stanford Dependencies
_NOWHERE = -2  # a prediction that is never right; -1 is the root
_WORDS_AT_ONCE = 1 << 16


@dataclass(frozen=True)
class _Variant:
    """What the paper's text and the released notebook do differently."""

    offsets: tuple[int, ...]  # of the baseline
    stays_inside: bool  # whether an offset beyond the sentence predicts its end (left: the root), or no word
    possessives: Callable[[Sentence], dict[int, int]]  # for each possessor, the place of its marker
    last_word_stands: bool  # whether a possessor for which the sentence's last word is predicted keeps its prediction
    prefers_last: bool  # whether ties go to the last layer, head, direction and offset, or to the first


def dependency_heads(sequences: Iterable[StoredSequence], treebank: Sequence[Sentence], seed: int) -> pd.DataFrame:
    """Table ``clark_dependency_heads``: for each relation the attention head that predicts it best, and a baseline.

    An attention head predicts the syntactic head of every word. In the direction ``dependent_to_head`` it predicts the
    word that the dependent attends to most; in the other direction, the word that attends to the dependent most. The
    word itself, [CLS] and [SEP] are left out. The baseline predicts the word at a fixed offset, the best one for each
    relation.

    Relations with 100 instances or more have rows. So do ``all``, which includes punctuation, and
    ``all_without_punctuation``. Both count the root, which no attention head finds. In Universal Dependencies the "to"
    of an infinitive is ``mark``, in the Stanford Dependencies of the paper ``aux``. A treebank that has such words has
    two further rows, ``mark_without_to`` and ``aux_with_to``, which count them as the paper does.

    ``selection`` says on which sentences the head (with its direction) and the offset are chosen; see
    :mod:`bert_attention.statistics.held_out`. Intervals take the choice as given; ``gain_low`` and ``gain_high`` bound
    the accuracy minus that of the baseline, paired.

    Variant ``described``: offsets from -3 to 3; if a possessor has the marker 's as a dependent after it, the
    prediction for the marker counts as the possessor's; ties go to the first layer and head. ``released``, as in
    ``Syntax_Analysis.ipynb``: offsets from -3 to 2, clipped to the sentence and its root; a possessor right before the
    word 's or s' takes that word's prediction, unless its own is the last word of the sentence; ties go to the last
    layer, head, direction and offset. The notebook stops with an error at a possessor that ends its sentence; here its
    own prediction counts. Both variants get the same attention, made as the edition's ``attention.words`` says. The
    released script made it from the first wordpiece of each word.

    Memory grows by twice ``layers * heads / 4`` bytes per word: one bit for each prediction, right or wrong.

    Parameters
    ----------
    sequences
        Attention between words, [CLS] first and [SEP] last, in the order of ``treebank``.
    seed
        Seed of the halves and of the bootstrap.

    Raises
    ------
    ValueError
        If there are not as many sequences as sentences, or one does not have as many words as its sentence.
    """
    correct: dict[str, list[np.ndarray]] = {name: [] for name in VARIANTS}
    shape = (0, 0)
    for sequence, sentence in zip(sequences, treebank, strict=True):
        predicted = predicted_words(sequence.attention, sentence)
        shape = predicted.shape[1:3]
        for name, variant in VARIANTS.items():
            correct[name].append(np.packbits(_hits(predicted, sentence, variant), axis=-1))
    instances = _instances(treebank)
    second = second_half(len(treebank), seed)
    sentence_of_word = np.repeat(np.arange(len(treebank)), [len(sentence.words) for sentence in treebank])
    tables = []
    for name, variant in VARIANTS.items():
        record = _Record(np.concatenate(correct[name]), sentence_of_word, second, shape, variant.offsets)
        chosen = [_choices(record, words, variant.prefers_last) for words in instances.values()]
        for selection in SELECTIONS:
            of_selection = [(heads[selection], offsets[selection]) for heads, offsets in chosen]
            table = pd.DataFrame(_rows(record, instances, of_selection, seed))
            tables.append(table.assign(selection=selection, variant=name))
    return pd.concat(tables, ignore_index=True)


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


def scored_relations(treebank: Iterable[Sentence]) -> dict[str, np.ndarray]:
    """For each relation with a row of its own the places of its instances in the treebank, the most frequent first."""
    words = [word for sentence in treebank for word in sentence.words]
    relations = np.array([word.relation for word in words])
    is_to = np.array([is_infinitive_marker(word.form, word.relation) for word in words])
    masks = {name: relations == name for name in dict.fromkeys(relations.tolist()) if name not in _ONLY_IN_ALL}
    if is_to.any():
        masks[MARK_WITHOUT_TO] = (relations == "mark") & ~is_to
        masks[AUX_WITH_TO] = (relations == "aux") | is_to
    places = {name: np.flatnonzero(mask) for name, mask in masks.items()}
    frequent = [name for name in places if len(places[name]) >= _FEWEST_INSTANCES]
    return {name: places[name] for name in sorted(frequent, key=lambda name: (-len(places[name]), name))}


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


def _hits(predicted: np.ndarray, sentence: Sentence, variant: _Variant) -> np.ndarray:
    """Which predictors find the head of each word, ``[word, predictor]``: first attention heads, then offsets."""
    words = len(sentence.words)
    at_offset = np.arange(words) + np.array(variant.offsets)[:, None]
    if variant.stays_inside:
        at_offset = at_offset.clip(-1, words - 1)
    else:
        at_offset[(at_offset < 0) | (at_offset >= words)] = _NOWHERE
    predictions = np.concatenate([predicted.reshape(-1, words), at_offset])
    markers = variant.possessives(sentence)
    counted = predictions[:, [markers.get(place, place) for place in range(words)]]
    if variant.last_word_stands:
        counted = np.where(predictions == words - 1, predictions, counted)
    gold = np.array([word.head - 1 for word in sentence.words])
    return (counted == gold).T


def _instances(treebank: Sequence[Sentence]) -> dict[str, np.ndarray]:
    """Places in the treebank of the words that each row of the table counts."""
    relations = np.array([word.relation for sentence in treebank for word in sentence.words])
    everywhere = {
        ALL_RELATIONS: np.arange(len(relations)),
        ALL_WITHOUT_PUNCTUATION: np.flatnonzero(relations != "punct"),
    }
    return everywhere | scored_relations(treebank)


@dataclass(frozen=True)
class _Record:
    """Which predictors are right at each word of the treebank: ``bits`` ``[word, predictor / 8]``."""

    bits: np.ndarray
    sentence_of_word: np.ndarray
    second: np.ndarray  # which sentences are in the second half, [sentence]
    shape: tuple[int, int]  # layers, heads
    offsets: tuple[int, ...]

    @property
    def heads(self) -> int:
        """The number of predictors that are heads."""
        return len(DEPENDENCY_DIRECTIONS) * self.shape[0] * self.shape[1]

    def sums(self, words: np.ndarray) -> np.ndarray:
        """At how many of the words each predictor is right."""
        total = np.zeros(self.heads + len(self.offsets), dtype=np.int64)
        for first in range(0, len(words), _WORDS_AT_ONCE):
            some = self.bits[words[first : first + _WORDS_AT_ONCE]]
            total += np.unpackbits(some, axis=1, count=len(total)).sum(0, dtype=np.int64)
        return total

    def by_sentence(self, words: np.ndarray, choice: Choice, first_predictor: int) -> np.ndarray:
        """At how many of each sentence's words the chosen predictor is right; it counts from ``first_predictor``."""
        sentences = self.sentence_of_word[words]
        predictor = first_predictor + choice.scored(self.second)[sentences]
        right = self.bits[words, predictor // 8] >> (7 - predictor % 8) & 1
        return np.bincount(sentences, weights=right, minlength=len(self.second))

    def from_last(self) -> tuple[np.ndarray, np.ndarray]:
        """The heads (from the last layer, head and direction to the first) and the offsets, the last one first."""
        by_direction = np.arange(self.heads).reshape(len(DEPENDENCY_DIRECTIONS), -1)
        return by_direction.T.ravel()[::-1], np.arange(len(self.offsets))[::-1]

    def head_columns(self, predictor: int) -> dict[str, object]:
        """Layer, head and direction of a predictor that is a head, as a table names them."""
        direction, layer, head = np.unravel_index(predictor, (len(DEPENDENCY_DIRECTIONS), *self.shape))
        return {"layer": int(layer) + 1, "head": int(head) + 1, "direction": DEPENDENCY_DIRECTIONS[direction]}

    def offset_columns(self, place: int) -> dict[str, object]:
        """An offset, as a table names it."""
        return {"baseline_offset": self.offsets[place]}


def _choices(record: _Record, words: np.ndarray, prefers_last: bool) -> tuple[dict[str, Choice], dict[str, Choice]]:
    """By selection, the head (in a direction) and the offset that are right at the most words."""
    in_second = record.second[record.sentence_of_word[words]]
    first, second = (np.split(record.sums(words[half]), [record.heads]) for half in (~in_second, in_second))
    preferences = record.from_last() if prefers_last else (None, None)
    heads, offsets = (
        choices(of_first + of_second, of_first, of_second, preference)
        for of_first, of_second, preference in zip(first, second, preferences, strict=True)
    )
    return heads, offsets


def _rows(
    record: _Record, instances: Mapping[str, np.ndarray], chosen: Sequence[tuple[Choice, Choice]], seed: int
) -> Iterator[dict]:
    """The rows of one selection and variant, one for each set of instances, given their heads and offsets."""
    of_instances = list(zip(instances.values(), chosen, strict=True))
    head = np.stack([record.by_sentence(words, heads, 0) for words, (heads, _) in of_instances], axis=1)
    baseline = np.stack(
        [record.by_sentence(words, offsets, record.heads) for words, (_, offsets) in of_instances], axis=1
    )
    sentences = len(record.second)
    total = np.stack(
        [np.bincount(record.sentence_of_word[words], minlength=sentences) for words in instances.values()], axis=1
    )
    bounds = bootstrap_interval(np.hstack([head, baseline, head - baseline]), np.tile(total, 3), seed)
    (low, baseline_low, gain_low), (high, baseline_high, gain_high) = (np.split(bound, 3) for bound in bounds)
    n = total.sum(0)
    for place, (relation, (heads, offsets)) in enumerate(zip(instances, chosen, strict=True)):
        yield {
            "relation": relation,
            "accuracy": head[:, place].sum() / n[place],
            "low": low[place],
            "high": high[place],
            "baseline_accuracy": baseline[:, place].sum() / n[place],
            "baseline_low": baseline_low[place],
            "baseline_high": baseline_high[place],
            "gain_low": gain_low[place],
            "gain_high": gain_high[place],
            **heads.columns(record.head_columns),
            **offsets.columns(record.offset_columns),
            "n": n[place],
        }
