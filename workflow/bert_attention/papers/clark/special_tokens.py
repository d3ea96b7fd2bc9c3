"""Gain of heads from excluding [CLS] and [SEP] as predictions (Clark et al. 2019, section 4.1)."""

from __future__ import annotations

import numpy as np
import pandas as pd

from bert_attention.attention.store import StoredSequence
from bert_attention.corpora.types import Sentence
from bert_attention.heads import head_table
from bert_attention.papers.clark.columns import DEPENDENCY_DIRECTIONS
from bert_attention.papers.clark.dependency_heads import predicted_words, right_predictions
from bert_attention.statistics.sums import Sums


def sums(sequence: StoredSequence, sentence: Sentence) -> dict[str, np.ndarray | int]:
    """Return a sentence's sums: each head's right predictions ``[special, direction, layer, head]``, and words.

    Index 0 of ``special`` excludes special tokens from the predictions, index 1 includes them. The attention is between
    words, [CLS] first and [SEP] last.
    """
    predicted = np.stack([predicted_words(sequence.attention, special) for special in (False, True)])
    right = right_predictions(predicted, sentence, "described")
    return {"right": right.sum(-1), "words": len(sentence.words)}


def table(sums: Sums) -> pd.DataFrame:
    """Return table ``clark_special_tokens``: how often heads find syntactic heads, without and with special tokens.

    The paper leaves [CLS] and [SEP] out, and says that this does not change the accuracy of most heads significantly.
    ``accuracy`` leaves them out, too. It is the accuracy over all relations of variant ``described`` of
    :mod:`bert_attention.papers.clark.dependency_heads`. For ``accuracy_with_special`` a head can also predict special
    tokens, which are wrong. ``difference`` is ``accuracy`` minus ``accuracy_with_special``. It is never negative: a
    head that prefers a word to all special tokens predicts the same word without them. Even a small difference
    therefore has a confidence interval above zero, and only its size is informative.
    """
    accuracy, with_special = sums["right"] / sums["words"]
    return head_table(
        {"direction": DEPENDENCY_DIRECTIONS},
        accuracy=accuracy,
        accuracy_with_special=with_special,
        difference=accuracy - with_special,
        n=sums["words"],
    )
