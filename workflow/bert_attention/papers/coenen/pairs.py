"""Pairs of words for the probes of Coenen et al. 2019, drawn from trees before any attention is read.

A pair is ordered: its first word attends to its second. A related pair is a dependent and its head, in this order. The
root of a sentence has no head. Pairs can be reversed, see :func:`pair_orders`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from bert_attention.corpora.types import Sentence

_FEWEST_WORDS = 3  # shorter sentences have no two unrelated words


@dataclass(frozen=True)
class WordPairs:
    """Ordered pairs of words of a treebank, each array ``[pair]``."""

    sentence: np.ndarray  # index of the pair's sentence in the treebank
    first: np.ndarray  # index of the word in the sentence, from 0
    second: np.ndarray  # index of the other word, from 0
    label: np.ndarray  # the target of a probe: the name of the relation, or True if the pair is related
    is_reversed: np.ndarray  # True if the pair is reversed in the direction "either"

    def __len__(self) -> int:
        return len(self.sentence)

    def select(self, selected: np.ndarray) -> WordPairs:
        """Return the pairs that are selected by their indices or by a mask."""
        return WordPairs(**{name: array[selected] for name, array in vars(self).items()})


def pair_orders(pairs: WordPairs, direction: str) -> np.ndarray:
    """Return the order of each pair, ``[pair]``: 0 as drawn, 1 reversed.

    ``dependent_to_head`` takes all pairs as drawn, ``head_to_dependent`` reverses all. ``either`` reverses the random
    half of the pairs for which ``is_reversed`` is True.
    """
    fixed = {"dependent_to_head": 0, "head_to_dependent": 1}
    return np.full(len(pairs), fixed[direction]) if direction in fixed else pairs.is_reversed.astype(int)


def related_pairs(treebank: Sequence[Sentence], max_pairs: int, seed: int) -> WordPairs:
    """Return pairs of a dependent and its head, labeled with the relation's name; punctuation is included.

    If there are more than ``max_pairs``, a random sample of ``max_pairs`` is returned.
    """
    random = np.random.default_rng(seed)
    pairs = _sample(_dependencies(treebank), max_pairs, random)
    return replace(pairs, is_reversed=random.integers(2, size=len(pairs)).astype(bool))


def binary_pairs(treebank: Sequence[Sentence], negatives: str, max_pairs: int, seed: int) -> WordPairs:
    """Return as many related as unrelated pairs, at most ``max_pairs`` together, labeled True if related.

    Both halves have the same number of pairs from each sentence. Two words are unrelated if neither is the head of the
    other. ``negatives`` says how unrelated pairs are drawn. ``random`` draws from all unrelated ordered pairs of the
    sentence. Because most relations are between neighbors, distance alone then predicts much. ``same_distance`` draws,
    for each related pair, an unrelated pair with the same distance on the same side. Related pairs without such a match
    are left out, so distance predicts nothing.
    """
    random = np.random.default_rng(seed)
    draw = {"random": _at_random, "same_distance": _at_same_distance}[negatives]
    dependencies = _dependencies(treebank)
    long_enough = np.array([len(sentence.words) >= _FEWEST_WORDS for sentence in treebank])
    related = _sample(dependencies.select(long_enough[dependencies.sentence]), max_pairs // 2, random)
    drawn = [(np.empty(0, dtype=int),) * 3]
    for index, start, count in zip(*np.unique(related.sentence, return_index=True, return_counts=True), strict=True):
        rows = slice(start, start + count)  # the pairs of the sentence
        draws = draw(_unrelated(treebank[index]), related.first[rows], related.second[rows], random)
        drawn += [(start + kept, firsts, seconds) for kept, firsts, seconds in draws]
    kept, firsts, seconds = (np.concatenate(parts) for parts in zip(*drawn, strict=True))
    related = related.select(kept)
    coins = random.integers(2, size=len(related)).astype(bool)
    return WordPairs(
        sentence=np.tile(related.sentence, 2),
        first=np.concatenate([related.first, firsts]),
        second=np.concatenate([related.second, seconds]),
        label=np.repeat([True, False], len(related)),
        is_reversed=np.tile(coins, 2),  # equal in both halves, so that distance does not predict the label
    )


def _dependencies(treebank: Sequence[Sentence]) -> WordPairs:
    """Return all pairs of a dependent and its head, in the order of the treebank."""
    rows = [
        (index, dependent, word.head - 1, word.relation)
        for index, sentence in enumerate(treebank)
        for dependent, word in enumerate(sentence.words)
        if word.head
    ]
    sentences, dependents, heads, relations = zip(*rows, strict=True) if rows else ((), (), (), ())
    indices = (np.array(column, dtype=np.int32) for column in (sentences, dependents, heads))
    return WordPairs(*indices, label=np.array(relations, dtype=str), is_reversed=np.zeros(len(rows), dtype=bool))


def _sample(pairs: WordPairs, max_pairs: int, random: np.random.Generator) -> WordPairs:
    """Return a random sample of at most ``max_pairs``, in the same order."""
    if len(pairs) <= max_pairs:
        return pairs
    return pairs.select(np.sort(random.choice(len(pairs), max_pairs, replace=False)))


def _unrelated(sentence: Sentence) -> np.ndarray:
    """Return True for ordered pairs of different words if neither word is the other's head, ``[n, n]``."""
    words = len(sentence.words)
    unrelated = ~np.eye(words, dtype=bool)
    heads = np.array([word.head - 1 for word in sentence.words])
    dependents = np.flatnonzero(heads >= 0)
    unrelated[dependents, heads[dependents]] = False
    unrelated[heads[dependents], dependents] = False
    return unrelated


def _at_random(
    unrelated: np.ndarray, dependents: np.ndarray, heads: np.ndarray, random: np.random.Generator
) -> Iterator[tuple[np.ndarray, ...]]:
    """Draw an unrelated pair for each related pair; a sentence of n > 2 words has (n - 1) (n - 2) unrelated pairs."""
    cells = random.choice(np.flatnonzero(unrelated), len(dependents), replace=False)
    yield np.arange(len(dependents)), *np.divmod(cells, len(unrelated))


def _at_same_distance(
    unrelated: np.ndarray, dependents: np.ndarray, heads: np.ndarray, random: np.random.Generator
) -> Iterator[tuple[np.ndarray, ...]]:
    """Draw, for each distance, equally many unrelated and related pairs, as many as possible."""
    distances = heads - dependents
    for distance in np.unique(distances):
        indices = np.flatnonzero(distances == distance)
        firsts = np.flatnonzero(np.diagonal(unrelated, distance)) + max(0, -distance)
        count = min(len(indices), len(firsts))
        firsts = random.permutation(firsts)[:count]
        yield random.permutation(indices)[:count], firsts, firsts + distance
