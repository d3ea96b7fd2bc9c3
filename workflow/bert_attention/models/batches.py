"""Batches of sequences of similar length, which need little padding."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TypeVar

from bert_attention.statistics.sums import blocks_of

Result = TypeVar("Result")

_LARGEST_BATCH = 256  # sequences


def batches_by_length(lengths: Sequence[int], batch_size: int) -> list[list[int]]:
    """Return the indices of the sequences in each batch.

    The longest sequences come first, so that a batch that exceeds the memory fails at once.
    """
    order = sorted(range(len(lengths)), key=lambda index: -lengths[index])
    return [order[start : start + batch_size] for start in range(0, len(order), batch_size)]


def batches_by_cost(lengths: Sequence[int], batch_size: int) -> list[list[int]]:
    """Return batches as :func:`batches_by_length` does, but with more sequences in batches of shorter sequences.

    The first batch has ``batch_size`` sequences. No other batch has more cells of attention.
    """
    order = sorted(range(len(lengths)), key=lambda index: -lengths[index])
    cells = batch_size * lengths[order[0]] ** 2 if order else 0
    batches = []
    while order:
        size = max(batch_size, min(cells // lengths[order[0]] ** 2, _LARGEST_BATCH))
        batches.append(order[:size])
        order = order[size:]
    return batches


def run_in_blocks(
    lengths: Sequence[int], batch_size: int, run: Callable[[list[int]], Iterable[Result]]
) -> Iterator[Result]:
    """Run sequences in batches of similar length, and yield the result of each sequence in the original order.

    The sequences are run in 20 blocks, so that memory holds the results of one block at a time. ``run`` returns the
    result of each sequence of a batch, given the indices of the sequences.
    """
    for block in blocks_of(range(len(lengths))):
        results: dict[int, Result] = {}
        for batch in batches_by_length([lengths[index] for index in block], batch_size):
            indices = [block[index] for index in batch]
            results |= zip(indices, run(indices), strict=True)
        yield from (results[index] for index in block)
