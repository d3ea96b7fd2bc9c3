"""Tables of disabled heads and layers at random, for tests of the figures."""

from __future__ import annotations

import itertools

import numpy as np
import pandas as pd

METRICS = {"rte": ("accuracy",), "mrpc": ("accuracy", "f1"), "stsb": ("pearson", "spearman")}
MAIN = {"mrpc": "f1", "stsb": "pearson", "rte": "accuracy"}  # in the paper's order


def disabled_table(seed: int = 0, **places: range) -> pd.DataFrame:
    """Rows for every place and metric, with intervals of which some exclude 0."""
    random = np.random.default_rng(seed)
    metrics = [(task, metric) for task, of_task in METRICS.items() for metric in of_task]
    rows = [(*names, *numbers) for names in metrics for numbers in itertools.product(*places.values())]
    table = pd.DataFrame(rows, columns=["task", "metric", *places])
    baseline = table.groupby(["task", "metric"]).ngroup() / 20 + 0.6
    value = baseline + random.normal(0, 0.02, len(table))
    spread = random.uniform(0, 0.05, len(table))
    return table.assign(
        value=value, baseline=baseline, low=value - baseline - spread, high=value - baseline + spread, n=9
    )


def main_rows(table: pd.DataFrame, task: str) -> pd.DataFrame:
    """The rows of a task's main metric."""
    return table[(table["task"] == task) & (table["metric"] == MAIN[task])]
