import numpy as np
import pytest
from sklearn.metrics import accuracy_score, f1_score

from bert_attention.corpora.task_names import learned_tasks
from bert_attention.papers.kovaleva.finetuning import finetuning

LABELS = [0, 1, 1, 1]


def test_a_row_for_each_initialisation_and_metric_is_the_mean_over_seeds():
    frozen, first, second = np.array([[0, 0, 1, 1], [1, 1, 1, 1], [0, 1, 1, 0]])
    answers = [("pretrained_frozen", None, frozen), ("random", 3, first), ("random", 7, second)]
    table = finetuning("mrpc", ("accuracy", "f1"), LABELS, answers)
    rows = table.whole.set_index(["initialisation", "metric"])
    for metric, score in (("accuracy", accuracy_score), ("f1", f1_score)):
        by_seed = [score(LABELS, predicted) for predicted in (first, second)]
        assert rows.loc[("pretrained_frozen", metric), "value"] == pytest.approx(score(LABELS, frozen))
        assert rows.loc[("random", metric), "value"] == pytest.approx(np.mean(by_seed))
        found = [each.set_index(["initialisation", "metric"])["value"] for each in table.of_seeds]
        assert [values[("random", metric)] for values in found] == pytest.approx(by_seed)
        assert {values[("pretrained_frozen", metric)] for values in found} == {score(LABELS, frozen)}
    assert rows["constant"].tolist() == pytest.approx([0.75, 6 / 7] * 2)
    assert rows["seeds"].tolist() == [0, 0, 2, 2]
    assert (set(rows["n"]), set(rows["task"])) == ({4}, {"mrpc"})


def test_a_model_has_learned_a_task_if_it_is_better_than_the_best_baseline():
    random = np.random.default_rng(5)
    labels = np.repeat([0, 1], 200)[random.permutation(400)]
    right = {"bag_of_words": 0.6, "overlap": 0.75, "pretrained": 0.9, "random": 0.7}
    found = {name: np.where(random.random(400) < share, labels, 1 - labels) for name, share in right.items()}
    answers = [(name, 1, found.pop(name)) for name in ("pretrained", "random")]
    table = finetuning("nsp", ("accuracy",), labels, answers, found).whole
    scores = [(predicted == labels).mean() for predicted in found.values()]
    assert table[["constant", "bag_of_words", "overlap"]].to_numpy().tolist() == [pytest.approx([0.5, *scores])] * 2
    assert table["baseline"].tolist() == table["overlap"].tolist()
    assert (table["value"] - table["difference"]).tolist() == pytest.approx(table["baseline"].tolist())
    assert table["learned"].tolist() == [True, False]
    without = finetuning("nsp", ("accuracy",), labels, answers).whole
    assert without[["bag_of_words", "overlap"]].isna().all(axis=None)
    assert without["difference"].tolist() == pytest.approx([(each == labels).mean() - 0.5 for _, _, each in answers])
    assert without["learned"].tolist() == [True, True]
    assert learned_tasks(table) == {"nsp"}
    assert learned_tasks(table.assign(initialisation=["random", "pretrained"])) == set()
    assert learned_tasks(table.assign(metric="f1")) == set()


def test_replicates_leave_out_whole_clusters():
    answers = [("pretrained", 1, np.array(LABELS * 3))]
    table = finetuning("nsp", ("accuracy",), LABELS * 3, answers, {}, [0] * 4 + [1] * 3 + [2] * 5)
    assert [left_out["n"].tolist() for left_out in table.left_out] == [[8], [9], [7]]
