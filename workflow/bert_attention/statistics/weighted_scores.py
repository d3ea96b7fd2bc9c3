"""Scores of predictions in which examples have weights: whole numbers, such as how often a resample draws each example.

One call scores all systems in all resamples. Weights of one give the score of the data as they are, weights of zero and
one that of a part. The scores are those of as many copies of each example.

All functions take predictions ``[system, example]``, labels ``[example]`` and weights ``[resample, example]``, and
return scores ``[resample, system]``.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

_CONSTANT = 1e-12  # relative to the largest value: what varies by less is constant up to rounding


def accuracy(predictions: np.ndarray, labels: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """The share of examples whose class is predicted."""
    return weights @ (predictions == labels).T / weights.sum(1, keepdims=True)


def f1(predictions: np.ndarray, labels: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """F1 of class 1; 0 if it is neither predicted nor true anywhere."""
    predicted, true = (predictions == 1).astype(float), (labels == 1).astype(float)
    hits = weights @ (predicted * true).T
    found_or_true = weights @ predicted.T + (weights @ true)[:, None]
    return np.divide(2 * hits, found_or_true, out=np.zeros_like(hits), where=found_or_true > 0)


def pearson(predictions: np.ndarray, labels: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Pearson's correlation; 0 if predictions or labels are constant."""
    x, y = _standardised(predictions), _standardised(labels)
    moments = [weights @ values.T for values in (x, x**2, x * y)]
    of_labels = [(weights @ values)[:, None] for values in (y, y**2)]
    return _correlation(*moments, *of_labels, weights.sum(1, keepdims=True))


def spearman(predictions: np.ndarray, labels: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Spearman's correlation, ranks taken anew in each resample; 0 if predictions or labels are constant."""
    scores = np.empty((len(weights), len(predictions)))
    total = weights.sum(1)
    y = _midranks(_standardised(labels), weights) / total[:, None]
    of_labels = [(weights * values).sum(1) for values in (y, y**2)]
    for system, values in enumerate(_standardised(predictions)):
        x = _midranks(values, weights) / total[:, None]
        moments = [np.einsum("re,re->r", weights, products) for products in (x, x**2, x * y)]
        scores[:, system] = _correlation(*moments, *of_labels, total)
    return scores


SCORES: dict[str, Callable[[np.ndarray, np.ndarray, np.ndarray], np.ndarray]] = {
    "accuracy": accuracy,
    "f1": f1,
    "pearson": pearson,
    "spearman": spearman,
}


def _standardised(values: np.ndarray) -> np.ndarray:
    """Values ``[..., example]`` with mean 0 and deviation 1, so that sums of squares lose no digits; 0 if constant."""
    centred = values - values.mean(-1, keepdims=True)
    varies = np.ptp(values, axis=-1, keepdims=True) > _CONSTANT * np.abs(values).max(-1, keepdims=True)
    deviation = centred.std(-1, keepdims=True)
    return np.divide(centred, deviation, out=np.zeros_like(centred), where=varies)


def _correlation(
    x: np.ndarray, xx: np.ndarray, xy: np.ndarray, y: np.ndarray, yy: np.ndarray, n: np.ndarray
) -> np.ndarray:
    """Pearson's correlation from sums over examples; 0 where one side does not vary."""
    variances = (xx / n - (x / n) ** 2, yy / n - (y / n) ** 2)
    varies = (variances[0] > _CONSTANT) & (variances[1] > _CONSTANT)
    scale = np.sqrt(np.where(varies, variances[0] * variances[1], 1.0))
    return np.where(varies, (xy / n - x * y / n**2) / scale, 0.0)


def _midranks(values: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Mean rank from 1 of each example ``[resample, example]`` where there are ``weights`` copies of it."""
    different, group = np.unique(values, return_inverse=True)
    order = group.argsort(kind="stable")
    starts = np.searchsorted(group[order], np.arange(len(different)))
    of_group = np.add.reduceat(weights[:, order], starts, axis=1)
    below = of_group.cumsum(1) - of_group
    return (below + (of_group + 1) / 2)[:, group]
