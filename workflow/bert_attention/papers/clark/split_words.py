"""Share of words that a tokenizer splits (Clark et al. 2019, section 4.1)."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from bert_attention.corpora.types import Wordpieces
from bert_attention.statistics.sums import Sums


def sums(text: Sequence[Wordpieces]) -> dict[str, int]:
    """Return a text's sums, from the wordpieces of each word: the numbers of split words and of all words."""
    return {"split": sum(len(wordpieces) > 1 for wordpieces in text), "words": len(text)}


def table(sums: Sums) -> pd.DataFrame:
    """Return table ``clark_split_words`` of one corpus: the share of words that are split into several wordpieces."""
    return pd.DataFrame([{"share": sums["split"] / sums["words"], "n": sums["words"]}])
