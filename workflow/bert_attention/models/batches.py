"""Batches of sequences of similar length, which need little padding."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TypeVar

from bert_attention.statistics.sums import blocks_of

Found = TypeVar("Found")

_LARGEST_BATCH = 256  # sequences


def batches_of_like_length(lengths: Sequence[int], batch_size: int) -> list[list[int]]:
    """Return the indexes of the sequences in each batch, longest first, so that too large a batch fails at once."""
    order = sorted(range(len(lengths)), key=lambda place: -lengths[place])
    return [order[start : start + batch_size] for start in range(0, len(order), batch_size)]


def batches_of_like_cost(lengths: Sequence[int], batch_size: int) -> list[list[int]]:
    """Return batches as :func:`batches_of_like_length` does, but with more sequences in batches of shorter sequences.

    The batch of the longest sequences has ``batch_size`` of them. No other batch has more cells of attention.
    """
    order = sorted(range(len(lengths)), key=lambda place: -lengths[place])
    cells = batch_size * lengths[order[0]] ** 2 if order else 0
    batches = []
    while order:
        size = max(batch_size, min(cells // lengths[order[0]] ** 2, _LARGEST_BATCH))
        batches.append(order[:size])
        order = order[size:]
    return batches


def run_in_blocks(
    lengths: Sequence[int], batch_size: int, run: Callable[[list[int]], Iterable[Found]]
) -> Iterator[Found]:
    """Run sequences in batches of similar length, and yield the result of each sequence in the original order.

    The sequences are run in 20 blocks, so that memory holds the results of one block at a time.

    Parameters
    ----------
    run
        Returns the result of each sequence of a batch, given the indexes of the sequences.
    """
    for block in blocks_of(range(len(lengths))):
        found: dict[int, Found] = {}
        for batch in batches_of_like_length([lengths[place] for place in block], batch_size):
            places = [block[number] for number in batch]
            found |= zip(places, run(places), strict=True)
        yield from (found[place] for place in block)
