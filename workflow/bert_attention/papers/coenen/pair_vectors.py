"""Features of pairs of words for the probes of Coenen et al. 2019: attention, or distance alone.

Each pair ``(i, j)`` has two vectors: one for the order in which the pair was drawn, and one for ``(j, i)``.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from bert_attention.attention.store import StoredSequence
from bert_attention.papers.coenen.pairs import WordPairs

FARTHEST = 20  # words; greater distances are clipped to this distance


def attention_vectors(
    sets: Sequence[WordPairs], sentences: Sequence[int], sequences: Iterable[StoredSequence]
) -> list[np.ndarray]:
    """Return each set's model-wide attention vectors: ``[pair, order, layer * head]`` float32.

    A vector is the attention from word i to word j in every head (order 0), or from j to i (order 1). The sequences are
    the attention between words, [CLS] first and [SEP] last. ``sentences`` has the indices of their sentences in the
    treebank, in order, and all pairs are in these. Sequences are read once, one sentence in memory at a time. Sentences
    without pairs are skipped. Raise ValueError if the numbers of sentences and sequences differ.
    """
    sentence, first, second = (
        np.concatenate([getattr(pairs, name) for pairs in sets]) for name in ("sentence", "first", "second")
    )
    by_sentence = np.argsort(sentence, kind="stable")
    rows_by_sentence = np.split(by_sentence, np.searchsorted(sentence[by_sentence], sentences[1:]))
    vectors: np.ndarray | None = None
    for rows, sequence in zip(rows_by_sentence, sequences, strict=True):
        if not len(rows):
            continue
        both_orders = _between(sequence.attention, first[rows], second[rows])
        if vectors is None:
            vectors = np.empty((len(sentence), *both_orders.shape[1:]), dtype=np.float32)
        vectors[rows] = both_orders
    return np.split(vectors, np.cumsum([len(pairs) for pairs in sets])[:-1])


def _between(attention: np.ndarray, first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Return the attention between pairs of words, in both orders, ``[pair, order, layer * head]``."""
    queries, keys = np.stack([first, second]) + 1, np.stack([second, first]) + 1  # [CLS] is before the words
    maps = attention.reshape(-1, *attention.shape[-2:])
    return maps[:, queries, keys].transpose(2, 1, 0)


def distance_vectors(pairs: WordPairs) -> np.ndarray:
    """Return one-hot vectors of the distance from word i to word j, ``[pair, order, distance]`` float32.

    Distances are clipped to -20 and 20. Order 0 is from i to j, order 1 from j to i.
    """
    distance = (pairs.second - pairs.first).clip(-FARTHEST, FARTHEST)
    both_orders = np.stack([distance, -distance], axis=1)
    return (both_orders[..., None] == np.arange(-FARTHEST, FARTHEST + 1)).astype(np.float32)
