"""Answers to a task's examples before and after fine-tuning."""

import numpy as np
import pytest

from bert_attention.corpora.types import PairTask, TaskExample
from bert_attention.errors import InputError
from bert_attention.models.classification import predict
from bert_attention.models.encoders import save_model
from bert_attention.models.fine_tuning import new_classifier
from bert_attention.models.task_answers import (
    answers_after_fine_tuning,
    answers_before_fine_tuning,
    linear_predictions,
)
from bert_attention.tokenization.sequences import EncodedSequence
from tests.models.random_models import random_model
from tests.models.test_fine_tuning import sequences

HOW = {"pad_id": 0, "batch_size": 4, "device": "cpu"}
BEFORE = {"seeds": [3, 5], "segment_ids": "zeros"}


@pytest.fixture
def folder(tmp_path):
    random_model("bert").save_pretrained(tmp_path / "bert")
    return tmp_path / "bert"


def test_answers_before_fine_tuning_are_of_untrained_heads_and_a_linear_classifier(folder):
    train, labels = sequences(20)
    validation, _ = sequences(7, seed=1)
    examples = tuple(TaskExample("a", None, label) for label in labels)
    task = PairTask("sst2", ("negative", "positive"), ("accuracy",), examples, examples[:7])
    found = list(answers_before_fine_tuning(folder, task, train, validation, **BEFORE, **HOW))
    assert [answer[:2] for answer in found] == [
        *(("pretrained_untrained_head", seed) for seed in (3, 5)),
        ("pretrained_frozen", None),
    ]
    model = new_classifier(folder, task.classes, "pretrained", 5, "cpu").eval()
    (answers, unseen), (_, seen) = (predict(model, inputs, 0, 4) for inputs in (validation, train))
    assert found[1][2].tolist() == answers.tolist()
    assert found[2][2].tolist() == linear_predictions(seen, labels, unseen, classify=True).tolist()


def test_input_that_the_encoder_cannot_take_is_refused_before_it_runs(folder):
    long = EncodedSequence(*(np.ones(600, dtype=np.int32) for _ in range(3)))
    task = PairTask("sst2", ("negative", "positive"), ("accuracy",), (), ())
    with pytest.raises(InputError, match=r"but the corpus has sequences of 600"):
        next(answers_before_fine_tuning(folder, task, [], [long], **BEFORE, **HOW))


def test_a_fine_tuned_model_is_named_by_its_folder(folder):
    model = new_classifier(folder, ("a", "b"), "random", 7, "cpu").eval()
    save_model(model, folder.parent / "random_7")
    inputs, _ = sequences(6)
    initialisation, seed, answers = answers_after_fine_tuning(folder.parent / "random_7", inputs, **HOW)
    assert (initialisation, seed) == ("random", 7)
    assert answers.tolist() == predict(model, inputs, 0, 4)[0].tolist()


def test_linear_predictions_learn_classes_and_scores():
    random = np.random.default_rng(0)
    states = random.normal(3, 5, (400, 4))
    scores = states @ [1.0, -2.0, 0.0, 0.5]
    predicted = linear_predictions(states[:300], scores[:300], states[300:], classify=False)
    assert predicted == pytest.approx(scores[300:], abs=0.1)
    classes = (scores > 0).astype(float)
    predicted = linear_predictions(states[:300], classes[:300], states[300:], classify=True)
    assert (predicted == classes[300:]).mean() > 0.95
    assert linear_predictions(np.ones((2, 3)), [1, 1], np.zeros((2, 3)), classify=True).tolist() == [1, 1]
