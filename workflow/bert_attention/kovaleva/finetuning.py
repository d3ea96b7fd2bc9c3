"""How well encoders do on tasks before and after fine-tuning (Kovaleva et al. 2019, table 1).

The paper's pre-trained rows can be read in two ways; both are scored (:mod:`bert_attention.models.task_answers`).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np
import pandas as pd

from bert_attention.statistics.jackknife import Replicates, interval, over_seeds, stacked, tabulated
from bert_attention.statistics.metrics import METRICS, sums_of
from bert_attention.statistics.sums import Sums


def finetuning(
    task: str, metrics: Sequence[str], labels: Sequence[float], answers: Sequence[tuple[str, int | None, np.ndarray]]
) -> Replicates:
    """Table ``kovaleva_finetuning`` of one task: a row for each initialisation and metric, the mean over its seeds.

    ``constant`` is the best that one and the same answer to every example scores, ``difference`` by how much the model
    is better on the same examples; it has ``learnt`` the task if the whole interval of that is above 0. ``seeds`` is 0
    if nothing is random.

    Parameters
    ----------
    labels
        ``[example]``: class numbers or scores of the validation examples.
    answers
        Initialisation, seed (None if nothing is random) and predictions ``[example]`` of each model.
    """
    constant = np.repeat(np.unique(labels)[:, None], len(labels), axis=1)
    sums = sums_of(np.vstack([*(predicted for _, _, predicted in answers), constant]), labels, metrics)
    tables = []
    for initialisation in dict.fromkeys(name for name, _, _ in answers):
        models = {place: seed for place, (name, seed, _) in enumerate(answers) if name == initialisation}
        columns = {
            "task": task,
            "initialisation": initialisation,
            "seeds": sum(seed is not None for seed in models.values()),
        }
        table = partial(_scores, metrics=metrics, models=len(answers), columns=columns)
        scores = over_seeds([tabulated(partial(table, model=place), sums) for place in models])
        learnt = interval(lambda rows: rows["difference"], scores).low > 0
        tables.append(scores.made_into(lambda rows, learnt=learnt: rows.assign(learnt=learnt)))
    return stacked(tables)


def _scores(sums: Sums, model: int, metrics: Sequence[str], models: int, columns: dict[str, object]) -> pd.DataFrame:
    """A row for each metric of one of the models, which stand before constant answers."""
    scores = np.stack([METRICS[metric].score(sums[metric]) for metric in metrics])  # [metric, system]
    value, constant = scores[:, model], scores[:, models:].max(1)
    values = {"value": value, "constant": constant, "difference": value - constant}
    return pd.DataFrame({**columns, "metric": metrics, **values, "n": sums["examples"]})
