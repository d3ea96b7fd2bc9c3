"""Bootstrap intervals of ratios of counts and of other statistics, over sentences, documents or examples."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

_COVERAGE = 0.95
_CELLS_AT_ONCE = 1 << 21  # of the weights [resample, unit]: 16 MB for them, as much for the draws behind them


def bootstrap_interval(
    correct: np.ndarray, total: np.ndarray, seed: int, resamples: int = 1000
) -> tuple[np.ndarray, np.ndarray]:
    """The 95 % percentile interval of ``correct.sum(0) / total.sum(0)`` when units are drawn with replacement.

    All systems see the same resamples, and so do calls with the same seed and number of units. If ``correct`` is the
    difference of two systems' counts, the interval is that of their paired difference.

    Parameters
    ----------
    correct
        ``[unit, system]``: the count of each system in each unit, a sentence or a document.
    total
        ``[unit, system]`` or ``[unit, 1]``: out of how many.
    seed
        Seed of the resamples.

    Returns
    -------
    Lower and upper bound ``[system]`` as float64. Resamples without anything to count are left out; NaN where there is
    nothing to count at all.

    Raises
    ------
    ValueError
        If there are no units, or the two arrays differ in their number.
    """
    units = len(correct)
    if len(total) != units or units == 0:
        raise ValueError(f"{units} units of correct, {len(total)} of total; expected the same number, at least one")
    numerator, denominator = (np.asarray(counts, dtype=np.float64) for counts in (correct, total))

    def ratios(weights: np.ndarray) -> np.ndarray:
        drawn = np.broadcast_to(weights @ denominator, (len(weights), numerator.shape[1]))
        return np.divide(weights @ numerator, drawn, out=np.full(drawn.shape, np.nan), where=drawn > 0)

    return bootstrap_interval_of(ratios, units, seed, resamples)


def bootstrap_interval_of(
    statistics: Callable[[np.ndarray], np.ndarray], units: int, seed: int, resamples: int = 1000
) -> tuple[np.ndarray, np.ndarray]:
    """The 95 % percentile intervals of any statistics when units are drawn with replacement.

    Calls with the same seed and number of units see the same resamples.

    Parameters
    ----------
    statistics
        From how often each unit is in each resample, ``[resample, unit]`` float64, to the values of all statistics in
        these resamples, ``[resample, statistic]``; NaN where there is nothing to count. It gets some resamples a time.
    seed
        Seed of the resamples.

    Returns
    -------
    Lower and upper bound ``[statistic]`` as float64; NaN where all resamples are.
    """
    return _bounds(np.concatenate([statistics(weights) for weights in _resampling_weights(units, seed, resamples)]))


def _resampling_weights(units: int, seed: int, resamples: int) -> Iterator[np.ndarray]:
    """How often each unit is in each resample, ``[some resamples, unit]``, in blocks that make up all resamples."""
    random = np.random.default_rng(seed)
    at_once = max(1, _CELLS_AT_ONCE // units)
    for first in range(0, resamples, at_once):
        rows = min(at_once, resamples - first)
        # Counting draws gives the multinomial distribution, twenty times as fast as drawing from it cell by cell.
        cells = random.integers(units, size=(rows, units)) + np.arange(rows)[:, None] * units
        yield np.bincount(cells.ravel(), minlength=rows * units).reshape(rows, units).astype(np.float64)


def _bounds(ratios: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The middle 95 % of each column of ``[resample, system]``, NaN aside."""
    tail = (1 - _COVERAGE) / 2
    countable = ~np.isnan(ratios).all(0)
    bounds = np.full((2, ratios.shape[1]), np.nan)
    bounds[:, countable] = np.nanquantile(ratios[:, countable], [tail, 1 - tail], axis=0)
    return bounds[0], bounds[1]
