"""Random samples of corpora."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

import numpy as np

Item = TypeVar("Item")


def sample(items: Sequence[Item], size: int | None, *seed: int) -> list[Item]:
    """Draw a random sample in the items' order, without replacement, or all items if ``size`` is None or too large."""
    if size is None or size >= len(items):
        return list(items)
    indices = np.random.default_rng(seed).choice(len(items), size, replace=False)
    return [items[index] for index in np.sort(indices)]
