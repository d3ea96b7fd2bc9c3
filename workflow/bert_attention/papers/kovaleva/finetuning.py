"""Scores of encoders on tasks before and after fine-tuning (Kovaleva et al. 2019, table 1).

The paper's pre-trained rows have two possible meanings. Both are scored (:mod:`bert_attention.models.task_answers`).
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from functools import partial
from types import MappingProxyType

import numpy as np
import pandas as pd

from bert_attention.statistics.jackknife import Replicates, interval, over_seeds, stacked, tabulated
from bert_attention.statistics.metrics import METRICS, sums_of
from bert_attention.statistics.sums import Sums

# Baselines with trained parameters (:mod:`bert_attention.papers.kovaleva.baselines`).
BASELINES = ("bag_of_words", "overlap")


def finetuning(
    task: str,
    metrics: Sequence[str],
    labels: Sequence[float],
    answers: Sequence[tuple[str, int | None, np.ndarray]],
    baselines: Mapping[str, np.ndarray] = MappingProxyType({}),
    clusters: Sequence[Hashable] | None = None,
) -> Replicates:
    """Return table ``kovaleva_finetuning`` of one task: each initialization's scores, averaged over seeds.

    ``constant`` is the score of the best constant prediction. ``bag_of_words`` and ``overlap`` are the scores of these
    baselines (NaN if not given), and ``baseline`` is the best of the three scores. ``difference`` is the model's score
    minus ``baseline``, paired on the same examples. ``learned`` is True if the whole confidence interval of
    ``difference`` is above 0. ``seeds`` is the number of seeds, or 0 if nothing is random. Labels, predictions and
    clusters are ``[example]``. An answer is an initialization, a seed (None if nothing is random) and predictions.
    Examples of a cluster are not independent (:func:`bert_attention.statistics.sums.blocks_of`). By default, each
    example is a cluster of its own.
    """
    constant = np.repeat(np.unique(labels)[:, None], len(labels), axis=1)
    predictions = np.vstack([*(predicted for _, _, predicted in answers), *baselines.values(), constant])
    sums = sums_of(predictions, labels, metrics, clusters)
    tables = []
    for initialisation in dict.fromkeys(name for name, _, _ in answers):
        models = {system: seed for system, (name, seed, _) in enumerate(answers) if name == initialisation}
        columns = {
            "task": task,
            "initialisation": initialisation,
            "seeds": sum(seed is not None for seed in models.values()),
        }
        table = partial(_scores, metrics=metrics, models=len(answers), baselines=tuple(baselines), columns=columns)
        scores = over_seeds([tabulated(partial(table, model=system), sums) for system in models])
        learned = interval(lambda rows: rows["difference"], scores).low > 0
        tables.append(scores.with_rows(lambda rows, learned=learned: rows.assign(learned=learned)))
    return stacked(tables)


def _scores(
    sums: Sums, model: int, metrics: Sequence[str], models: int, baselines: Sequence[str], columns: dict[str, object]
) -> pd.DataFrame:
    """Return a row for each metric of one model.

    The systems of the sums are all models, then the baselines, then the constant predictions.
    """
    scores = _by_metric(sums, metrics)
    # A replicate without a block keeps the best baseline of all examples.
    best_baseline = models + _by_metric(sums.of_all, metrics)[:, models:].argmax(1)
    value, baseline = scores[:, model], np.take_along_axis(scores, best_baseline[:, None], 1)[:, 0]
    trained = {name: scores[:, system] for system, name in enumerate(baselines, start=models)}
    values = {
        "value": value,
        "constant": scores[:, models + len(baselines) :].max(1),
        **{name: trained.get(name, np.nan) for name in BASELINES},
        "baseline": baseline,
        "difference": value - baseline,
    }
    return pd.DataFrame({**columns, "metric": metrics, **values, "n": sums["examples"]})


def _by_metric(sums: Sums, metrics: Sequence[str]) -> np.ndarray:
    """Return the scores, ``[metric, system]``."""
    return np.stack([METRICS[metric].score(sums[metric]) for metric in metrics])
