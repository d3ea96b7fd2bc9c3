"""The largest significant p-value of many tests on the same data."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np


def largest_p_value(p_values: Sequence[float], rate: float) -> float:
    """Return the largest significant p-value, so that at most ``rate`` of the conclusions are expected to be wrong.

    The procedure is by Benjamini and Hochberg (1995, Journal of the Royal Statistical Society B 57). It sorts the m
    p-values, finds the last p-value that is at most ``rate * rank / m``, and returns this bound. Two-sided p-values
    then also bound the rate of conclusions of the wrong sign (Benjamini and Yekutieli 2005, Journal of the American
    Statistical Association 100). If no p-value is small enough, the smallest bound ``rate / m`` is returned. Without
    any p-value, ``rate`` is returned.
    """
    in_order = np.sort(np.asarray(p_values, dtype=float))
    if not len(in_order):
        return rate
    bounds = rate * np.arange(1, len(in_order) + 1) / len(in_order)
    passed = np.flatnonzero(in_order <= bounds)
    return float(bounds[passed[-1] if len(passed) else 0])
