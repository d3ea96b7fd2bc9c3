"""How labels of patterns differ: counts of confusions, scores and agreement from them, and shares corrected for them.

A confusion ``[..., reference, predicted]`` counts maps, patterns in the order of :data:`PATTERNS`.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.optimize import nnls

from bert_attention.corpora.types import PATTERNS


def confusions(reference: Sequence[str], predicted: Sequence[str], groups: Sequence[int]) -> np.ndarray:
    """The confusion of each group of maps: ``[group, reference, predicted]`` float64, groups in ascending order."""
    rows, columns = (np.array([PATTERNS.index(pattern) for pattern in labels]) for labels in (reference, predicted))
    _, places = np.unique(groups, return_inverse=True)
    counts = np.zeros((places.max() + 1, len(PATTERNS), len(PATTERNS)))
    np.add.at(counts, (places, rows, columns), 1)
    return counts


def scores(confusion: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Precision, recall and F1 of each pattern, ``[..., pattern + 1]`` each; the last place is their macro average.

    A pattern that the reference does not have has no recall and no F1 (NaN), and is left out of the averages. One that
    was never predicted has no precision; its F1 is 0.
    """
    right = np.diagonal(confusion, axis1=-2, axis2=-1)
    in_reference, in_prediction = confusion.sum(-1), confusion.sum(-2)
    precision = _ratio(right, in_prediction)
    recall = _ratio(right, in_reference)
    f1 = np.where(in_reference > 0, _ratio(2 * right, in_reference + in_prediction), np.nan)
    # A pattern that is in the reference and never predicted counts as precision 0 in the average.
    counted = np.where(in_reference > 0, np.nan_to_num(precision), np.nan)
    averaged = (counted, recall, f1)
    return tuple(
        np.concatenate([values, np.nanmean(to_average, -1, keepdims=True)], -1)
        for values, to_average in zip((precision, recall, f1), averaged, strict=True)
    )


def agreement_and_kappa(confusion: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The share of maps on which two labellings agree, and Cohen's kappa, ``[...]`` each; NaN where chance is all."""
    total = confusion.sum((-2, -1))
    agreement = np.diagonal(confusion, axis1=-2, axis2=-1).sum(-1) / total
    chance = (confusion.sum(-1) * confusion.sum(-2)).sum(-1) / total**2
    return agreement, _ratio(agreement - chance, 1 - chance)


def corrected_shares(observed: np.ndarray, confusion: np.ndarray) -> np.ndarray:
    """The shares of patterns that would look as observed through a classifier's errors: ``[pattern]``, summing to one.

    If pattern ``i`` is taken for ``j`` with the probability ``M[i, j]``, as in the confusion, true shares ``t`` are
    observed as ``t M``. The matrix method solves this for ``t``; here by least squares without negative shares (Lawson
    and Hanson's algorithm), since chance can put the observed shares where only negative ones solve it. A pattern that
    the reference of the confusion does not have counts as always recognised.

    Parameters
    ----------
    observed
        ``[pattern]``: shares by the classifier.
    confusion
        ``[reference, predicted]``.
    """
    seen = confusion.sum(-1, keepdims=True)
    taken_for = np.where(seen > 0, confusion / np.maximum(seen, 1), np.eye(len(confusion)))
    solution, _ = nnls(taken_for.T, observed)
    return solution / solution.sum()


def resampled(units: int, resamples: int, seed: int) -> np.ndarray:
    """How often each unit is in each bootstrap resample: ``[resample, unit]`` float64."""
    random = np.random.default_rng(seed)
    return random.multinomial(units, np.full(units, 1 / units), size=resamples).astype(np.float64)


def _ratio(numerator: np.ndarray, denominator: np.ndarray) -> np.ndarray:
    """A quotient, NaN where there is nothing to divide by."""
    numerator, denominator = np.broadcast_arrays(np.asarray(numerator, float), np.asarray(denominator, float))
    return np.divide(numerator, denominator, out=np.full(numerator.shape, np.nan), where=denominator > 0)
