"""Entropy of attention (Clark et al. 2019, section 3.3, figure 4)."""

from __future__ import annotations

import numpy as np
import pandas as pd

from bert_attention.attention.store import StoredSequence
from bert_attention.heads import head_table
from bert_attention.statistics.sums import Sums

# Share of the uniform distribution mixed into every row before the logarithm, as in the released notebook.
SMOOTHING = 1e-4
# The paper's broad heads give at most a tenth of their attention to any one word.
_TENTH = 0.1


def sums(sequence: StoredSequence) -> dict[str, np.ndarray | float]:
    """Return a sequence's sums: means over all its tokens and for [CLS], ``[source, measure, layer, head]``.

    The measures are the entropy in nats, the largest weight, and the share of tokens whose largest weight is at most a
    tenth.
    """
    attention, cls = sequence.attention, sequence.categories["cls"]
    largest = attention.max(-1).astype(np.float64)
    by_token = np.stack([attention_entropy(attention), largest, largest <= _TENTH])  # [measure, layer, head, query]
    return {
        "means": np.stack([by_token.mean(-1), by_token[..., cls].mean(-1)]),
        "uniform": np.log(by_token.shape[-1]),
        "sequences": 1,
    }


def table(sums: Sums) -> pd.DataFrame:
    """Return table ``clark_entropy``: each head's mean entropy in nats, over all tokens (``all``) and from [CLS].

    Rows for [CLS] have the source ``cls``. ``uniform`` is the entropy of equal attention to all tokens, the mean of
    ln n over the sequences. ``largest_weight`` is the mean of a token's largest attention weight. ``share_below_tenth``
    is the share of tokens whose largest weight is at most 0.1. All are averaged over tokens, then over sequences with
    equal weight.
    """
    n = sums["sequences"]
    entropy, largest_weight, share_below_tenth = np.moveaxis(sums["means"] / n, 1, 0)
    return head_table(
        {"source": ("all", "cls")},
        entropy=entropy,
        largest_weight=largest_weight,
        share_below_tenth=share_below_tenth,
        uniform=sums["uniform"] / n,
        n=n,
    )


def attention_entropy(attention: np.ndarray) -> np.ndarray:
    """Return the entropy in nats of each smoothed row of ``[layer, head, query, key]``: ``[layer, head, query]``."""
    smoothed = attention * (1 - SMOOTHING) + SMOOTHING / attention.shape[-1]
    return -(smoothed * np.log(smoothed)).sum(-1)
