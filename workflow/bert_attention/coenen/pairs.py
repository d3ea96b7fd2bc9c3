"""Pairs of words that the probes of Coenen et al. 2019 see, drawn from trees before any attention is read.

A pair is ordered: its first word attends, its second is attended to. A related pair is a dependent and its head, in
this order; the root of a sentence has none. Pairs can be turned round, see :func:`oriented`.
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
        Place of the pair's sentence in the treebank.
    first, second
        Places of the two words in the sentence, from 0.
    label
        What a probe has to tell: the name of the relation, or whether there is one.
    turned
        Whether the pair is turned round in the direction ``either``.
    """

    sentence: np.ndarray
    first: np.ndarray
    second: np.ndarray
    label: np.ndarray
    turned: np.ndarray

    def __len__(self) -> int:
        return len(self.sentence)

    def select(self, places: np.ndarray) -> WordPairs:
        """Some of the pairs, by their places or a mask."""
        return WordPairs(**{name: array[places] for name, array in vars(self).items()})


def oriented(pairs: WordPairs, direction: str) -> np.ndarray:
    """Which order each pair is seen in, ``[pair]``: 0 as it was drawn, 1 turned round.

    ``dependent_to_head`` takes all pairs as drawn, ``head_to_dependent`` turns all round, ``either`` those for which a
    coin said so.
    """
    fixed = {"dependent_to_head": 0, "head_to_dependent": 1}
    return np.full(len(pairs), fixed[direction]) if direction in fixed else pairs.turned.astype(int)


def related_pairs(treebank: Sequence[Sentence], most: int, seed: int) -> WordPairs:
    """Pairs of a dependent and its head, at most ``most``, labelled with the relation's name; punctuation counts, too.

    If there are more, they are a random sample.
    """
    random = np.random.default_rng(seed)
    pairs = _sample(_dependencies(treebank), most, random)
    return replace(pairs, turned=random.integers(2, size=len(pairs)).astype(bool))


def binary_pairs(treebank: Sequence[Sentence], negatives: str, most: int, seed: int) -> WordPairs:
    """As many related as unrelated pairs, at most ``most`` together; the label says whether a pair is related.

    Both halves come from the same sentences, from each sentence as many. Two words are unrelated if neither is the
    head of the other.

    Parameters
    ----------
    negatives
        How unrelated pairs are drawn. ``random``: at random from the ordered pairs of the sentence; as most relations
        are between neighbours, the distance of two words alone tells much. ``same_distance``: at random from those
        whose second word is as far from the first, on the same side, as the head of a related pair is from its
        dependent; related pairs for which there is none are left out. Distance then tells nothing.
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
        turned=np.tile(coins, 2),  # the two of a kind together, or distance would tell again
    )


def _dependencies(treebank: Sequence[Sentence]) -> WordPairs:
    """All pairs of a dependent and its head, in the order of the treebank."""
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
    """At most ``most`` of the pairs, in their order."""
    if len(pairs) <= most:
        return pairs
    return pairs.select(np.sort(random.choice(len(pairs), most, replace=False)))


def _unrelated(sentence: Sentence) -> np.ndarray:
    """Which ordered pairs of a sentence are of different words of which neither is the other's head, ``[n, n]``."""
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
    """An unrelated pair for each related one: a sentence of n > 2 words has (n - 1) (n - 2) of them."""
    cells = random.choice(np.flatnonzero(unrelated), len(dependents), replace=False)
    yield np.arange(len(dependents)), *np.divmod(cells, len(unrelated))


def _at_same_distance(
    unrelated: np.ndarray, dependents: np.ndarray, heads: np.ndarray, random: np.random.Generator
) -> Iterator[tuple[np.ndarray, ...]]:
    """For each distance as many unrelated pairs as related ones, as far as there are both."""
    distances = heads - dependents
    for distance in np.unique(distances):
        places = np.flatnonzero(distances == distance)
        firsts = np.flatnonzero(np.diagonal(unrelated, distance)) + max(0, -distance)
        both = min(len(places), len(firsts))
        firsts = random.permutation(firsts)[:both]
        yield random.permutation(places)[:both], firsts, firsts + distance
