"""The table of scores, for figures that show which tasks are learned."""

import pandas as pd


def learned(*tasks, but_not=()):
    """``kovaleva_finetuning`` with what tells whether the fine-tuned model has learned each task."""
    known = [(task, "pretrained", "accuracy", task not in but_not) for task in tasks]
    return pd.DataFrame(known, columns=["task", "initialisation", "metric", "learned"])
