"""Differences between labels of patterns: confusions, scores and agreement from them, and corrected shares.

A confusion ``[reference, predicted]`` counts maps. Patterns are in the order of :data:`PATTERNS`.
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
    """Return the confusion of two labelings of the same maps; a map without a label (NaN) in either is skipped."""
    places = np.stack([pd.Categorical(labels, PATTERNS).codes for labels in (reference, predicted)])
    return joint_counts((len(PATTERNS), len(PATTERNS)), *places[:, (places >= 0).all(0)])


def scores(counts: np.ndarray, averaged: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return precision, recall and F1, ``[pattern + 3]`` each: of each pattern, then the ``PATTERN_AVERAGES``.

    A pattern that the reference lacks has no recall and no F1 (NaN). A pattern that was never predicted has no
    precision; its F1 is 0, and in averages its precision is 0. Over all maps, precision, recall and F1 all equal the
    accuracy.

    Parameters
    ----------
    averaged
        ``[pattern]``: True for the patterns in the macro average, which is NaN if the reference lacks one of them.
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
    """Return the share of maps on which two labelings agree, and Cohen's kappa; NaN if chance agreement is 1."""
    total = counts.sum()
    agreement = ratio(np.trace(counts), total)
    chance = ratio(counts.sum(1) @ counts.sum(0), total**2)
    return float(agreement), float(ratio(agreement - chance, 1 - chance))


def corrected_shares(observed: np.ndarray, taken_for: np.ndarray) -> np.ndarray:
    """Return the true shares of classes that best explain the observed shares: ``[class]``, summing to one.

    If class ``i`` is taken for ``j`` with the probability ``M[i, j]``, true shares ``t`` are observed as ``t M``. The
    matrix method solves this equation for ``t``. Here it is solved by least squares without negative shares (Lawson and
    Hanson's algorithm), because chance can lead to observed shares that only negative shares would solve.

    Parameters
    ----------
    observed
        ``[class]``: shares by the classifier.
    taken_for
        ``M``; a row without values, of a class that no labeled map has, counts as always recognized.
    """
    taken_for = np.where(np.isnan(taken_for), np.eye(len(taken_for)), taken_for)
    solution, _ = nnls(taken_for.T, observed)
    return solution / solution.sum()
