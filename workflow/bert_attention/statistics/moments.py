"""Mean, standard deviation and extremes of a stream of observations."""

from __future__ import annotations

import numpy as np


class Moments:
    """Count, mean, sum of squared deviations, minimum and maximum, in float64, for each entry of a common shape.

    Blocks of observations are joined as in Chan, Golub and LeVeque (1983, The American Statistician 37).
    """

    def __init__(self) -> None:
        self.n = 0
        self.mean: np.ndarray | float = 0.0
        self.min: np.ndarray | float = np.inf
        self.max: np.ndarray | float = -np.inf
        self._squares: np.ndarray | float = 0.0

    def add(self, value: np.ndarray | float) -> None:
        """Add one observation, an array of the common shape."""
        self.add_all(np.asarray(value)[..., None])

    def add_all(self, values: np.ndarray) -> None:
        """Add all observations of ``[..., observation]``, at least one for each entry."""
        added = values.shape[-1]
        mean = values.mean(-1, dtype=np.float64)
        deviations = values - mean[..., None]
        squares = np.einsum("...i,...i->...", deviations, deviations)
        n = self.n + added
        shift = mean - self.mean
        self.mean = self.mean + shift * (added / n)
        self._squares = self._squares + squares + shift**2 * (self.n * added / n)
        self.min = np.minimum(self.min, values.min(-1))
        self.max = np.maximum(self.max, values.max(-1))
        self.n = n

    @property
    def sd(self) -> np.ndarray:
        """Standard deviation of the observations themselves (divided by n), as numpy's default."""
        return np.sqrt(self._squares / self.n)

    @property
    def standard_error(self) -> np.ndarray:
        """Standard error of the mean; NaN for fewer than two observations."""
        if self.n < 2:
            return np.full(np.shape(self.mean), np.nan)
        return np.sqrt(self._squares / (self.n - 1) / self.n)
