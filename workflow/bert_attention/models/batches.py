"""Batches of sequences of similar length, so that there is little padding."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TypeVar

from bert_attention.statistics.sums import blocks_of

Found = TypeVar("Found")

_LARGEST_BATCH = 256  # sequences


def batches_of_like_length(lengths: Sequence[int], batch_size: int) -> list[list[int]]:
    """Places of the sequences in each batch, the longest first: little padding, and too large a batch fails at once."""
    order = sorted(range(len(lengths)), key=lambda place: -lengths[place])
    return [order[start : start + batch_size] for start in range(0, len(order), batch_size)]


def batches_of_like_cost(lengths: Sequence[int], batch_size: int) -> list[list[int]]:
    """As :func:`batches_of_like_length`, but batches of shorter sequences have more of them.

    The batch of the longest has ``batch_size`` sequences; no other batch has more cells of attention.
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
    """What comes of each sequence, in order, where sequences are run in batches of like length.

    The sequences are run in 20 parts, one after the other: no more is held than what comes of a part.

    Parameters
    ----------
    run
        From the places of the sequences of a batch to what comes of each.
    """
    for block in blocks_of(range(len(lengths))):
        found: dict[int, Found] = {}
        for batch in batches_of_like_length([lengths[place] for place in block], batch_size):
            places = [block[number] for number in batch]
            found |= zip(places, run(places), strict=True)
        yield from (found[place] for place in block)
