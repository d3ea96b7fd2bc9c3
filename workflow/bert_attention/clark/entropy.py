"""Entropy of attention (Clark et al. 2019, section 3.3, figure 4)."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import pandas as pd

from bert_attention.attention.store import StoredSequence
from bert_attention.heads import head_table
from bert_attention.statistics.moments import Moments

# Share of the uniform distribution mixed into every row before the logarithm, as in the released notebook.
SMOOTHING = 1e-4


def entropy(sequences: Iterable[StoredSequence]) -> pd.DataFrame:
    """Table ``clark_entropy``: each head's mean entropy in nats, over all tokens (``all``) and from [CLS] (``cls``).

    ``uniform`` is the entropy of attending to all tokens alike, the mean of ln n over the sequences.
    """
    moments = {"all": Moments(), "cls": Moments()}
    uniform = Moments()
    for sequence in sequences:
        by_token = attention_entropy(sequence.attention)
        moments["all"].add(by_token.mean(-1))
        moments["cls"].add(by_token[..., sequence.categories["cls"]].mean(-1))
        uniform.add(np.log(by_token.shape[-1]))
    return pd.concat(
        [
            head_table(
                source=source, entropy=m.mean, uniform=float(uniform.mean), n=m.n, standard_error=m.standard_error
            )
            for source, m in moments.items()
        ],
        ignore_index=True,
    )


def attention_entropy(attention: np.ndarray) -> np.ndarray:
    """Entropy in nats of each row of ``[layer, head, query, key]``, smoothed: ``[layer, head, query]``."""
    smoothed = attention * (1 - SMOOTHING) + SMOOTHING / attention.shape[-1]
    return -(smoothed * np.log(smoothed)).sum(-1)
