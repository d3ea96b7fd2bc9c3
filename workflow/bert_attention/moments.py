"""Streaming mean and variance that can be merged across shards."""

from __future__ import annotations

import numpy as np


class Moments:
    """Count, mean and sum of squared deviations of arrays of one shape, in float64, element by element.

    Updates and merges follow Chan, Golub and LeVeque (1983, The American Statistician 37), so that shards may be
    summarised apart and joined in any order.
    """

    def __init__(self) -> None:
        self.n = 0
        self.mean: np.ndarray | float = 0.0
        self._squares: np.ndarray | float = 0.0

    def add(self, values: np.ndarray) -> None:
        """Take one more observation, an array of the common shape."""
        values = np.asarray(values, dtype=np.float64)
        self.n += 1
        deviation = values - self.mean
        self.mean = self.mean + deviation / self.n
        self._squares = self._squares + deviation * (values - self.mean)

    def merge(self, other: Moments) -> None:
        """Take all observations of ``other``."""
        if other.n == 0:
            return
        n = self.n + other.n
        deviation = other.mean - self.mean
        self.mean = self.mean + deviation * (other.n / n)
        self._squares = self._squares + other._squares + deviation**2 * (self.n * other.n / n)
        self.n = n

    @property
    def standard_error(self) -> np.ndarray:
        """Standard error of the mean; NaN below two observations."""
        if self.n < 2:
            return np.full(np.shape(self.mean), np.nan)
        return np.sqrt(np.maximum(self._squares, 0) / (self.n - 1) / self.n)
