"""Confusion matrices of patterns: scores, agreement, and shares corrected for errors."""

import warnings

import numpy as np
import pytest
from sklearn.metrics import cohen_kappa_score, confusion_matrix, precision_recall_fscore_support

from bert_attention.corpora.types import PATTERNS
from bert_attention.papers.kovaleva.pattern_confusion import agreement_and_kappa, confusion, corrected_shares, scores


def test_confusion_scores_and_kappa_equal_those_of_scikit_learn():
    random = np.random.default_rng(1)
    first = random.choice(PATTERNS, 200)
    second = np.where(random.random(200) < 0.75, first, random.choice(PATTERNS, 200))
    counts = confusion([np.nan, *first], ["block", *second])  # a map without a label is skipped
    assert np.array_equal(counts, confusion_matrix(first, second, labels=PATTERNS))
    expected = precision_recall_fscore_support(first, second, labels=PATTERNS)[:3]
    weighted = precision_recall_fscore_support(first, second, average="weighted")[:3]
    averaged = np.array([True, False, True, False, True])
    for ours, theirs, mean in zip(scores(counts, averaged), expected, weighted, strict=True):
        assert ours[:5] == pytest.approx(theirs)
        assert ours[5:] == pytest.approx([np.mean(first == second), mean, theirs[averaged].mean()])
    kappa = cohen_kappa_score(first, second)
    assert agreement_and_kappa(counts) == pytest.approx((np.mean(first == second), kappa))


def test_scores_are_defined_for_a_pattern_that_is_absent_or_never_predicted():
    reference = ["vertical", "vertical", "diagonal", "heterogeneous"]
    predicted = ["vertical", "block", "vertical", "heterogeneous"]
    counts = confusion(reference, predicted)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        precision, recall, f1 = scores(counts, counts.any(1))
    averages = [2 / 4, (2 * 1 / 2 + 0 + 1) / 4, (1 / 2 + 0 + 1) / 3]
    assert precision == pytest.approx([1 / 2, np.nan, np.nan, 0, 1, *averages], nan_ok=True)
    assert recall == pytest.approx([1 / 2, 0, np.nan, np.nan, 1, *averages], nan_ok=True)
    assert f1 == pytest.approx([1 / 2, 0, np.nan, np.nan, 1, *averages], nan_ok=True)
    assert np.isnan([each[-1] for each in scores(counts, np.ones(5, dtype=bool))]).all()  # includes an absent pattern


def test_corrected_shares_recover_the_truth():
    counts = 100 * np.eye(5) + np.random.default_rng(2).integers(5, 40, (5, 5))
    error_rates = counts / counts.sum(-1, keepdims=True)
    truth = np.array([0.4, 0.1, 0.2, 0.05, 0.25])
    observed = truth @ error_rates
    assert np.abs(observed - truth).max() > 0.03
    assert corrected_shares(observed, error_rates) == pytest.approx(truth)
    unknown = np.where(np.arange(5)[:, None] == 3, np.nan, np.eye(5))  # a pattern without labeled maps
    assert corrected_shares(truth, unknown) == pytest.approx(truth)
    shares = corrected_shares(np.array([0.9, 0.0, 0.0, 0.0, 0.1]), (2 * np.eye(5) + 1) / 7)  # no exact solution
    assert (shares >= 0).all() and shares.sum() == pytest.approx(1) and shares[0] > 0.9
