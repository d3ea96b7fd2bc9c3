"""Tables of scores, for figures and printed tables that show if a task was learned."""

import pandas as pd


def learned(*tasks, but_not=()):
    """Return the columns of ``kovaleva_finetuning`` that say if the fine-tuned model has learned each task."""
    rows = [(task, "pretrained", "accuracy", task not in but_not) for task in (*tasks, *but_not)]
    return pd.DataFrame(rows, columns=["task", "initialisation", "metric", "learned"])
