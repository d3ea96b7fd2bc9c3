import numpy as np
import pytest
from sklearn.metrics import accuracy_score, f1_score

from bert_attention.kovaleva.column_values import learned_tasks
from bert_attention.kovaleva.finetuning import finetuning
from bert_attention.statistics.jackknife import interval

LABELS = [0, 1, 1, 1]


def test_a_row_for_each_initialisation_and_metric_is_the_mean_over_seeds():
    frozen, first, second = np.array([[0, 0, 1, 1], [1, 1, 1, 1], [0, 1, 1, 0]])
    answers = [("pretrained_frozen", None, frozen), ("random", 3, first), ("random", 7, second)]
    table = finetuning("mrpc", ("accuracy", "f1"), LABELS, answers)
    rows = table.whole.set_index(["initialisation", "metric"])
    for metric, score in (("accuracy", accuracy_score), ("f1", f1_score)):
        of_seeds = [score(LABELS, predicted) for predicted in (first, second)]
        assert rows.loc[("pretrained_frozen", metric), "value"] == pytest.approx(score(LABELS, frozen))
        assert rows.loc[("random", metric), "value"] == pytest.approx(np.mean(of_seeds))
        found = [of_seed.set_index(["initialisation", "metric"])["value"] for of_seed in table.of_seeds]
        assert [values[("random", metric)] for values in found] == pytest.approx(of_seeds)
        assert {values[("pretrained_frozen", metric)] for values in found} == {score(LABELS, frozen)}
    assert rows["constant"].tolist() == pytest.approx([0.75, 6 / 7] * 2)
    assert rows["seeds"].tolist() == [0, 0, 2, 2]
    assert set(rows["n"]) == {4}
    assert set(rows["task"]) == {"mrpc"}


def test_intervals_are_of_examples_and_of_seeds():
    random = np.random.default_rng(2)
    labels = random.integers(0, 2, 400)
    sure, unsure = (np.where(random.random(400) < share, labels, 1 - labels) for share in (0.9, 0.6))
    alike = finetuning("rte", ("accuracy",), labels, [("random", 1, sure), ("random", 2, sure)])
    (low,), (high,) = interval(lambda table: table["value"], alike)[1:]
    assert high - low == pytest.approx(2 * 1.96 * np.sqrt(0.9 * 0.1 / 400), rel=0.4)
    apart = finetuning("rte", ("accuracy",), labels, [("random", 1, sure), ("random", 2, unsure)])
    (low,), (high,) = interval(lambda table: table["value"], apart)[1:]
    assert low < 0.4  # two seeds tell little
    assert high > 1


def test_one_answer_has_no_correlation():
    answers = [("random", 1, np.array([0.5, 2.5, 4.0]))]
    table = finetuning("stsb", ("pearson",), [0.5, 2.0, 4.5], answers).whole
    assert table["constant"].tolist() == [0]
    assert table["value"].tolist() == pytest.approx([np.corrcoef([0.5, 2.5, 4.0], [0.5, 2.0, 4.5])[0, 1]])


def test_a_model_has_learned_what_it_answers_better_than_one_answer_on_the_same_examples():
    random = np.random.default_rng(4)
    labels = np.repeat([0, 1], 200)[random.permutation(400)]
    answers = {
        "pretrained": np.where(random.random(400) < 0.7, labels, 1 - labels),
        "random": np.where(random.random(400) < 0.53, labels, 1 - labels),
    }
    table = finetuning("rte", ("accuracy",), labels, [(name, 1, found) for name, found in answers.items()])
    expected = [(found == labels).mean() - 0.5 for found in answers.values()]
    assert table.whole["difference"].tolist() == pytest.approx(expected)
    assert table.whole["learned"].tolist() == [True, False]
    assert learned_tasks(table.whole) == {"rte"}
    assert learned_tasks(table.whole.assign(initialisation=["random", "pretrained"])) == set()
    assert learned_tasks(table.whole.assign(metric="f1")) == set()


def test_a_model_has_learned_what_it_answers_better_than_the_best_baseline():
    random = np.random.default_rng(5)
    labels = np.repeat([0, 1], 200)[random.permutation(400)]
    right = {"bag_of_words": 0.6, "overlap": 0.75, "pretrained": 0.9, "random": 0.7}
    found = {name: np.where(random.random(400) < share, labels, 1 - labels) for name, share in right.items()}
    answers = [(name, 1, found.pop(name)) for name in ("pretrained", "random")]
    table = finetuning("nsp", ("accuracy",), labels, answers, found).whole
    of_baselines = [(predicted == labels).mean() for predicted in found.values()]
    assert table[["constant", "bag_of_words", "overlap"]].to_numpy() == pytest.approx(
        np.array([[0.5, *of_baselines]] * 2)
    )
    assert table["baseline"].tolist() == table["overlap"].tolist()
    assert (table["value"] - table["difference"]).tolist() == pytest.approx(table["baseline"].tolist())
    assert table["learned"].tolist() == [True, False]
    without = finetuning("nsp", ("accuracy",), labels, answers).whole
    assert without[["bag_of_words", "overlap"]].isna().all(axis=None)
    assert without["learned"].tolist() == [True, True]


def test_intervals_leave_out_whole_texts():
    answers = [("pretrained", 1, np.array(LABELS * 3))]
    table = finetuning("nsp", ("accuracy",), LABELS * 3, answers, {}, [0] * 4 + [1] * 3 + [2] * 5)
    assert [left_out["n"].tolist() for left_out in table.left_out] == [[8], [9], [7]]
