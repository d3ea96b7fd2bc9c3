"""Names of tasks and of their metrics, and the tasks that a model has learned."""

from __future__ import annotations

from collections.abc import Collection

import pandas as pd

# Tasks of single sentences, which have no other sentence to repeat a word.
SINGLE_SENTENCES = ("sst2", "tweets")

# Labels of tasks in figures and tables; GLUE tasks are named as in the paper.
TASK_LABELS = {
    "mrpc": "MRPC",
    "stsb": "STS-B",
    "sst2": "SST-2",
    "qqp": "QQP",
    "rte": "RTE",
    "qnli": "QNLI",
    "mnli": "MNLI",
    "tweets": "tweets",
    "nsp": "next sentence",
}

# The metric of each task for scores without some of the heads; accuracy for a task of one's own.
MAIN_METRICS = {
    "mrpc": "f1",
    "stsb": "pearson",
    "sst2": "accuracy",
    "qqp": "f1",
    "rte": "accuracy",
    "qnli": "accuracy",
    "mnli": "accuracy",
    "tweets": "pearson",
    "nsp": "accuracy",
}

# The paper averages gains in these metrics: in accuracy if a task has several metrics.
METRICS_OF_GAIN = ("accuracy", "pearson")
METRIC_LABELS = {"accuracy": "accuracy", "f1": "F1", "pearson": "Pearson"}


def task_label(task: str) -> str:
    """Return the label of a task; the label of a task of one's own is its name."""
    return TASK_LABELS.get(task, task)


def main_metric(task: str) -> str:
    """Return the metric of a task for scores without some of the heads."""
    return MAIN_METRICS.get(task, "accuracy")


def in_order(tasks: Collection[str]) -> list[str]:
    """Return tasks in the paper's order, those of one's own last."""
    return [task for task in TASK_LABELS if task in tasks] + sorted({*tasks} - TASK_LABELS.keys())


def learned_tasks(scores: pd.DataFrame, initialisation: str = "pretrained") -> set[str]:
    """Return the tasks that models fine-tuned from an initialization have learned, by the scores of models.

    F1 is ignored: if most examples are of class 1, the constant answer 1 has a high F1.
    """
    from_initialisation = scores["initialisation"] == initialisation
    has_metric = scores["metric"].isin(METRICS_OF_GAIN)
    return set(scores.loc[from_initialisation & has_metric & scores["learned"], "task"])
