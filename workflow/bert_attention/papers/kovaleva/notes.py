"""Notes of the explorer on heads, from the tables of Kovaleva et al. 2019."""

from __future__ import annotations

import pandas as pd

from bert_attention.corpora.task_names import task_label
from bert_attention.explorer.notes import Reading

READINGS = (
    Reading(
        "Attention in frames",
        "frames",
        "kovaleva_frames",
        "attention",
        {"variant": "described", "link": "annotated"},
        lambda _: "between a predicate and its elements",
        unit="number",
        remark=lambda row: "" if pd.isna(row.gain) else f"{row.gain:+.3f} compared with pairs at the same distance",
    ),
    Reading(
        "Change of fine-tuned models without the head",
        "tasks",
        "kovaleva_disabled_heads",
        "difference",
        {},
        lambda row: f"{task_label(row.task)} ({row.metric})",
        unit="change",
    ),
)
