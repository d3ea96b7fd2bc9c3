import numpy as np
import pytest

from bert_attention.corpora.types import LAYOUTS, PairTask, TaskExample, clusters_of_examples
from bert_attention.papers.kovaleva.baselines import baselines, word_overlap


def task_of(name, examples):
    layout = LAYOUTS[name]
    return PairTask(name, layout.classes, layout.metrics, tuple(examples), tuple(examples))


@pytest.mark.parametrize(("name", "words"), [("sst2", ["bad", "good"]), ("tweets", ["awful", "dull", "fine", "great"])])
def test_a_bag_of_words_predicts_from_words(name, words):
    labels = [number % len(words) for number in range(40)]
    found = baselines(task_of(name, [TaskExample(f"a {words[label]} day", None, label) for label in labels]))
    assert list(found) == ["bag_of_words"]
    assert found["bag_of_words"] == pytest.approx(labels, abs=0.1)


@pytest.mark.parametrize("name", ["nsp", "stsb"])
def test_word_overlap_distinguishes_pairs_that_share_words(name):
    random = np.random.default_rng(1)
    examples = []
    for label in [0, 1] * 40:
        words = [f"w{word}" for word in random.permutation(1000)[:8]]
        examples.append(TaskExample(" ".join(words[:4]), " ".join(words[:4] if label else words[4:]), label))
    found = baselines(task_of(name, examples))
    assert list(found) == ["bag_of_words", "overlap"]
    assert found["overlap"] == pytest.approx([0, 1] * 40, abs=0.1)


def test_a_single_class_is_predicted():
    found = baselines(task_of("nsp", [TaskExample("a b", "c", 1.0)] * 3))
    assert [predictions.tolist() for predictions in found.values()] == [[1, 1, 1]] * 2


def test_overlap_is_of_lowercase_words():
    assert word_overlap("The cat.", "A cat, the") == pytest.approx(2 / 5)
    assert word_overlap("", "") == 0


def test_consecutive_examples_of_one_group_are_a_cluster():
    groups = ["", "", "a", "a", "b", "", "b", "b"]
    assert clusters_of_examples([TaskExample("", None, 0, group) for group in groups]) == [0, 1, 2, 2, 4, 5, 6, 6]
