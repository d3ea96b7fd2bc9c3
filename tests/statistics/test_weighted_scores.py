"""Scores of weighted examples against scores of as many copies of them."""

import numpy as np
import pytest
from scipy.stats import pearsonr, spearmanr
from sklearn.metrics import accuracy_score, f1_score

from bert_attention.statistics.weighted_scores import SCORES

UNWEIGHTED = {
    "accuracy": accuracy_score,
    "f1": lambda labels, predicted: f1_score(labels == 1, predicted == 1),
    "pearson": lambda labels, predicted: pearsonr(labels, predicted)[0],
    "spearman": lambda labels, predicted: spearmanr(labels, predicted)[0],
}


def examples(metric, seed=0, systems=6, n=23):
    """Classes 0 to 2, or scores of which some tie; weights from 0."""
    random = np.random.default_rng(seed)
    labels = random.integers(3, size=n).astype(float)
    predictions = np.where(random.random((systems, n)) < 0.6, labels, random.integers(3, size=(systems, n)))
    if metric in ("pearson", "spearman"):
        labels, predictions = (
            labels + random.integers(3, size=n) / 2,
            predictions + random.random((systems, n)).round(1),
        )
    return predictions, labels, random.integers(4, size=(5, n)).astype(float)


@pytest.mark.parametrize("metric", SCORES)
def test_a_weight_is_a_number_of_copies(metric):
    predictions, labels, weights = examples(metric)
    found = SCORES[metric](predictions, labels, weights)
    expected = [
        [
            UNWEIGHTED[metric](*(np.repeat(values, row.astype(int)) for values in (labels, system)))
            for system in predictions
        ]
        for row in weights
    ]
    assert np.ptp(expected) > 0.1
    np.testing.assert_allclose(found, expected, atol=1e-12)


@pytest.mark.parametrize("metric", ["pearson", "spearman"])
def test_constant_predictions_or_labels_correlate_with_nothing(metric):
    predictions, labels, _ = examples(metric)
    predictions[2] = 0.1
    weights = np.stack([np.ones(labels.size), np.eye(labels.size)[4] * 3])
    found = SCORES[metric](predictions, labels, weights)
    assert found[0, 2] == 0.0
    assert (found[0, [0, 1, 3]] != 0.0).all()
    assert (found[1] == 0.0).all()  # only one example, three times


@pytest.mark.parametrize("metric", ["pearson", "spearman"])
def test_a_large_offset_costs_no_digits(metric):
    predictions, labels, weights = examples(metric)
    function = SCORES[metric]
    shifted = function(predictions + 1e5, labels, weights)
    np.testing.assert_allclose(shifted, function(predictions, labels, weights), atol=1e-8)


def test_f1_is_zero_where_the_class_is_neither_predicted_nor_true():
    assert SCORES["f1"](np.zeros((1, 3)), np.zeros(3), np.ones((1, 3))).tolist() == [[0.0]]
