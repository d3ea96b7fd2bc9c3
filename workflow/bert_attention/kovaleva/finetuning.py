"""How well encoders do on tasks before and after fine-tuning (Kovaleva et al. 2019, table 1).

The paper's pre-trained rows can be read in two ways; both are scored (:mod:`bert_attention.models.task_answers`).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np
import pandas as pd

from bert_attention.statistics.intervals import bootstrap_interval_of
from bert_attention.statistics.weighted_scores import SCORES


def finetuning(
    task: str,
    metrics: Sequence[str],
    labels: Sequence[float],
    predictions: Sequence[tuple[str, int | None, np.ndarray]],
    seed: int,
) -> pd.DataFrame:
    """Scores of all models of one task: a row for each metric and model.

    Parameters
    ----------
    labels
        ``[example]``: class numbers or scores of the validation examples.
    predictions
        Initialisation, seed (None if nothing is random) and predictions ``[example]`` of each model.
    seed
        Of the intervals, which resample examples.

    Returns
    -------
    Columns task, initialisation, seed, metric, value, low, high, constant (the best that one and the same answer
    scores), n.
    """
    initialisations, seeds, predicted = zip(*predictions, strict=True)
    labels = np.asarray(labels, dtype=float)
    tables = []
    for metric in metrics:
        scores = partial(SCORES[metric], np.stack(predicted), labels)
        low, high = bootstrap_interval_of(scores, len(labels), seed)
        columns = {"task": task, "initialisation": initialisations, "seed": pd.array(seeds, dtype="Int64")}
        columns |= {"metric": metric, "value": scores(np.ones((1, len(labels))))[0], "low": low, "high": high}
        tables.append(pd.DataFrame(columns).assign(constant=constant_score(metric, labels), n=len(labels)))
    return pd.concat(tables, ignore_index=True)


def constant_score(metric: str, labels: np.ndarray) -> float:
    """The best score of a model that gives one and the same answer to every example."""
    answers = np.repeat(np.unique(labels)[:, None], len(labels), axis=1)
    return float(SCORES[metric](answers, labels, np.ones((1, len(labels)))).max())
