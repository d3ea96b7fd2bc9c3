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
# kovaleva_patterns, kovaleva_pattern_classifier: how maps are labelled, besides further passes of annotators
PATTERN_METHODS = ("classifier", "corrected", "rules")
# kovaleva_pattern_classifier: the mean of all patterns, in column pattern
MACRO = "macro"
