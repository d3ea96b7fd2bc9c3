"""The table of scores, for figures that show which tasks are learnt."""

import pandas as pd


def learnt(*tasks, but_not=()):
    """``kovaleva_finetuning`` with what tells whether the fine-tuned model has learnt each task."""
    known = [(task, "pretrained", "accuracy", task not in but_not) for task in tasks]
    return pd.DataFrame(known, columns=["task", "initialisation", "metric", "learnt"])
