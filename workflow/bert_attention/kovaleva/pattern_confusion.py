"""How labels of patterns differ: counts of confusions, scores and agreement from them, and shares corrected for them.

A confusion ``[reference, predicted]`` counts maps, patterns in the order of :data:`PATTERNS`.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
from scipy.optimize import nnls

from bert_attention.corpora.types import PATTERNS
from bert_attention.statistics.joint_counts import joint_counts
from bert_attention.statistics.sums import ratio


def confusion(reference: Sequence[str | float], predicted: Sequence[str | float]) -> np.ndarray:
    """The confusion of two labellings of the same maps; a map that one of them has not (NaN) does not count."""
    places = np.stack([pd.Categorical(labels, PATTERNS).codes for labels in (reference, predicted)])
    return joint_counts((len(PATTERNS), len(PATTERNS)), *places[:, (places >= 0).all(0)])


def scores(counts: np.ndarray, averaged: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Precision, recall and F1, ``[pattern + 3]`` each: of each pattern, then the ``PATTERN_AVERAGES``.

    A pattern that the reference does not have has no recall and no F1 (NaN). One that was never predicted has no
    precision; its F1 is 0, and in averages its precision is 0. Over all maps, precision, recall and F1 are one number,
    the accuracy.

    Parameters
    ----------
    averaged
        ``[pattern]``: which patterns the macro average is of. It is NaN if the reference lacks one of them.
    """
    right, in_reference, in_prediction = np.diagonal(counts), counts.sum(1), counts.sum(0)
    is_there = np.where(in_reference > 0, 1.0, np.nan)
    precision, recall = ratio(right, in_prediction), ratio(right, in_reference)
    f1 = ratio(2 * right, in_reference + in_prediction) * is_there
    accuracy, weights = ratio(right.sum(), counts.sum()), ratio(in_reference, counts.sum())
    to_average = (np.nan_to_num(precision) * is_there, recall, f1)
    return tuple(
        np.append(values, [accuracy, weights @ np.nan_to_num(counted), ratio(counted[averaged].sum(), averaged.sum())])
        for values, counted in zip((precision, recall, f1), to_average, strict=True)
    )


def agreement_and_kappa(counts: np.ndarray) -> tuple[float, float]:
    """The share of maps on which two labellings agree, and Cohen's kappa; NaN where chance is all."""
    total = counts.sum()
    agreement = ratio(np.trace(counts), total)
    chance = ratio(counts.sum(1) @ counts.sum(0), total**2)
    return float(agreement), float(ratio(agreement - chance, 1 - chance))


def corrected_shares(observed: np.ndarray, taken_for: np.ndarray) -> np.ndarray:
    """The shares of classes that would look as observed through a classifier's errors: ``[class]``, summing to one.

    If class ``i`` is taken for ``j`` with the probability ``M[i, j]``, true shares ``t`` are observed as ``t M``. The
    matrix method solves this for ``t``; here by least squares without negative shares (Lawson and Hanson's algorithm),
    since chance can put the observed shares where only negative ones solve it.

    Parameters
    ----------
    observed
        ``[class]``: shares by the classifier.
    taken_for
        ``M``; a row without values, of a class of which no map is labelled, counts as always recognised.
    """
    taken_for = np.where(np.isnan(taken_for), np.eye(len(taken_for)), taken_for)
    solution, _ = nnls(taken_for.T, observed)
    return solution / solution.sum()
