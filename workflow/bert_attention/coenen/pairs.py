"""Pairs of words for the probes of Coenen et al. 2019, drawn from trees before any attention is read.

A pair is ordered: its first word attends to its second. A related pair is a dependent and its head, in this order; the
root of a sentence has no head. Pairs can be reversed, see :func:`oriented`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from bert_attention.corpora.types import Sentence

_FEWEST_WORDS = 3  # shorter sentences have no two unrelated words


@dataclass(frozen=True)
class WordPairs:
    """Ordered pairs of words of a treebank, each array ``[pair]``.

    Attributes
    ----------
    sentence
        Index of the pair's sentence in the treebank.
    first, second
        Indices of the two words in the sentence, from 0.
    label
        The target of a probe: the name of the relation, or True if the pair is related.
    turned
        True if the pair is reversed in the direction ``either``.
    """

    sentence: np.ndarray
    first: np.ndarray
    second: np.ndarray
    label: np.ndarray
    turned: np.ndarray

    def __len__(self) -> int:
        return len(self.sentence)

    def select(self, places: np.ndarray) -> WordPairs:
        """Return some of the pairs, by their indices or a mask."""
        return WordPairs(**{name: array[places] for name, array in vars(self).items()})


def oriented(pairs: WordPairs, direction: str) -> np.ndarray:
    """Return the order of each pair, ``[pair]``: 0 as drawn, 1 reversed.

    ``dependent_to_head`` takes all pairs as drawn, ``head_to_dependent`` reverses all. ``either`` reverses the pairs
    that are ``turned``, which a coin toss decided.
    """
    fixed = {"dependent_to_head": 0, "head_to_dependent": 1}
    return np.full(len(pairs), fixed[direction]) if direction in fixed else pairs.turned.astype(int)


def related_pairs(treebank: Sequence[Sentence], most: int, seed: int) -> WordPairs:
    """Return pairs of a dependent and its head, labeled with the relation's name; punctuation counts, too.

    If there are more than ``most`` pairs, a random sample of ``most`` is returned.
    """
    random = np.random.default_rng(seed)
    pairs = _sample(_dependencies(treebank), most, random)
    return replace(pairs, turned=random.integers(2, size=len(pairs)).astype(bool))


def binary_pairs(treebank: Sequence[Sentence], negatives: str, most: int, seed: int) -> WordPairs:
    """Return as many related as unrelated pairs, at most ``most`` together, labeled True if related.

    Both halves have the same number of pairs from each sentence. Two words are unrelated if neither is the head of the
    other.

    Parameters
    ----------
    negatives
        The drawing of unrelated pairs. ``random`` draws from all unrelated ordered pairs of the sentence. Because most
        relations are between neighbors, distance alone then predicts much. ``same_distance`` draws from those whose
        second word is as far from the first, on the same side, as a related pair's head is from its dependent. Related
        pairs without such a match are left out, so distance predicts nothing.
    """
    random = np.random.default_rng(seed)
    draw = {"random": _at_random, "same_distance": _at_same_distance}[negatives]
    dependencies = _dependencies(treebank)
    long_enough = np.array([len(sentence.words) >= _FEWEST_WORDS for sentence in treebank])
    related = _sample(dependencies.select(long_enough[dependencies.sentence]), most // 2, random)
    drawn = [(np.empty(0, dtype=int),) * 3]
    for place, start, count in zip(*np.unique(related.sentence, return_index=True, return_counts=True), strict=True):
        here = slice(start, start + count)
        of_sentence = draw(_unrelated(treebank[place]), related.first[here], related.second[here], random)
        drawn += [(start + kept, firsts, seconds) for kept, firsts, seconds in of_sentence]
    kept, firsts, seconds = (np.concatenate(parts) for parts in zip(*drawn, strict=True))
    related = related.select(kept)
    coins = random.integers(2, size=len(related)).astype(bool)
    return WordPairs(
        sentence=np.tile(related.sentence, 2),
        first=np.concatenate([related.first, firsts]),
        second=np.concatenate([related.second, seconds]),
        label=np.repeat([True, False], len(related)),
        turned=np.tile(coins, 2),  # related and unrelated pairs alike, or distance would predict the label again
    )


def _dependencies(treebank: Sequence[Sentence]) -> WordPairs:
    """Return all pairs of a dependent and its head, in the order of the treebank."""
    rows = [
        (place, dependent, word.head - 1, word.relation)
        for place, sentence in enumerate(treebank)
        for dependent, word in enumerate(sentence.words)
        if word.head
    ]
    sentences, dependents, heads, relations = zip(*rows, strict=True) if rows else ((), (), (), ())
    places = (np.array(column, dtype=np.int32) for column in (sentences, dependents, heads))
    return WordPairs(*places, label=np.array(relations, dtype=str), turned=np.zeros(len(rows), dtype=bool))


def _sample(pairs: WordPairs, most: int, random: np.random.Generator) -> WordPairs:
    """Return at most ``most`` of the pairs, in their order."""
    if len(pairs) <= most:
        return pairs
    return pairs.select(np.sort(random.choice(len(pairs), most, replace=False)))


def _unrelated(sentence: Sentence) -> np.ndarray:
    """Return True for the ordered pairs of different words of which neither is the other's head, ``[n, n]``."""
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
    """Draw an unrelated pair for each related pair: a sentence of n > 2 words has (n - 1) (n - 2) of them."""
    cells = random.choice(np.flatnonzero(unrelated), len(dependents), replace=False)
    yield np.arange(len(dependents)), *np.divmod(cells, len(unrelated))


def _at_same_distance(
    unrelated: np.ndarray, dependents: np.ndarray, heads: np.ndarray, random: np.random.Generator
) -> Iterator[tuple[np.ndarray, ...]]:
    """Draw, for each distance, equally many unrelated and related pairs, as many as there are of both."""
    distances = heads - dependents
    for distance in np.unique(distances):
        places = np.flatnonzero(distances == distance)
        firsts = np.flatnonzero(np.diagonal(unrelated, distance)) + max(0, -distance)
        both = min(len(places), len(firsts))
        firsts = random.permutation(firsts)[:both]
        yield random.permutation(places)[:both], firsts, firsts + distance
