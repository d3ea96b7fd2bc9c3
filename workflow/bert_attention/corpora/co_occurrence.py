"""Pointwise mutual information of word pairs: which words of a corpus are near each other more often than by chance.

An exponent smooths the distribution of the second word, because rare words would otherwise score highest (Levy,
Goldberg and Dagan 2015, "Improving Distributional Similarity with Lessons Learned from Word Embeddings").
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from scipy import sparse

Sentences = Iterable[Sequence[str]]

WINDOW = 10  # maximum distance of a pair's two words
MIN_COUNT = 3  # minimum count: rarer pairs are unreliable
SMOOTHING = 0.75


class CoOccurrences:
    """Counts of the word pairs of a corpus that are at most ``WINDOW`` words apart in one sentence."""

    def __init__(self, articles: Mapping[str, Sentences]):
        """Count the pairs of all articles; ``articles`` maps titles to sentences of words."""
        words = sorted({word for sentences in articles.values() for sentence in sentences for word in sentence})
        self._ids = {word: index for index, word in enumerate(words)}
        self._unknown = len(words)
        self._articles = articles
        self._pairs_of_articles: dict[str, sparse.csr_array] = {}
        self._pairs = self._count(sentence for sentences in articles.values() for sentence in sentences)
        self._word_totals = self._pairs.sum(axis=1)

    def information(self, words: Sequence[str], excluded: str) -> np.ndarray:
        """Return the pointwise mutual information (nats) of each pair of words, ``[word, other word]``.

        The information that ``w`` gives about ``v`` is ``log(p(w, v) / (p(w) p'(v)))``, where ``p'(v)`` is proportional
        to ``n(v) ** SMOOTHING``. The value is minus infinity if the pair occurs fewer than ``MIN_COUNT`` times.
        ``excluded`` is the title of an article whose pairs are not counted, so that a text does not score its own
        words. A title that is not in the corpus excludes nothing.
        """
        if excluded not in self._pairs_of_articles:
            self._pairs_of_articles[excluded] = self._count(self._articles.get(excluded, ()))
        own = self._pairs_of_articles[excluded]
        ids = np.array([self._ids.get(word, self._unknown) for word in words], dtype=int)  # dtype for an empty list
        pairs = (self._pairs[ids][:, ids] - own[ids][:, ids]).toarray()
        word_totals = self._word_totals - own.sum(axis=1)
        smoothed = word_totals.astype(np.float64) ** SMOOTHING
        with np.errstate(divide="ignore", invalid="ignore"):
            information = np.log(pairs * smoothed.sum() / np.outer(word_totals[ids], smoothed[ids]))
        return np.where(pairs >= MIN_COUNT, information, -np.inf)

    def _count(self, sentences: Sentences) -> sparse.csr_array:
        """Count each pair in either order, ``[word, other word]``; the last row and column are for unknown words."""
        # Concatenate the sentences with gaps so wide that no pair crosses a boundary.
        gap = [self._unknown] * WINDOW
        ids = [index for sentence in sentences for index in (*(self._ids[word] for word in sentence), *gap)]
        text = np.array(ids, dtype=np.int64)
        shape = (self._unknown + 1, self._unknown + 1)
        pairs = sparse.csr_array(shape, dtype=np.int64)
        for distance in range(1, WINDOW + 1):
            first, second = text[:-distance], text[distance:]
            inside = (first != self._unknown) & (second != self._unknown)
            ones = np.ones(inside.sum(), dtype=np.int64)
            pairs += sparse.csr_array((ones, (first[inside], second[inside])), shape)
        return sparse.csr_array(pairs + pairs.T)
