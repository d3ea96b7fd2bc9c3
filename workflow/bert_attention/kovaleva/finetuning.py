"""How well encoders do on tasks before and after fine-tuning (Kovaleva et al. 2019, table 1).

The paper's pre-trained rows look like an untrained head: they are what (nearly) constant answers score. The authors'
blog says that the encoder's weights were frozen and fed to classifiers. Both readings are scored here.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
from sklearn.linear_model import LogisticRegression, RidgeCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from bert_attention.corpora.glue import score

_PENALTIES = np.logspace(-2, 4, 13)


def linear_predictions(train: np.ndarray, labels: Sequence[float], states: np.ndarray, *, classify: bool) -> np.ndarray:
    """What a linear classifier or regression on a frozen encoder predicts, ``[example]`` float64.

    Parameters
    ----------
    train, states
        The encoder's states of training and validation examples, ``[example, d]``, scaled here to unit variance.
    labels
        Class numbers or scores of the training examples. One class alone is predicted for every example.
    classify
        Whether labels are classes: logistic regression, else ridge regression whose penalty leave-one-out chooses.
    """
    if len(set(labels)) == 1:
        return np.full(len(states), float(labels[0]))
    estimator = LogisticRegression(max_iter=2000) if classify else RidgeCV(_PENALTIES)
    return make_pipeline(StandardScaler(), estimator).fit(train, labels).predict(states).astype(float)


def finetuning(
    task: str,
    metrics: Sequence[str],
    labels: Sequence[float],
    predictions: Sequence[tuple[str, int | None, np.ndarray]],
) -> pd.DataFrame:
    """Scores of all models of one task: a row for each model and metric.

    Parameters
    ----------
    labels
        ``[example]``: class numbers or scores of the validation examples.
    predictions
        Initialisation, seed (None if nothing is random) and predictions ``[example]`` of each model.

    Returns
    -------
    Columns task, initialisation, seed, metric, value, constant (the best that one and the same answer scores), n.
    """
    best_constant = constant_scores(metrics, labels)
    rows = [
        {
            "task": task,
            "initialisation": initialisation,
            "seed": seed,
            "metric": metric,
            "value": value,
            "constant": best_constant[metric],
            "n": len(labels),
        }
        for initialisation, seed, predicted in predictions
        for metric, value in score(metrics, predicted, labels).items()
    ]
    return pd.DataFrame(rows).astype({"seed": "Int64"})


def constant_scores(metrics: Sequence[str], labels: Sequence[float]) -> dict[str, float]:
    """The best score, by each metric, of a model that gives one and the same answer to every example."""
    scores = [score(metrics, np.full(len(labels), answer), labels) for answer in sorted(set(labels))]
    return {metric: max(of_answer[metric] for of_answer in scores) for metric in metrics}
