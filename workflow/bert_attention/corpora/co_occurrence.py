"""Which words of a corpus stand near each other more often than chance: pointwise mutual information of word pairs.

As in Levy, Goldberg and Dagan 2015 ("Improving Distributional Similarity with Lessons Learned from Word Embeddings"),
the distribution of the second word is smoothed by an exponent; rare words would win otherwise.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from scipy import sparse

Sentences = Iterable[Sequence[str]]

WINDOW = 10  # words that two words of a sentence may be apart
LEAST = 3  # pairs that are seen less often tell nothing
SMOOTHING = 0.75


class CoOccurrences:
    """Counts of the pairs of words of a corpus that stand at most ``WINDOW`` words apart in one sentence."""

    def __init__(self, articles: Mapping[str, Sentences]):
        """Count the pairs of all articles, which are sentences of words by title."""
        words = sorted({word for sentences in articles.values() for sentence in sentences for word in sentence})
        self._ids = {word: place for place, word in enumerate(words)}
        self._unknown = len(words)
        self._articles = articles
        self._pairs_of_articles: dict[str, sparse.csr_array] = {}
        self._pairs = self._count(sentence for sentences in articles.values() for sentence in sentences)
        self._of_words = self._pairs.sum(axis=1)

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
        if without not in self._pairs_of_articles:
            self._pairs_of_articles[without] = self._count(self._articles.get(without, ()))
        own = self._pairs_of_articles[without]
        ids = np.array([self._ids.get(word, self._unknown) for word in words], dtype=int)  # also where there are none
        pairs = (self._pairs[ids][:, ids] - own[ids][:, ids]).toarray()
        of_words = self._of_words - own.sum(axis=1)
        smoothed = of_words.astype(np.float64) ** SMOOTHING
        with np.errstate(divide="ignore", invalid="ignore"):
            information = np.log(pairs * smoothed.sum() / np.outer(of_words[ids], smoothed[ids]))
        return np.where(pairs >= LEAST, information, -np.inf)

    def _count(self, sentences: Sentences) -> sparse.csr_array:
        """How often each pair occurs, in either order, ``[word, other word]``; the last is for words never seen."""
        # Sentences stand one after another, so far apart that no pair crosses a boundary.
        gap = [self._unknown] * WINDOW
        ids = [place for sentence in sentences for place in (*(self._ids[word] for word in sentence), *gap)]
        text = np.array(ids, dtype=np.int64)
        shape = (self._unknown + 1, self._unknown + 1)
        pairs = sparse.csr_array(shape, dtype=np.int64)
        for distance in range(1, WINDOW + 1):
            first, second = text[:-distance], text[distance:]
            inside = (first != self._unknown) & (second != self._unknown)
            ones = np.ones(inside.sum(), dtype=np.int64)
            pairs += sparse.csr_array((ones, (first[inside], second[inside])), shape)
        return sparse.csr_array(pairs + pairs.T)
