"""Confusions of patterns: scores, agreement, and shares corrected for errors."""

import warnings

import numpy as np
import pytest
from sklearn.metrics import cohen_kappa_score, precision_recall_fscore_support

from bert_attention.corpora.types import PATTERNS
from bert_attention.kovaleva.pattern_confusion import (
    agreement_and_kappa,
    confusions,
    corrected_shares,
    resampled,
    scores,
)


@pytest.fixture
def labels():
    """Two labellings of 200 maps, of which the second is right three times in four, and the heads of the maps."""
    random = np.random.default_rng(1)
    first = random.choice(PATTERNS, 200)
    second = np.where(random.random(200) < 0.75, first, random.choice(PATTERNS, 200))
    return first, second, random.integers(0, 12, 200)


def test_confusions_count_each_group(labels):
    first, second, heads = labels
    counts = confusions(first, second, heads)
    for group, head in enumerate(np.unique(heads)):
        for i, a in enumerate(PATTERNS):
            for j, b in enumerate(PATTERNS):
                assert counts[group, i, j] == sum((first == a) & (second == b) & (heads == head))


def test_scores_and_kappa_equal_those_of_scikit_learn(labels):
    first, second, heads = labels
    confusion = confusions(first, second, heads).sum(0)
    expected = precision_recall_fscore_support(first, second, labels=PATTERNS)[:3]
    for ours, theirs in zip(scores(confusion), expected, strict=True):
        assert ours[:-1] == pytest.approx(theirs)
        assert ours[-1] == pytest.approx(theirs.mean())
    agreement, kappa = agreement_and_kappa(confusion)
    assert agreement == np.mean(first == second)
    assert kappa == pytest.approx(cohen_kappa_score(first, second))


def test_scores_of_a_pattern_that_is_absent_or_never_predicted():
    reference = ["vertical", "vertical", "diagonal", "heterogeneous"]
    predicted = ["vertical", "block", "vertical", "heterogeneous"]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        precision, recall, f1 = scores(confusions(reference, predicted, [1] * 4).sum(0))
    assert precision == pytest.approx([1 / 2, np.nan, np.nan, 0, 1, (1 / 2 + 0 + 1) / 3], nan_ok=True)
    assert recall == pytest.approx([1 / 2, 0, np.nan, np.nan, 1, (1 / 2 + 0 + 1) / 3], nan_ok=True)
    assert f1 == pytest.approx([1 / 2, 0, np.nan, np.nan, 1, (1 / 2 + 0 + 1) / 3], nan_ok=True)


def test_passes_that_agree_have_kappa_one_and_chance_has_none():
    assert agreement_and_kappa(np.diag([3.0, 2, 1, 1, 4])) == (1, 1)
    _, kappa = agreement_and_kappa(np.outer([1.0, 2, 3, 4, 5], [5.0, 4, 3, 2, 1]))
    assert kappa == pytest.approx(0)


def test_corrected_shares_recover_the_truth():
    random = np.random.default_rng(2)
    confusion = 100 * np.eye(5) + random.integers(5, 40, (5, 5))
    truth = np.array([0.4, 0.1, 0.2, 0.05, 0.25])
    observed = truth @ (confusion / confusion.sum(-1, keepdims=True))
    assert np.abs(observed - truth).max() > 0.03
    assert corrected_shares(observed, confusion) == pytest.approx(truth)


def test_corrected_shares_are_never_negative_and_sum_to_one():
    confusion = 10 * np.eye(5) + 5
    shares = corrected_shares(np.array([0.9, 0.0, 0.0, 0.0, 0.1]), confusion)
    assert (shares >= 0).all()
    assert shares.sum() == pytest.approx(1)
    assert shares[0] > 0.9


def test_a_pattern_without_labelled_maps_counts_as_always_recognised():
    confusion = np.diag([10.0, 10, 10, 0, 10])
    observed = np.array([0.2, 0.2, 0.2, 0.3, 0.1])
    assert corrected_shares(observed, confusion) == pytest.approx(observed)


def test_resamples_draw_as_many_units_as_there_are():
    drawn = resampled(7, 500, seed=3)
    assert (drawn.sum(-1) == 7).all()
    assert drawn.mean(0) == pytest.approx(np.ones(7), abs=0.15)
