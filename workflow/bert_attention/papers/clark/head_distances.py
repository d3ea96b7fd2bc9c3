"""Distances between attention heads (Clark et al. 2019, section 6, figure 6)."""

from __future__ import annotations

import numpy as np
import pandas as pd

from bert_attention.attention.store import StoredSequence
from bert_attention.statistics.sums import Sums

# Share of the uniform distribution mixed into every row before the logarithm, as in the released head_distances.py.
SMOOTHING = 1e-3

# Number of tokens drawn from each sequence; all tokens of a shorter sequence are used.
_DRAWN = 16

# Cells of each head's map in a block. A block of 144 heads fits in the processor's cache. Sums within a block are
# float32, sums of blocks float64.
_BLOCK = 2048


def sums(sequence: StoredSequence) -> dict[str, np.ndarray | int]:
    """Return a sequence's sums: the divergence of any two heads over its tokens ``[pair]``, and numbers of tokens.

    The time grows with the square of the number of heads, so only 16 tokens of each sequence are drawn at random.
    Their divergence is scaled up to the number of tokens. Drawing tokens adds variation between sequences, which widens
    the confidence intervals.
    """
    attention = sequence.attention
    layers, heads, tokens, _ = attention.shape
    drawn = drawn_tokens(sequence.index, tokens)
    divergences = divergence_sums(attention[:, :, drawn])
    return {
        "divergence": divergences[np.triu_indices(layers * heads, k=1)] * (tokens / len(drawn)),
        "tokens": tokens,
        "drawn": np.full((layers, heads), len(drawn)),
    }


def table(sums: Sums) -> pd.DataFrame:
    """Return table ``clark_head_distances``: Jensen-Shannon divergence between any two heads, in nats, per token.

    There is one row per unordered pair of heads; ``a`` is the head that comes first in the encoder. ``n`` is the
    number of tokens drawn. The paper and the released code sum over all tokens instead of averaging.
    """
    layers, heads = sums["drawn"].shape
    a, b = np.triu_indices(layers * heads, k=1)
    return pd.DataFrame(
        {
            "layer_a": a // heads + 1,
            "head_a": a % heads + 1,
            "layer_b": b // heads + 1,
            "head_b": b % heads + 1,
            "divergence": sums["divergence"] / sums["tokens"],
            "n": sums["drawn"][0, 0],
        }
    )


def drawn_tokens(index: int, tokens: int) -> np.ndarray:
    """Return the sorted indices of the tokens drawn from a sequence; its ``index`` in the corpus seeds the drawing."""
    return np.sort(np.random.default_rng(index).permutation(tokens)[:_DRAWN])


def divergence_sums(attention: np.ndarray) -> np.ndarray:
    """Return the Jensen-Shannon divergence between the rows of any two heads, in nats, summed over the rows.

    Let P and Q be the smoothed rows of two heads, and M = (P + Q) / 2. The released (KL(P, M) + KL(Q, M)) / 2 equals
    H(M) - (H(P) + H(Q)) / 2 (Lin 1991, IEEE Transactions on Information Theory 37). The latter takes one logarithm per
    cell and unordered pair instead of two per ordered pair, and tolerates float16 rows that do not quite sum to one.
    The attention is ``[layer, head, query, key]`` float32 with rows summing to one; queries can be a part of the
    tokens. The result is ``[layer * head, layer * head]`` float64, zero outside the upper triangle.
    """
    layers, heads, _, keys = attention.shape
    halves = attention.reshape(layers * heads, -1) * np.float32((1 - SMOOTHING) / 2) + np.float32(SMOOTHING / keys / 2)
    blocks = (np.ascontiguousarray(halves[:, start : start + _BLOCK]) for start in range(0, halves.shape[1], _BLOCK))
    negative_entropy = sum(map(_negative_entropies_of_means, blocks))  # -H(M), and on the diagonal -H(P)
    own = np.diagonal(negative_entropy)
    return np.triu((own[:, None] + own) / 2 - negative_entropy, k=1).clip(min=0)


def _negative_entropies_of_means(halves: np.ndarray) -> np.ndarray:
    """Sum M ln M over cells for the mean M of any two heads, ``[head, head]``; ``halves`` is halved attention."""
    heads = len(halves)
    totals = np.zeros((heads, heads))
    means, logarithms = np.empty_like(halves), np.empty_like(halves)
    for a in range(heads):
        mean = np.add(halves[a], halves[a:], out=means[a:])
        # NumPy's log2 of float32 takes two thirds of the time of its log with AVX-512.
        totals[a, a:] = np.vecdot(mean, np.log2(mean, out=logarithms[a:]))
    return totals * np.log(2)
