"""Metrics of tasks as sums over examples, for many systems at once: accuracy, F1 and Pearson's correlation.

Spearman's correlation is left out, because ranks are not sums.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass

import numpy as np

from bert_attention.statistics.sums import Sums, ratio

_CONSTANT = 1e-12  # share of the mean square below which a variance is rounding noise


@dataclass(frozen=True)
class Metric:
    """A metric that is computed from sums over examples.

    ``added`` is a function from each system's prediction, ``[system]``, and the label of one example to the terms that
    the example adds to the sums, ``[term, system]``. ``score`` is a function from sums ``[..., term, system]`` to the
    metric, ``[..., system]``.
    """

    added: Callable[[np.ndarray, float], np.ndarray]
    score: Callable[[np.ndarray], np.ndarray]


def _accuracy_terms(predictions: np.ndarray, label: float) -> np.ndarray:
    return np.stack([predictions == label, np.ones(predictions.shape, dtype=bool)])


def _accuracy(sums: np.ndarray) -> np.ndarray:
    """Return the share of correct predictions; NaN without examples."""
    right, total = np.moveaxis(sums, -2, 0)
    return ratio(right, total)


def _f1_terms(predictions: np.ndarray, label: float) -> np.ndarray:
    predicted, true = (predictions == 1).astype(int), int(label == 1)
    return np.stack([2 * predicted * true, predicted + true])


def _f1(sums: np.ndarray) -> np.ndarray:
    """Return F1 of class 1; 0 if class 1 is neither predicted nor the label of any example."""
    return np.nan_to_num(ratio(*np.moveaxis(sums, -2, 0)))


def _pearson_terms(predictions: np.ndarray, label: float) -> np.ndarray:
    x, y = np.broadcast_arrays(predictions.astype(np.float64), label)
    return np.stack([np.ones(x.shape), x, y, x * x, y * y, x * y])


def _pearson(sums: np.ndarray) -> np.ndarray:
    """Return Pearson's correlation; 0 if predictions or labels are constant.

    Scores are small numbers, such as 0 to 5, so their squares keep enough digits for the variance.
    """
    n, x, y, xx, yy, xy = np.moveaxis(np.asarray(sums, np.float64), -2, 0)
    of_x, of_y = n * xx - x**2, n * yy - y**2
    varies = (of_x > _CONSTANT * n * xx) & (of_y > _CONSTANT * n * yy)
    return np.where(varies, (n * xy - x * y) / np.sqrt(np.where(varies, of_x * of_y, 1.0)), 0.0)


METRICS = {
    "accuracy": Metric(_accuracy_terms, _accuracy),
    "f1": Metric(_f1_terms, _f1),
    "pearson": Metric(_pearson_terms, _pearson),
}


def sums_of(
    predictions: np.ndarray,
    labels: Sequence[float],
    metrics: Sequence[str],
    clusters: Sequence[Hashable] | None = None,
) -> Sums:
    """Return the sums of each metric over examples, ``[term, system]``, and the number of ``examples``.

    Predictions, ``[system, example]``, and true labels, ``[example]``, are class numbers or scores. ``clusters``,
    ``[example]``, is as in :func:`bert_attention.statistics.sums.blocks_of`, or None if examples are independent.
    """
    added = (
        {"examples": 1} | {metric: METRICS[metric].added(predicted, label) for metric in metrics}
        for predicted, label in zip(np.asarray(predictions).T, labels, strict=True)
    )
    return Sums.of(added, range(len(labels)) if clusters is None else clusters)
