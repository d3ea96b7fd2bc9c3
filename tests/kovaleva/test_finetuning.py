import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import accuracy_score, f1_score

from bert_attention.kovaleva.finetuning import constant_score, finetuning


def test_every_model_has_a_row_for_each_metric():
    found = [("pretrained_frozen", None, np.array([0, 0, 1, 1])), ("random", 3, np.array([1, 1, 1, 1]))]
    labels = [0, 1, 1, 1]
    table = finetuning("mrpc", ("accuracy", "f1"), labels, found, seed=1)
    expected = [score(labels, predicted) for score in (accuracy_score, f1_score) for _, _, predicted in found]
    assert table["value"].tolist() == pytest.approx(expected)
    assert table["constant"].tolist() == pytest.approx([0.75] * 2 + [6 / 7] * 2)
    assert table["initialisation"].tolist() == ["pretrained_frozen", "random"] * 2
    assert table["seed"].tolist() == [pd.NA, 3] * 2
    assert set(table["n"]) == {4}


def test_intervals_are_those_of_resampled_examples():
    random = np.random.default_rng(2)
    labels = random.integers(0, 2, 60).astype(float)
    predicted = np.where(random.random(60) < 0.8, labels, 1 - labels)
    table = finetuning("rte", ("accuracy",), labels, [("random", 1, predicted)], seed=1)
    draws = random.integers(0, 60, (4000, 60))
    low, high = np.quantile((predicted == labels)[draws].mean(1), [0.025, 0.975])
    assert table["low"].item() == pytest.approx(low, abs=0.02)
    assert table["high"].item() == pytest.approx(high, abs=0.02)


def test_one_answer_has_no_correlation():
    assert constant_score("pearson", np.array([0.5, 2.0, 4.5])) == 0
    assert constant_score("accuracy", np.array([2.0, 2.0, 1.0])) == pytest.approx(2 / 3)
