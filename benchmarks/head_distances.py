"""What the distances between all heads cost beside the released formula, on maps drawn at random.

    python benchmarks/head_distances.py --segments 8

prints a Markdown table. Both are run in turn on each segment, so that the ratio of their times holds on a noisy
machine; memory is the peak of a process of its own.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import re
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "workflow"))

from bert_attention.clark.head_distances import SMOOTHING, head_distances  # noqa: E402

CORPUS = 992  # segments of the released Wikipedia data


@dataclass(frozen=True)
class Segment:
    """All that the analysis reads of a stored sequence."""

    attention: np.ndarray


def segments(count: int, layers: int, heads: int, n: int) -> Iterator[Segment]:
    """Peaked attention of so many segments of n tokens, rounded as in a store; each is drawn when it is asked for."""
    random = np.random.default_rng(0)
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


def seconds(function: Callable, *arguments: object) -> tuple[float, object]:
    """Wall time of one call, and its result."""
    started = time.perf_counter()
    result = function(*arguments)
    return time.perf_counter() - started, result


def peak_memory(count: int, layers: int, heads: int, n: int) -> float:
    """Peak resident memory, in GB, of a process that measures so many segments and does nothing else."""
    head_distances(segments(count, layers, heads, n))
    status = Path("/proc/self/status").read_text(encoding="utf-8")  # getrusage would count the parent's peak
    return int(re.search(r"VmHWM:\s+(\d+) kB", status)[1]) / 1e6


def main() -> None:
    """Measure and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--segments", type=int, default=8, help="segments to measure (default: 8)")
    parser.add_argument("--tokens", type=int, default=119, help="tokens of a segment (default: 119)")
    parser.add_argument("--layers", type=int, default=12)
    parser.add_argument("--heads", type=int, default=12, help="heads of a layer")
    parser.add_argument("--threads", type=int, default=os.cpu_count(), help="CPU threads (default: all)")
    arguments = parser.parse_args()
    shape = (arguments.layers, arguments.heads, arguments.tokens)
    pairs = np.triu_indices(arguments.layers * arguments.heads, k=1)
    head_distances(segments(1, *shape))  # warms up
    times = []
    for segment in segments(arguments.segments, *shape):
        plain, sums = seconds(released, segment.attention)
        one, table = seconds(head_distances, [segment])
        several, _ = seconds(head_distances, [segment], arguments.threads)
        difference = np.abs(table["divergence"] - sums[pairs] / arguments.tokens).max()
        times.append((plain, one, several, plain / one, plain / several, difference))
    plain, one, several, ratio, threaded_ratio, _ = (statistics.median(column) for column in zip(*times, strict=True))
    with multiprocessing.get_context("spawn").Pool(1, maxtasksperchild=1) as pool:
        counts = (arguments.segments, 4 * arguments.segments)
        memory = pool.starmap(peak_memory, [(count, *shape) for count in counts], chunksize=1)
    print(
        f"{arguments.layers} x {arguments.heads} heads, {arguments.tokens} tokens, medians of {len(times)} segments\n"
    )
    print("| what | measured |\n|---|---|")
    print(f"| released formula, in float32 | {plain:.3f} s |")
    print(f"| table clark_head_distances, 1 thread | {one:.3f} s |")
    print(f"| table clark_head_distances, {arguments.threads} threads | {several:.3f} s |")
    print(f"| released formula / 1 thread | {ratio:.1f} |")
    print(f"| released formula / {arguments.threads} threads | {threaded_ratio:.1f} |")
    print(f"| {CORPUS} segments, {arguments.threads} threads, extrapolated | {several * CORPUS:.0f} s |")
    print(f"| largest difference between the two, mean of a token | {max(row[-1] for row in times):.1e} nats |")
    for count, peak in zip(counts, memory, strict=True):
        print(f"| peak memory of {count} segments | {peak:.2f} GB |")


if __name__ == "__main__":
    main()
