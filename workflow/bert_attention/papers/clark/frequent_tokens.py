"""The most frequent tokens of running text (Clark et al. 2019, section 3.2)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

import numpy as np
import pandas as pd

from bert_attention.statistics.sums import Sums, ratio

_TOKENS = 20


def most_frequent(texts: Iterable[Sequence[str]]) -> list[str]:
    """Return the 20 most frequent tokens of texts, the most frequent first; ties are in alphabetical order."""
    counts = Counter(token for text in texts for token in text)
    return sorted(counts, key=lambda token: (-counts[token], token))[:_TOKENS]


def sums(text: Sequence[str], tokens: Sequence[str]) -> dict[str, np.ndarray | int]:
    """Return a text's sums: how often each of ``tokens`` occurs, ``[token]``, and the number of all tokens."""
    counts = Counter(text)
    return {"counts": np.array([counts[token] for token in tokens]), "all": len(text)}


def table(sums: Sums, tokens: Sequence[str]) -> pd.DataFrame:
    """Return table ``clark_frequent_tokens``: each token's share of all ``n`` tokens, and its rank."""
    share = ratio(sums["counts"], sums["all"])
    return pd.DataFrame({"token": tokens, "rank": np.arange(1, len(tokens) + 1), "share": share, "n": sums["all"]})
