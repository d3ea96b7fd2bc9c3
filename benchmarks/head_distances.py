"""The divergence between all heads beside the released formula, on maps drawn at random."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from benchmarks.measuring import Measurement, in_turn
from benchmarks.workloads import SEED, Workload
from bert_attention.clark.head_distances import SMOOTHING, head_distances


@dataclass(frozen=True)
class Segment:
    """All that the analysis reads of a stored sequence."""

    attention: np.ndarray


def segments(count: int, layers: int, heads: int, n: int) -> Iterator[Segment]:
    """Peaked attention of so many segments of n tokens, rounded as in a store; each is drawn when it is asked for."""
    random = np.random.default_rng(SEED)
    for _ in range(count):
        weights = random.standard_exponential((layers, heads, n, n), dtype=np.float32) ** 6
        attention = weights / weights.sum(-1, keepdims=True)
        yield Segment(attention.astype(np.float16).astype(np.float32))


def released(attention: np.ndarray) -> np.ndarray:
    """The formula of the released head_distances.py over all ordered pairs of heads, in float32.

    There it runs in float16, which NumPy computes one number at a time.
    """
    n = attention.shape[-1]
    maps = attention.reshape(-1, n, n)
    sums = []
    for p in maps:
        p_smoothed = p * np.float32(1 - SMOOTHING) + np.float32(SMOOTHING / n)
        q_smoothed = maps * np.float32(1 - SMOOTHING) + np.float32(SMOOTHING / n)
        mean = (p_smoothed + q_smoothed) / 2
        divergence = p_smoothed * np.log(p_smoothed / mean) + q_smoothed * np.log(q_smoothed / mean)
        sums.append((divergence / 2).sum(-1).sum(-1))
    return np.array(sums)


def measure(workload: Workload, rounds: int) -> Iterator[Measurement]:
    """One segment, with one thread and with all."""
    one = workload.first(1)
    (segment,) = segments(1, *workload.shape, one.tokens)
    found: dict[str, object] = {}
    functions = {
        "bare": one.bare_forward,
        "plain": lambda: found.update(plain=released(segment.attention)),
        1: lambda: found.update(ours=head_distances([segment])),
    }
    threads = os.cpu_count() or 1
    functions |= {threads: lambda: head_distances([segment], threads)} if threads > 1 else {}
    times = in_turn(functions, rounds)
    pairs = np.triu_indices(np.prod(workload.shape), k=1)
    difference = np.abs(found["ours"]["divergence"] - found["plain"][pairs] / one.tokens).max()
    for count in sorted({1, threads}):
        yield Measurement(
            f"divergence of heads, {count} thread{'s' if count > 1 else ''}",
            workload.name,
            "cpu",
            f"one segment of {one.tokens} wordpieces",
            times.median(count),
            times.ratio(count, "bare"),
            times.ratio("plain", count),
            f"to {difference:.0e} nats",
        )
