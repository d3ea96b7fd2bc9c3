"""Patterns of single heads, and how often they repeat across heads and tasks (Kovaleva et al. 2019, section 4.1).

The paper says that a limited set of patterns is repeated across heads and tasks, and shows it by examples. Here the
patterns are those of the rules in :mod:`.pattern_rules`, which need no labels.
"""

from __future__ import annotations

from itertools import combinations_with_replacement

import numpy as np
import pandas as pd

from bert_attention.attention.store import StoredSequence
from bert_attention.corpora.types import PATTERNS
from bert_attention.heads import head_table
from bert_attention.papers.kovaleva.columns import MODELS
from bert_attention.papers.kovaleva.pattern_rules import patterns_by_rules
from bert_attention.statistics.sums import Sums


def sums(pretrained_sequence: StoredSequence, finetuned_sequence: StoredSequence) -> dict[str, np.ndarray | int]:
    """Return an example's sums: 1 for the pattern of each head, ``[model, pattern, layer, head]``."""
    by_model = [pattern_of_heads(sequence) for sequence in (pretrained_sequence, finetuned_sequence)]
    indices = np.arange(len(PATTERNS))[:, None, None]
    return {"maps": np.stack([(patterns == indices).astype(int) for patterns in by_model]), "examples": 1}


def table(sums: Sums) -> pd.DataFrame:
    """Return table ``kovaleva_pattern_heads``: the share of a task's ``n`` examples in which a head has a pattern."""
    return head_table({"model": MODELS, "pattern": PATTERNS}, share=sums["maps"] / sums["examples"], n=sums["examples"])


def repetition(heads: pd.DataFrame) -> pd.DataFrame:
    """Return table ``kovaleva_pattern_repetition``: how often two maps of different examples have the same pattern.

    The maps are of ``task_a`` and ``task_b``. ``tasks`` says if these are the same or different, and ``heads`` if the
    maps are of the same head or of different heads. ``share`` is the mean over all ``n`` pairs of heads. Two maps of
    one head in one task are left out.
    """
    shares = heads.set_index(["model", "task", "layer", "head", "pattern"])["share"].unstack(sort=False)
    rows = []
    for model, of_model in shares.groupby(level="model", sort=False):
        by_task = {task: part.to_numpy() for task, part in of_model.groupby(level="task", sort=False)}
        for task_a, task_b in combinations_with_replacement(by_task, 2):
            agreement = by_task[task_a] @ by_task[task_b].T  # [head, head]
            of_same, number = np.trace(agreement), len(agreement)
            labels = {"model": model, "task_a": task_a, "task_b": task_b}
            labels["tasks"] = "same" if task_a == task_b else "different"
            different = (agreement.sum() - of_same) / (number * (number - 1))
            rows.append({**labels, "heads": "different", "share": different, "n": number * (number - 1)})
            if task_a != task_b:
                rows.append({**labels, "heads": "same", "share": of_same / number, "n": number})
    return pd.DataFrame(rows)


def pattern_of_heads(sequence: StoredSequence) -> np.ndarray:
    """Return the index of each head's pattern by the rules, ``[layer, head]``."""
    separators = np.flatnonzero(sequence.categories["sep"])
    between = separators[:-1] if len(separators) > 1 else separators  # the last [SEP] ends the input
    return patterns_by_rules(sequence.attention, int(between[0]), len(between))
