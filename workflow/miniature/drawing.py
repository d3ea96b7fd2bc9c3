"""Random choices from a seed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeVar

import numpy as np

Choice = TypeVar("Choice")

_BLOCK = 4096  # numbers drawn at once: a single draw costs as much as building the word that it decides on


class Draw:
    """Random choices; the same seed gives the same ones."""

    def __init__(self, *seed: int):
        self._random = np.random.default_rng(seed)
        self._numbers: list[float] = []

    def fraction(self) -> float:
        """A number from 0 up to, not including, 1."""
        if not self._numbers:
            self._numbers = self._random.random(_BLOCK).tolist()
        return self._numbers.pop()

    def chance(self, probability: float) -> bool:
        """True with some probability."""
        return self.fraction() < probability

    def below(self, bound: int) -> int:
        """A whole number from 0 up to, not including, ``bound``."""
        return int(self.fraction() * bound)

    def pick(self, choices: Sequence[Choice]) -> Choice:
        """One of several, all equally likely."""
        return choices[self.below(len(choices))]

    def weighted(self, weights: Mapping[Choice, float]) -> Choice:
        """One of several, with a probability proportional to its weight."""
        left = self.fraction() * sum(weights.values())
        for choice, weight in weights.items():
            left -= weight
            if left < 0:
                return choice
        return choice

    def shuffled(self, items: Sequence[Choice]) -> list[Choice]:
        """The items in random order."""
        order = sorted((self.fraction(), place) for place in range(len(items)))
        return [items[place] for _, place in order]
