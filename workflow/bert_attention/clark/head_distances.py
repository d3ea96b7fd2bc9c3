"""Distances between attention heads (Clark et al. 2019, section 6, figure 6)."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pandas as pd

from bert_attention.attention.store import StoredSequence

# Share of the uniform distribution mixed into every row before the logarithm, as in the released head_distances.py.
SMOOTHING = 1e-3

# Cells of each head's map in a block, so that a block of 144 heads stays in the processor's cache. Sums within a block
# are in float32, sums of blocks in float64.
_BLOCK = 2048


def head_distances(sequences: Iterable[StoredSequence], threads: int = 1) -> pd.DataFrame:
    """Table ``clark_head_distances``: Jensen-Shannon divergence between any two heads, in nats, averaged over tokens.

    One row per unordered pair of heads, the head that comes first in the encoder as ``a``; ``n`` counts the tokens of
    all sequences. The paper and the released code sum over all tokens: that is ``divergence`` times ``n``.

    ``threads`` changes only the time: the order of summation is always the same.
    """
    total: np.ndarray | float = 0.0
    tokens = layers = heads = 0
    with ThreadPoolExecutor(threads) as pool:
        for sequence in sequences:
            attention = sequence.attention
            layers, heads, tokens = *attention.shape[:2], tokens + attention.shape[-1]
            total = total + divergence_sums(attention, pool.map)
    a, b = np.triu_indices(layers * heads, k=1)
    return pd.DataFrame(
        {
            "layer_a": a // heads + 1,
            "head_a": a % heads + 1,
            "layer_b": b // heads + 1,
            "head_b": b % heads + 1,
            "divergence": total[a, b] / tokens,
            "n": tokens,
        }
    )


def divergence_sums(attention: np.ndarray, over_blocks: Callable = map) -> np.ndarray:
    """Jensen-Shannon divergence between the rows of any two heads, in nats, summed over the rows of one sequence.

    With P and Q a row of two heads, smoothed, and M = (P + Q) / 2, the released (KL(P, M) + KL(Q, M)) / 2 equals
    H(M) - (H(P) + H(Q)) / 2 (Lin 1991, IEEE Transactions on Information Theory 37). That takes one logarithm per cell
    and unordered pair instead of two per ordered pair. It holds even if float16 rows do not quite sum to one.

    Parameters
    ----------
    attention
        ``[layer, head, query, key]`` float32, rows summing to one.
    over_blocks
        Applies a function to each block, as ``map`` does; the ``map`` of a pool works on several at once.

    Returns
    -------
    ``[layer * head, layer * head]`` float64, the upper triangle; zero elsewhere.
    """
    n = attention.shape[-1]
    heads = attention.shape[0] * attention.shape[1]
    halves = attention.reshape(heads, n * n) * np.float32((1 - SMOOTHING) / 2) + np.float32(SMOOTHING / n / 2)
    blocks = (np.ascontiguousarray(halves[:, start : start + _BLOCK]) for start in range(0, n * n, _BLOCK))
    negative_entropy = sum(over_blocks(_negative_entropies_of_means, blocks))  # of M; on the diagonal, of P itself
    own = np.diagonal(negative_entropy)
    return np.triu((own[:, None] + own) / 2 - negative_entropy, k=1).clip(min=0)


def _negative_entropies_of_means(halves: np.ndarray) -> np.ndarray:
    """Sum of M ln M over some cells, for the mean M of any two heads: ``[head, cell]`` halved to ``[head, head]``."""
    heads = len(halves)
    sums = np.zeros((heads, heads))
    means, logarithms = np.empty_like(halves), np.empty_like(halves)
    for a in range(heads):
        mean = np.add(halves[a], halves[a:], out=means[a:])
        # NumPy's log2 of float32 takes two thirds of the time of its log with AVX-512.
        sums[a, a:] = np.vecdot(mean, np.log2(mean, out=logarithms[a:]))
    return sums * np.log(2)
