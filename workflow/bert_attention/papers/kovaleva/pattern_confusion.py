"""Confusion matrices of patterns, the scores and agreement computed from them, and corrected shares.

A confusion matrix ``[reference, predicted]`` counts maps. Patterns are in the order of :data:`PATTERNS`.
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
    """Return the confusion matrix of two labelings of the same maps, skipping maps without a label (NaN) in either."""
    codes = np.stack([pd.Categorical(labels, PATTERNS).codes for labels in (reference, predicted)])
    return joint_counts((len(PATTERNS), len(PATTERNS)), *codes[:, (codes >= 0).all(0)])


def scores(counts: np.ndarray, averaged: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return precision, recall and F1, ``[pattern + 3]`` each: of each pattern, then the ``PATTERN_AVERAGES``.

    If the reference lacks a pattern, its recall and F1 are NaN. If a pattern was never predicted, its precision is NaN,
    its F1 is 0, and averages take its precision as 0. Over all maps, precision, recall and F1 all equal the accuracy.
    ``averaged`` is True for patterns in the macro average, which is NaN if the reference lacks one of them.
    """
    right, in_reference, in_prediction = np.diagonal(counts), counts.sum(1), counts.sum(0)
    is_there = np.where(in_reference > 0, 1.0, np.nan)
    precision, recall = ratio(right, in_prediction), ratio(right, in_reference)
    f1 = ratio(2 * right, in_reference + in_prediction) * is_there
    accuracy, weights = ratio(right.sum(), counts.sum()), ratio(in_reference, counts.sum())
    to_average = (np.nan_to_num(precision) * is_there, recall, f1)
    return tuple(
        np.append(values, [accuracy, weights @ np.nan_to_num(defined), ratio(defined[averaged].sum(), averaged.sum())])
        for values, defined in zip((precision, recall, f1), to_average, strict=True)
    )


def agreement_and_kappa(counts: np.ndarray) -> tuple[float, float]:
    """Return the share of maps on which two labelings agree, and Cohen's kappa (NaN if chance agreement is 1)."""
    total = counts.sum()
    agreement = ratio(np.trace(counts), total)
    chance = ratio(counts.sum(1) @ counts.sum(0), total**2)
    return float(agreement), float(ratio(agreement - chance, 1 - chance))


def corrected_shares(observed: np.ndarray, error_rates: np.ndarray) -> np.ndarray:
    """Return the true shares of classes that best explain the observed shares: ``[class]``, summing to one.

    If the classifier predicts class ``j`` for class ``i`` with probability ``M[i, j]``, it predicts true shares ``t``
    as ``t M``. The matrix method solves this equation for ``t``. By chance, the solution can have negative shares. So
    it is solved by non-negative least squares (Lawson and Hanson's algorithm). ``error_rates`` is ``M``. A class
    without labeled maps has a row of NaN, and is taken to be always recognized.
    """
    error_rates = np.where(np.isnan(error_rates), np.eye(len(error_rates)), error_rates)
    solution, _ = nnls(error_rates.T, observed)
    return solution / solution.sum()
