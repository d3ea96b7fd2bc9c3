"""Baselines of a task that need no encoder: a bag of words, and the words that two sentences share.

A model that scores no higher has not learned the task (:mod:`bert_attention.kovaleva.finetuning`).
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
from scipy.sparse import csr_matrix, hstack
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LogisticRegression, RidgeCV

from bert_attention.corpora.types import PairTask, TaskExample

_WORD = r"(?u)\w+|[^\w\s]"  # words and punctuation marks
_PENALTIES = np.logspace(-2, 4, 13)


def baselines(task: PairTask) -> dict[str, np.ndarray]:
    """Return the predictions of each baseline for the validation examples, ``[example]`` float64.

    ``bag_of_words`` counts the words of each sentence. ``overlap``, only for pairs, is the share of words that both
    sentences have. A logistic or a ridge regression on these features is trained on the training examples.
    """
    found = {"bag_of_words": _predicted(task, *_bags_of_words(task))}
    if task.validation[0].second is not None:
        found["overlap"] = _predicted(task, *(_overlaps(part) for part in (task.train, task.validation)))
    return found


def word_overlap(first: str, second: str) -> float:
    """Return the Jaccard index of the lowercase words of two sentences: the number of shared words by that of all."""
    one, two = (set(re.findall(_WORD, text.lower())) for text in (first, second))
    return len(one & two) / max(1, len(one | two))


def _bags_of_words(task: PairTask) -> tuple[csr_matrix, csr_matrix]:
    """Return the count of each word in the sentences of training and validation examples, ``[example, word]``."""
    train, validation = [], []
    for sentence in ("first", "second") if task.validation[0].second is not None else ("first",):
        counter = CountVectorizer(token_pattern=_WORD)
        train.append(counter.fit_transform(getattr(example, sentence) for example in task.train))
        validation.append(counter.transform(getattr(example, sentence) for example in task.validation))
    return hstack(train, format="csr", dtype=np.float64), hstack(validation, format="csr", dtype=np.float64)


def _overlaps(examples: Sequence[TaskExample]) -> np.ndarray:
    """Return the word overlap of each example, ``[example, 1]``."""
    return np.array([[word_overlap(example.first, example.second or "")] for example in examples])


def _predicted(task: PairTask, train: csr_matrix | np.ndarray, validation: csr_matrix | np.ndarray) -> np.ndarray:
    labels = [example.label for example in task.train]
    if len(set(labels)) == 1:
        return np.full(len(task.validation), float(labels[0]))
    # Word overlaps are small numbers: a penalty on their weight would favor the larger class.
    penalty = {"C": 1.0 if train.shape[1] > 1 else 1e4}
    estimator = LogisticRegression(max_iter=2000, **penalty) if task.classes else RidgeCV(_PENALTIES)
    return estimator.fit(train, labels).predict(validation).astype(float)
