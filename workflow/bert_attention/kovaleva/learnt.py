"""Which tasks a fine-tuned model has learnt: where it has not, its attention tells nothing of the task."""

from __future__ import annotations

import pandas as pd

from bert_attention.kovaleva.column_values import METRICS_OF_GAIN


def learnt_tasks(kovaleva_finetuning: pd.DataFrame, initialisation: str = "pretrained") -> set[str]:
    """The tasks that models fine-tuned from the encoder's own weights, or from others, have learnt.

    Accuracy or correlation tells: F1 has a high score for the constant answer 1 where most examples are of class 1.
    """
    is_finetuned = kovaleva_finetuning["initialisation"] == initialisation
    decides = kovaleva_finetuning["metric"].isin(METRICS_OF_GAIN)
    return set(kovaleva_finetuning.loc[is_finetuned & decides & kovaleva_finetuning["learnt"], "task"])
