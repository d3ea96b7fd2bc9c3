"""Streaming mean, standard deviation and extremes of many observations at a time."""

from __future__ import annotations

import numpy as np


class Spread:
    """Count, mean, sum of squared deviations, minimum and maximum, in float64, for each entry of a common shape.

    Updates and merges follow Chan, Golub and LeVeque (1983, The American Statistician 37), so that shards may be
    summarised apart and joined in any order.
    """

    def __init__(self) -> None:
        self.n = 0
        self.mean: np.ndarray | float = 0.0
        self.min: np.ndarray | float = np.inf
        self.max: np.ndarray | float = -np.inf
        self._squares: np.ndarray | float = 0.0

    def add(self, values: np.ndarray) -> None:
        """Take all observations of ``[..., observation]``, at least one for each entry."""
        part = Spread()
        part.n = values.shape[-1]
        part.mean = values.mean(-1, dtype=np.float64)
        deviations = values - part.mean[..., None]
        part._squares = np.einsum("...i,...i->...", deviations, deviations)
        part.min, part.max = values.min(-1), values.max(-1)
        self.merge(part)

    def merge(self, other: Spread) -> None:
        """Take all observations of ``other``."""
        if other.n == 0:
            return
        n = self.n + other.n
        deviation = other.mean - self.mean
        self.mean = self.mean + deviation * (other.n / n)
        self._squares = self._squares + other._squares + deviation**2 * (self.n * other.n / n)
        self.min, self.max = np.minimum(self.min, other.min), np.maximum(self.max, other.max)
        self.n = n

    @property
    def sd(self) -> np.ndarray:
        """Standard deviation of the observations themselves (divided by n), as numpy's default."""
        return np.sqrt(self._squares / self.n)
