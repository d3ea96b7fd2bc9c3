import numpy as np
import pandas as pd
import pytest

from bert_attention.kovaleva.finetuning import constant_scores, finetuning, linear_predictions


def test_every_model_has_a_row_for_each_metric():
    found = [("pretrained_frozen", None, np.array([0, 0, 1, 1])), ("random", 3, np.array([1, 1, 1, 1]))]
    table = finetuning("mrpc", ("accuracy", "f1"), [0, 1, 1, 1], found)
    assert table["value"].tolist() == pytest.approx([0.75, 0.8, 0.75, 6 / 7])
    assert table["constant"].tolist() == pytest.approx([0.75, 6 / 7] * 2)
    assert table["initialisation"].tolist() == ["pretrained_frozen"] * 2 + ["random"] * 2
    assert table["seed"].tolist() == [pd.NA, pd.NA, 3, 3]
    assert set(table["n"]) == {4}


def test_one_answer_has_no_correlation():
    assert constant_scores(("pearson", "spearman"), [0.5, 2.0, 4.5]) == {"pearson": 0, "spearman": 0}


@pytest.mark.parametrize("classify", [True, False])
def test_a_linear_task_is_learnt(classify):
    random = np.random.default_rng(0)
    states = random.normal(3, 5, (400, 4))
    scores = states @ [1.0, -2.0, 0.0, 0.5]
    labels = (scores > 0).astype(float) if classify else scores
    predicted = linear_predictions(states[:300], labels[:300], states[300:], classify=classify)
    if classify:
        assert (predicted == labels[300:]).mean() > 0.95
    else:
        assert predicted == pytest.approx(labels[300:], abs=0.1)


def test_a_single_class_is_predicted_for_all():
    assert linear_predictions(np.ones((2, 3)), [1, 1], np.zeros((2, 3)), classify=True).tolist() == [1, 1]
