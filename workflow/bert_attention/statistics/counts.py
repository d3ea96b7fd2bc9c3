"""Counts of numbers beyond a limit, such as the heads that give most of their attention to the next token.

A count of estimates is as uncertain as the estimates. Simultaneous intervals (Bonferroni over all numbers) show which
numbers are surely beyond the limit, and which are possibly beyond the limit. These two counts are the bounds of the
interval. The interval covers the true count at least as often as it claims, even if the numbers depend on each other.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import ndtri

from bert_attention.statistics.jackknife import COVERAGE, Estimate, Replicates, estimate

# Decimal places of a sum. Further decimals are rounding noise.
_DIGITS = 12
# Relative precision of the bisection for a p-value.
_PRECISION = 1e-6


@dataclass(frozen=True)
class Count:
    """A weighted sum of counts, such as a share, or the difference of two shares."""

    weights: np.ndarray  # what each number adds to the sum if counted, ``[number]``; ``[sum, number]`` for several sums
    counted: np.ndarray  # True for the numbers beyond the limit
    p_values: np.ndarray  # the two-sided p-value of the limit, for each number; NaN if the number has no interval
    of_seeds: Estimate | None = None  # mean sum over seeds of training or of random drawing; None for one seed

    def bounds(self, level: float = 1 - COVERAGE) -> tuple[Any, Any]:
        """Return the bounds of the sum. The true sum is outside with a probability of at most ``level``.

        Bounds of several sums are arrays. Then ``level`` limits the probability that any true sum is outside.
        """
        if np.isnan(self.p_values).any():
            return np.nan, np.nan
        margin = np.zeros(self.weights.shape[:-1])
        if self.of_seeds:
            level /= 2  # half of the errors for the numbers, half for the seeds
            margin = self.of_seeds.margin(1 - level / max(1, margin.size))
        sure = self.p_values * len(self.p_values) <= level
        surely, possibly = sure & self.counted, ~sure | self.counted
        low = (self.weights * np.where(self.weights > 0, surely, possibly)).sum(-1)
        high = (self.weights * np.where(self.weights > 0, possibly, surely)).sum(-1)
        low, high = (low - margin).round(_DIGITS), (high + margin).round(_DIGITS)
        return (low, high) if margin.ndim else (float(low), float(high))

    def test(self, side: Callable[[Any, Any], int]) -> tuple[int, float]:
        """Return the side of a threshold that the sum is on, and the smallest level whose bounds decide the side.

        ``side`` is a function from the bounds of the sum to 1 or -1, or to 0 if the bounds do not decide the side.
        """
        if np.isnan(self.p_values).any():
            return 0, np.nan
        undecided, decided = 0.0, 1.0
        if not side(*self.bounds(decided)):
            return 0, 1.0
        if side(*self.bounds(undecided)):
            decided = undecided
        while decided - undecided > _PRECISION * decided:
            middle = (undecided + decided) / 2
            undecided, decided = (undecided, middle) if side(*self.bounds(middle)) else (middle, decided)
        return side(*self.bounds(decided)), decided

    def __sub__(self, other: Count) -> Count:
        """Return the difference of two sums. Its error over seeds is that of the second sum."""
        return Count(
            np.concatenate([self.weights, -other.weights]),
            np.concatenate([self.counted, other.counted]),
            np.concatenate([self.p_values, other.p_values]),
            other.of_seeds,
        )


def mean_of_counts(counts: Sequence[Count]) -> Count:
    """Return the mean of the counts of several seeds."""
    sums = np.array([count.weights @ count.counted for count in counts])
    seeds = len(sums)
    of_seeds = Estimate(sums.mean(0), sums.std(0, ddof=1) / seeds**0.5, np.array(seeds - 1.0)) if seeds > 1 else None
    return Count(
        np.concatenate([count.weights / seeds for count in counts], axis=-1),
        np.concatenate([count.counted for count in counts]),
        np.concatenate([count.p_values for count in counts]),
        of_seeds,
    )


def count_beyond(parts: Sequence[tuple[float, Replicates]], limit: float, above: bool, as_share: bool) -> Count:
    """Count the numbers of each part above or below a limit, or their share, and return the weighted sum over parts."""
    estimates = [(weight / (len(part.whole) if as_share else 1), estimate(np.asarray, part)) for weight, part in parts]
    return Count(
        np.concatenate([np.full(len(numbers.value), weight) for weight, numbers in estimates]),
        np.concatenate([numbers.value > limit if above else numbers.value < limit for _, numbers in estimates]),
        # A number that equals the limit, without variation, is surely not beyond it.
        np.concatenate([np.where(numbers.error == 0, 0.0, numbers.p_value(limit)) for _, numbers in estimates]),
    )


def half_widths(side: int, p_value: float) -> float:
    """Return a number's distance beyond a threshold, in halves of its 95% interval, from its p-value."""
    return side * float(ndtri(1 - p_value / 2) / ndtri((1 + COVERAGE) / 2)) if side else 0.0
