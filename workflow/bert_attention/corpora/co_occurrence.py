"""Which words of a corpus stand near each other more often than chance: pointwise mutual information of word pairs.

As in Levy, Goldberg and Dagan 2015 ("Improving Distributional Similarity with Lessons Learned from Word Embeddings"),
the distribution of the second word is smoothed by an exponent; rare words would win otherwise.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

Sentences = Sequence[Sequence[str]]

WINDOW = 10  # words that two words of a sentence may be apart
LEAST = 3  # pairs that are seen less often tell nothing
SMOOTHING = 0.75

_UNKNOWN = -1  # instead of a word's number


class CoOccurrences:
    """Counts of the pairs of words of a corpus that stand at most ``WINDOW`` words apart in one sentence."""

    def __init__(self, articles: Mapping[str, Sentences]):
        """Count the pairs of all articles, which are sentences of words by title."""
        words = sorted({word for sentences in articles.values() for sentence in sentences for word in sentence})
        self._ids = {word: place for place, word in enumerate(words)}
        self._articles = articles
        self._counts_of_articles: dict[str, _PairCounts] = {}
        self._counts = self._count(sentence for sentences in articles.values() for sentence in sentences)

    def information(self, words: Sequence[str], without: str) -> np.ndarray:
        """Pointwise mutual information (nats) of each two of some words, ``[word, other word]``.

        ``log(p(w, v) / (p(w) p'(v)))`` with ``p'(v)`` in proportion to ``n(v) ** SMOOTHING``. It is what seeing ``w``
        tells of ``v``. Minus infinity if the pair occurs less than ``LEAST`` times.

        Parameters
        ----------
        without
            The title of an article whose pairs are not counted: a text should not tell which of its own words belong
            together. A title that is not in the corpus leaves out nothing.
        """
        own = self._counts_of_article(without)
        of_words = np.append(self._counts.of_words - own.of_words, 0)
        ids = np.array([self._ids.get(word, _UNKNOWN) for word in words])
        either_way = (self._key(ids[:, None], ids), self._key(ids, ids[:, None]))
        pairs = sum(self._counts.of_pairs(keys) - own.of_pairs(keys) for keys in either_way)
        pairs = np.where((ids[:, None] != _UNKNOWN) & (ids != _UNKNOWN), pairs, 0)
        smoothed = of_words.astype(np.float64) ** SMOOTHING
        with np.errstate(divide="ignore", invalid="ignore"):
            information = np.log(pairs * smoothed.sum() / np.outer(of_words[ids], smoothed[ids]))
        return np.where(pairs >= LEAST, information, -np.inf)

    def _counts_of_article(self, title: str) -> _PairCounts:
        if title not in self._counts_of_articles:
            self._counts_of_articles[title] = self._count(self._articles.get(title, ()))
        return self._counts_of_articles[title]

    def _count(self, sentences: Sentences) -> _PairCounts:
        ids = [np.array([self._ids[word] for word in sentence], dtype=np.int64) for sentence in sentences]
        # Sentences stand one after another, so far apart that no pair crosses a boundary.
        gap = np.full(WINDOW, _UNKNOWN)
        text = np.concatenate([part for sentence in ids for part in (sentence, gap)] or [gap])
        keys, counts = np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)
        for distance in range(1, WINDOW + 1):
            first, second = text[:-distance], text[distance:]
            inside = (first != _UNKNOWN) & (second != _UNKNOWN)
            found, times = np.unique(self._key(first[inside], second[inside]), return_counts=True)
            keys, place = np.unique(np.concatenate([keys, found]), return_inverse=True)
            counts = np.bincount(place, np.concatenate([counts, times]), len(keys)).astype(np.int64)
        of_words = np.zeros(len(self._ids), dtype=np.int64)
        for part in np.divmod(keys, max(1, len(self._ids))):
            np.add.at(of_words, part, counts)
        return _PairCounts(keys, counts, of_words)

    def _key(self, first: np.ndarray, second: np.ndarray) -> np.ndarray:
        """One number for each pair of words in this order."""
        return first * len(self._ids) + second


@dataclass(frozen=True)
class _PairCounts:
    """How often each pair occurs in this order: sorted ``keys`` with ``counts``; and in how many pairs each word is."""

    keys: np.ndarray
    counts: np.ndarray
    of_words: np.ndarray

    def of_pairs(self, keys: np.ndarray) -> np.ndarray:
        """How often each of some pairs occurs, in this order."""
        if not len(self.keys):
            return np.zeros(keys.shape, dtype=np.int64)
        place = np.minimum(np.searchsorted(self.keys, keys), len(self.keys) - 1)
        return np.where(self.keys[place] == keys, self.counts[place], 0)
