"""Means of each head over examples, with intervals."""

from __future__ import annotations

import numpy as np

from bert_attention.statistics.intervals import bootstrap_interval


def mean_with_interval(values: np.ndarray, counted: np.ndarray, seed: int) -> dict[str, np.ndarray | int]:
    """Mean over the examples that count, its interval over examples, and their number; NaN if there are none.

    Parameters
    ----------
    values
        ``[example, ...]``.
    counted
        ``[example]``: whether an example counts.
    seed
        Seed of the resamples.

    Returns
    -------
    ``mean``, ``low`` and ``high``, ``[...]`` each, and ``n``.
    """
    n = int(counted.sum())
    sums = np.where(counted[:, None], values.reshape(len(values), -1), 0).astype(np.float64)
    mean = sums.sum(0) / n if n else np.full(sums.shape[1], np.nan)
    low, high = bootstrap_interval(sums, counted[:, None], seed)
    shape = values.shape[1:]
    return {"mean": mean.reshape(shape), "low": low.reshape(shape), "high": high.reshape(shape), "n": n}
