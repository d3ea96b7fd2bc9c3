"""Batches of sequences of similar length, so that there is little padding."""

from __future__ import annotations

from collections.abc import Sequence

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
