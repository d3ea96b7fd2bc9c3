"""Speed of the divergence between all heads, compared with the released formula, on random maps."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from benchmarks.measuring import Measurement, in_turn
from benchmarks.workloads import SEED, Workload
from bert_attention.papers.clark.head_distances import SMOOTHING, drawn_tokens, sums


@dataclass(frozen=True)
class Segment:
    """The part of a stored sequence that the analysis reads."""

    attention: np.ndarray
    index: int = 0


def segment_of(layers: int, heads: int, n: int) -> Segment:
    """Return a segment with peaked attention of n tokens, rounded as in a store."""
    weights = np.random.default_rng(SEED).standard_exponential((layers, heads, n, n), dtype=np.float32) ** 6
    attention = weights / weights.sum(-1, keepdims=True)
    return Segment(attention.astype(np.float16).astype(np.float32))


def released(attention: np.ndarray) -> np.ndarray:
    """Evaluate the formula of the released head_distances.py over all ordered pairs of heads, in float32.

    The released code uses float16, in which NumPy computes one number at a time.
    """
    n = attention.shape[-1]
    maps = attention.reshape(-1, *attention.shape[2:])
    totals = []
    for p in maps:
        p_smoothed = p * np.float32(1 - SMOOTHING) + np.float32(SMOOTHING / n)
        q_smoothed = maps * np.float32(1 - SMOOTHING) + np.float32(SMOOTHING / n)
        mean = (p_smoothed + q_smoothed) / 2
        divergence = p_smoothed * np.log(p_smoothed / mean) + q_smoothed * np.log(q_smoothed / mean)
        totals.append((divergence / 2).sum(-1).sum(-1))
    return np.array(totals)


def measure(workload: Workload, rounds: int) -> Iterator[Measurement]:
    """Measure the distances of one segment over the sampled tokens."""
    one = workload.first(1)
    segment = segment_of(*workload.shape, one.tokens)
    drawn = drawn_tokens(segment.index, one.tokens)
    found = {}
    times = in_turn(
        {
            "bare": one.bare_forward,
            "plain": lambda: found.update(plain=released(segment.attention[:, :, drawn])),
            "ours": lambda: found.update(ours=sums(segment)),
        },
        rounds,
    )
    pairs = np.triu_indices(np.prod(workload.shape), k=1)
    difference = np.abs(found["ours"]["divergence"] / one.tokens - found["plain"][pairs] / len(drawn)).max()
    amount = f"{len(drawn)} of {one.tokens} wordpieces of a segment"
    yield times.measurement("divergence of heads", workload, amount, f"to {difference:.0e} nats")
