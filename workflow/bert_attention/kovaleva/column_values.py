"""What the columns of Kovaleva et al.'s tables hold."""

from __future__ import annotations

# Tasks as the paper names them.
TASK_LABELS = {
    "mrpc": "MRPC",
    "stsb": "STS-B",
    "sst2": "SST-2",
    "qqp": "QQP",
    "rte": "RTE",
    "qnli": "QNLI",
    "mnli": "MNLI",
}

# kovaleva_disabled_heads and its companions: the metric of each task that the figures show, and what they call it
MAIN_METRICS = {
    "mrpc": "f1",
    "stsb": "pearson",
    "sst2": "accuracy",
    "qqp": "f1",
    "rte": "accuracy",
    "qnli": "accuracy",
    "mnli": "accuracy",
}
METRIC_LABELS = {"accuracy": "accuracy", "f1": "F1", "pearson": "Pearson's r", "spearman": "Spearman's ρ"}

# kovaleva_disabled_gains: what is disabled, and what its gain is: of all on average, of the best, of the best elsewhere
DISABLED = ("head", "layer", "random")
GAINS = ("mean", "same_data", "held_out")
