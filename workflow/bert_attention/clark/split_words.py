"""How many words a tokenizer splits (Clark et al. 2019, section 4.1)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from bert_attention.corpora.types import Wordpieces
from bert_attention.statistics.intervals import bootstrap_interval


def split_words(corpora: Mapping[str, Sequence[Sequence[Wordpieces]]], seed: int) -> pd.DataFrame:
    """Table ``clark_split_words``: the share of words that have several wordpieces, for each corpus.

    Parameters
    ----------
    corpora
        By name, the wordpieces of each word of each text: a sentence of a treebank, or a document.
    seed
        Seed of the bootstrap over texts.
    """
    return pd.DataFrame([{"corpus": name, **_share(texts, seed)} for name, texts in corpora.items()])


def _share(texts: Sequence[Sequence[Wordpieces]], seed: int) -> dict[str, float]:
    split = np.array([sum(len(wordpieces) > 1 for wordpieces in text) for text in texts])
    total = np.array([len(text) for text in texts])
    (low,), (high,) = bootstrap_interval(split[:, None], total[:, None], seed)
    return {"share": split.sum() / total.sum(), "low": low, "high": high, "n": int(total.sum())}
