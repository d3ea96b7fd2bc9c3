"""Largest significant p-value if many questions are asked of the same data."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np


def largest_p_value(p_values: Sequence[float], rate: float) -> float:
    """Return the largest p-value that counts, so that at most ``rate`` of the conclusions are expected to be wrong.

    The procedure is that of Benjamini and Hochberg (1995, Journal of the Royal Statistical Society B 57): of m sorted
    p-values, the last p-value that is at most ``rate * rank / m`` decides. Two-sided p-values then also bound the rate
    of conclusions of the wrong sign (Benjamini and Yekutieli 2005, Journal of the American Statistical Association
    100). If no p-value is small enough, the smallest bound, ``rate / m``, is returned; without any p-value, the rate.
    """
    found = np.sort(np.asarray(p_values, dtype=float))
    if not len(found):
        return rate
    bounds = rate * np.arange(1, len(found) + 1) / len(found)
    passed = np.flatnonzero(found <= bounds)
    return float(bounds[passed[-1] if len(passed) else 0])
