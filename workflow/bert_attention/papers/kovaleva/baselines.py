"""Baselines without an encoder: a bag of words, and the overlap of two sentences' words.

A model that scores no higher than a baseline has not learned the task
(:mod:`bert_attention.papers.kovaleva.finetuning`).
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

    Each baseline is a regression, fit on the training examples: logistic for classes, ridge for scores. The features of
    ``bag_of_words`` are the counts of each sentence's words. The feature of ``overlap``, which only tasks of sentence
    pairs have, is :func:`word_overlap`.
    """
    predictions = {"bag_of_words": _fit_and_predict(task, *_bags_of_words(task))}
    if task.validation[0].second is not None:
        predictions["overlap"] = _fit_and_predict(task, *(_overlaps(part) for part in (task.train, task.validation)))
    return predictions


def word_overlap(first: str, second: str) -> float:
    """Return the Jaccard index of two sentences' lowercase words: the number of shared words divided by that of all."""
    a, b = (set(re.findall(_WORD, text.lower())) for text in (first, second))
    return len(a & b) / max(1, len(a | b))


def _bags_of_words(task: PairTask) -> tuple[csr_matrix, csr_matrix]:
    """Return the word counts of the training examples and of the validation examples, ``[example, word]`` each."""
    train, validation = [], []
    for sentence in ("first", "second") if task.validation[0].second is not None else ("first",):
        counter = CountVectorizer(token_pattern=_WORD)
        train.append(counter.fit_transform(getattr(example, sentence) for example in task.train))
        validation.append(counter.transform(getattr(example, sentence) for example in task.validation))
    return hstack(train, format="csr", dtype=np.float64), hstack(validation, format="csr", dtype=np.float64)


def _overlaps(examples: Sequence[TaskExample]) -> np.ndarray:
    """Return the word overlap of each example, ``[example, 1]``."""
    return np.array([[word_overlap(example.first, example.second or "")] for example in examples])


def _fit_and_predict(task: PairTask, train: csr_matrix | np.ndarray, validation: csr_matrix | np.ndarray) -> np.ndarray:
    """Return predictions from features ``[example, feature]``; with a single label in training, always this label."""
    labels = [example.label for example in task.train]
    if len(set(labels)) == 1:
        return np.full(len(task.validation), float(labels[0]))
    # Word overlaps are small numbers, so a penalty on their weight would favor the larger class.
    penalty = {"C": 1.0 if train.shape[1] > 1 else 1e4}
    estimator = LogisticRegression(max_iter=2000, **penalty) if task.classes else RidgeCV(_PENALTIES)
    return estimator.fit(train, labels).predict(validation).astype(float)
