"""What heads gain where [CLS] and [SEP] do not count as predictions (Clark et al. 2019, section 4.1)."""

from __future__ import annotations

import numpy as np
import pandas as pd

from bert_attention.attention.store import StoredSequence
from bert_attention.clark.column_values import DEPENDENCY_DIRECTIONS
from bert_attention.clark.dependency_heads import predicted_words, right_predictions
from bert_attention.corpora.types import Sentence
from bert_attention.heads import head_table
from bert_attention.statistics.sums import Sums


def sums(sequence: StoredSequence, sentence: Sentence) -> dict[str, np.ndarray | int]:
    """What a sentence adds: for how many words each head finds the head, ``[special, direction, layer, head]``, without
    and with special tokens.

    Parameters
    ----------
    sequence
        Attention between words, [CLS] first and [SEP] last.
    """
    predicted = np.stack([predicted_words(sequence.attention, special) for special in (False, True)])
    right = right_predictions(predicted, sentence, "described")
    return {"right": right.sum(-1), "words": len(sentence.words)}


def table(sums: Sums) -> pd.DataFrame:
    """Table ``clark_special_tokens``: how often each head finds syntactic heads, without and with special tokens.

    The paper leaves [CLS] and [SEP] out, and says that this does not change the accuracy of most heads significantly.
    ``accuracy`` is that of :mod:`bert_attention.clark.dependency_heads` over all relations, as described: special
    tokens are left out. For ``accuracy_with_special`` a head may predict them, too, which is wrong. ``difference`` is
    the former minus the latter. It is never negative: if a head predicts a word although it could predict a special
    token, it predicts the same word without them. So its interval lies above zero as soon as some right predictions
    come from leaving special tokens out; the size of the difference says more.
    """
    accuracy, with_special = sums["right"] / sums["words"]
    return head_table(
        {"direction": DEPENDENCY_DIRECTIONS},
        accuracy=accuracy,
        accuracy_with_special=with_special,
        difference=accuracy - with_special,
        n=sums["words"],
    )
