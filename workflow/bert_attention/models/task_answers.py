"""Answers of an encoder to the examples of a task, before and after fine-tuning (Kovaleva et al. 2019, table 1).

The paper's pre-trained rows look like scores of an untrained head: nearly constant answers have the same scores. The
authors' blog says that the frozen encoder's vectors were fed to classifiers. This module covers both readings.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
from sklearn.linear_model import LogisticRegression, RidgeCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from bert_attention.corpora.types import PairTask
from bert_attention.models.classification import load_classifier, predict
from bert_attention.models.encoders import Encoder, check_fits
from bert_attention.models.fine_tuning import new_classifier
from bert_attention.tokenization.sequences import EncodedSequence

_PENALTIES = np.logspace(-2, 4, 13)

# Initialization of a model, its seed (None if nothing is random), and its answers to the examples, [example].
Answers = tuple[str, int | None, np.ndarray]


def answers_before_fine_tuning(
    folder: Path | str,
    task: PairTask,
    train: Sequence[EncodedSequence],
    validation: Sequence[EncodedSequence],
    *,
    seeds: Sequence[int],
    segment_ids: str,
    pad_id: int,
    batch_size: int,
    device: str,
) -> Iterator[Answers]:
    """Yield the answers of an untrained head for each seed, then of a linear classifier on the frozen encoder.

    ``train`` and ``validation`` are model input with the kind of segment ids ``segment_ids``. Raise InputError if the
    encoder cannot take the input (see ``check_fits``).
    """
    for seed in seeds:
        model = new_classifier(folder, task.classes, "pretrained", seed, device).eval()
        check_fits(Encoder(model, model.device), [*train, *validation], segment_ids)
        answers, states = predict(model, validation, pad_id, batch_size)
        yield "pretrained_untrained_head", seed, answers
    _, train_states = predict(model, train, pad_id, batch_size)
    labels = [example.label for example in task.train]
    yield "pretrained_frozen", None, linear_predictions(train_states, labels, states, classify=bool(task.classes))


def answers_after_fine_tuning(
    folder: Path | str, validation: Sequence[EncodedSequence], *, pad_id: int, batch_size: int, device: str
) -> Answers:
    """Return the answers of a fine-tuned model, whose folder is named by initialization and seed, as ``random_1``."""
    initialisation, _, seed = Path(folder).name.rpartition("_")
    answers, _ = predict(load_classifier(folder, device), validation, pad_id, batch_size)
    return initialisation, int(seed), answers


def linear_predictions(train: np.ndarray, labels: Sequence[float], states: np.ndarray, *, classify: bool) -> np.ndarray:
    """Return the predictions of a linear classifier or regression on a frozen encoder, ``[example]`` float64.

    ``train`` and ``states`` are the encoder's states of training and validation examples, ``[example, d]``, scaled here
    to unit variance. ``labels`` are class indices or scores of the training examples. If all labels are equal, every
    prediction is this label. If ``classify`` is True, labels are classes and get logistic regression. Otherwise, scores
    get ridge regression with a penalty chosen by leave-one-out cross-validation.
    """
    if len(set(labels)) == 1:
        return np.full(len(states), float(labels[0]))
    estimator = LogisticRegression(max_iter=2000) if classify else RidgeCV(_PENALTIES)
    return make_pipeline(StandardScaler(), estimator).fit(train, labels).predict(states).astype(float)
