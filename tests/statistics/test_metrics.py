"""Metrics as sums over examples, against scikit-learn and SciPy."""

import numpy as np
import pytest
from scipy.stats import pearsonr
from sklearn.metrics import accuracy_score, f1_score

from bert_attention.statistics.metrics import METRICS, sums_of

REFERENCES = {
    "accuracy": accuracy_score,
    "f1": lambda labels, predicted: f1_score(labels == 1, predicted == 1),
    "pearson": lambda labels, predicted: pearsonr(labels, predicted)[0],
}


def examples(metric, systems=6, n=45):
    """Return predictions and labels: classes 0 to 2, or scores."""
    random = np.random.default_rng(0)
    labels = random.integers(3, size=n).astype(float)
    predictions = np.where(random.random((systems, n)) < 0.6, labels, random.integers(3, size=(systems, n)))
    if metric == "pearson":
        labels, predictions = labels + random.integers(3, size=n) / 2, predictions + random.random((systems, n))
    return predictions, labels


def score(metric, predictions, labels):
    return METRICS[metric].score(sums_of(predictions, labels, [metric])[metric])


@pytest.mark.parametrize("metric", METRICS)
def test_sums_give_the_metric_of_all_examples_and_of_some_blocks(metric):
    predictions, labels = examples(metric)
    sums = sums_of(predictions, labels, [metric])
    of_block = np.repeat(np.arange(20), [2] * 15 + [3] * 5)  # 45 examples in 20 blocks
    split = np.stack([np.ones(20, dtype=bool), np.arange(20) < 9, np.arange(20) % 3 == 1])
    found = METRICS[metric].score(sums.weighted(split)[metric])
    expected = [
        [REFERENCES[metric](labels[blocks[of_block]], system[blocks[of_block]]) for system in predictions]
        for blocks in split
    ]
    assert np.ptp(expected) > 0.1
    np.testing.assert_allclose(found, expected, atol=1e-12)
    np.testing.assert_allclose(METRICS[metric].score(sums[metric]), expected[0], atol=1e-12)
    assert sums["examples"] == 45


def test_numbers_that_hardly_vary_keep_their_correlation():
    predictions, labels = examples("pearson")
    found = score("pearson", predictions, labels)
    np.testing.assert_allclose(score("pearson", 3 + predictions / 1e4, labels), found, atol=1e-7)
    predictions[2] = 0.1
    np.testing.assert_allclose(score("pearson", predictions, labels), np.where(np.arange(6) == 2, 0, found))
    assert (score("pearson", predictions, np.full(len(labels), 2.4)) == 0).all()


def test_metrics_are_defined_for_an_absent_class_and_for_no_examples():
    assert score("f1", np.zeros((1, 3)), np.zeros(3)).tolist() == [0]
    assert np.isnan(METRICS["accuracy"].score(np.zeros((2, 3)))).all()
