"""Confusions of patterns: scores, agreement, and shares corrected for errors."""

import warnings

import numpy as np
import pytest
from sklearn.metrics import cohen_kappa_score, precision_recall_fscore_support

from bert_attention.corpora.types import PATTERNS
from bert_attention.kovaleva.pattern_confusion import agreement_and_kappa, confusion, corrected_shares, scores

ALL = np.ones(5, dtype=bool)


@pytest.fixture
def labels():
    """Two labelings of 200 maps, of which the second is right three times in four."""
    random = np.random.default_rng(1)
    first = random.choice(PATTERNS, 200)
    second = np.where(random.random(200) < 0.75, first, random.choice(PATTERNS, 200))
    return first, second


def test_a_confusion_counts_maps_that_both_have(labels):
    first, second = labels
    counts = confusion(first, [np.nan] * 50 + second[50:].tolist())
    for i, a in enumerate(PATTERNS):
        for j, b in enumerate(PATTERNS):
            assert counts[i, j] == sum((first[50:] == a) & (second[50:] == b))


def test_scores_and_kappa_equal_those_of_scikit_learn(labels):
    first, second = labels
    counts = confusion(first, second)
    expected = precision_recall_fscore_support(first, second, labels=PATTERNS)[:3]
    weighted = precision_recall_fscore_support(first, second, average="weighted")[:3]
    for ours, theirs, mean in zip(scores(counts, ALL), expected, weighted, strict=True):
        assert ours[:5] == pytest.approx(theirs)
        assert ours[5:] == pytest.approx([np.mean(first == second), mean, theirs.mean()])
    few = np.array([True, False, True, False, False])
    assert scores(counts, few)[2][-1] == pytest.approx(expected[2][few].mean())
    agreement, kappa = agreement_and_kappa(counts)
    assert agreement == np.mean(first == second)
    assert kappa == pytest.approx(cohen_kappa_score(first, second))


def test_scores_of_a_pattern_that_is_absent_or_never_predicted():
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
    assert np.isnan([of[-1] for of in scores(counts, ALL)]).all()  # an average of patterns that are not all there


def test_corrected_shares_recover_the_truth():
    random = np.random.default_rng(2)
    counts = 100 * np.eye(5) + random.integers(5, 40, (5, 5))
    taken_for = counts / counts.sum(-1, keepdims=True)
    truth = np.array([0.4, 0.1, 0.2, 0.05, 0.25])
    observed = truth @ taken_for
    assert np.abs(observed - truth).max() > 0.03
    assert corrected_shares(observed, taken_for) == pytest.approx(truth)


def test_corrected_shares_are_never_negative_and_sum_to_one():
    taken_for = (2 * np.eye(5) + 1) / 7
    shares = corrected_shares(np.array([0.9, 0.0, 0.0, 0.0, 0.1]), taken_for)
    assert (shares >= 0).all()
    assert shares.sum() == pytest.approx(1)
    assert shares[0] > 0.9


def test_a_pattern_without_labeled_maps_counts_as_always_recognized():
    taken_for = np.eye(5)
    taken_for[3] = np.nan
    observed = np.array([0.2, 0.2, 0.2, 0.3, 0.1])
    assert corrected_shares(observed, taken_for) == pytest.approx(observed)
