import numpy as np
import pytest

from bert_attention.corpora.types import LAYOUTS, PairTask, TaskExample, clusters_of
from bert_attention.kovaleva.baselines import baselines, word_overlap


def task_of(name, examples):
    layout = LAYOUTS[name]
    return PairTask(name, layout.classes, layout.metrics, tuple(examples), tuple(examples))


def labels_of(task):
    return [example.label for example in task.validation]


def test_a_bag_of_words_finds_words_that_decide():
    task = task_of("sst2", [TaskExample(f"a {'good' if n % 2 else 'bad'} film {n}", None, n % 2) for n in range(40)])
    found = baselines(task)
    assert list(found) == ["bag_of_words"]
    assert found["bag_of_words"].tolist() == labels_of(task)


def test_a_bag_of_words_predicts_scores():
    words = ("awful", "dull", "fine", "great")
    task = task_of("tweets", [TaskExample(f"a {words[n % 4]} day", None, n % 4 - 1.5) for n in range(40)])
    assert baselines(task)["bag_of_words"] == pytest.approx(labels_of(task), abs=0.1)


@pytest.mark.parametrize("name", ["nsp", "stsb"])
def test_word_overlap_tells_pairs_that_share_words(name):
    random = np.random.default_rng(1)
    examples = []
    for number in range(80):
        words = [f"w{word}" for word in random.permutation(1000)[:8]]
        label = number % 2
        second = words[:4] if label else words[4:]
        examples.append(TaskExample(" ".join(words[:4]), " ".join(second), label))
    task = task_of(name, examples)
    found = baselines(task)
    assert list(found) == ["bag_of_words", "overlap"]
    assert found["overlap"] == pytest.approx(labels_of(task), abs=0.1)


def test_one_class_alone_is_predicted():
    task = task_of("nsp", [TaskExample("a b", "c", 1.0)] * 3)
    assert {name: answers.tolist() for name, answers in baselines(task).items()} == {
        "bag_of_words": [1, 1, 1],
        "overlap": [1, 1, 1],
    }


def test_overlap_is_of_words_in_lower_case():
    assert word_overlap("The cat.", "A cat, the") == pytest.approx(2 / 5)
    assert word_overlap("", "") == 0


def test_examples_of_a_run_of_one_group_are_a_cluster():
    groups = ["", "", "a", "a", "b", "", "b", "b"]
    assert clusters_of([TaskExample("", None, 0, group) for group in groups]) == [0, 1, 2, 2, 4, 5, 6, 6]
