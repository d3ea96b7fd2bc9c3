"""Metrics as sums over examples, against their definitions."""

import numpy as np
import pytest
from scipy.stats import pearsonr
from sklearn.metrics import accuracy_score, f1_score

from bert_attention.statistics.metrics import METRICS, sums_of

BY_DEFINITION = {
    "accuracy": accuracy_score,
    "f1": lambda labels, predicted: f1_score(labels == 1, predicted == 1),
    "pearson": lambda labels, predicted: pearsonr(labels, predicted)[0],
}


def examples(metric, seed=0, systems=6, n=45):
    """Classes 0 to 2, or scores."""
    random = np.random.default_rng(seed)
    labels = random.integers(3, size=n).astype(float)
    predictions = np.where(random.random((systems, n)) < 0.6, labels, random.integers(3, size=(systems, n)))
    if metric == "pearson":
        labels, predictions = labels + random.integers(3, size=n) / 2, predictions + random.random((systems, n))
    return predictions, labels


@pytest.mark.parametrize("metric", METRICS)
def test_sums_give_the_metric_of_all_examples_and_of_some_blocks(metric):
    predictions, labels = examples(metric)
    sums = sums_of(predictions, labels, [metric])
    of_block = np.repeat(np.arange(20), [2, 2, 2, 3] * 5)  # 45 examples in 20 blocks
    split = np.stack([np.ones(20, dtype=bool), np.arange(20) < 9, np.arange(20) % 3 == 1])
    found = METRICS[metric].score(sums.weighted(split)[metric])
    expected = [
        [BY_DEFINITION[metric](labels[blocks[of_block]], system[blocks[of_block]]) for system in predictions]
        for blocks in split
    ]
    assert np.ptp(expected) > 0.1
    np.testing.assert_allclose(found, expected, atol=1e-12)
    np.testing.assert_allclose(METRICS[metric].score(sums[metric]), expected[0], atol=1e-12)
    assert sums["examples"] == 45


def test_constant_predictions_or_labels_correlate_with_nothing():
    predictions, labels = examples("pearson")
    predictions[2] = 0.1
    pearson = METRICS["pearson"].score
    found = pearson(sums_of(predictions, labels, ["pearson"])["pearson"])
    assert found[2] == 0
    assert (np.abs(found[[0, 1, 3]]) > 0.1).all()
    assert (pearson(sums_of(predictions, np.full(len(labels), 2.4), ["pearson"])["pearson"]) == 0).all()


def test_predictions_that_hardly_vary_keep_their_correlation():
    predictions, labels = examples("pearson")
    found = [
        METRICS["pearson"].score(sums_of(p, labels, ["pearson"])["pearson"])
        for p in (predictions, 3 + predictions / 1e4)
    ]
    np.testing.assert_allclose(*found, atol=1e-7)


def test_f1_is_zero_where_the_class_is_neither_predicted_nor_true():
    assert METRICS["f1"].score(sums_of(np.zeros((1, 3)), np.zeros(3), ["f1"])["f1"]).tolist() == [0]


def test_nothing_is_accurate_of_no_examples():
    assert np.isnan(METRICS["accuracy"].score(np.zeros((2, 3)))).all()
