"""What heads gain where [CLS] and [SEP] do not count as predictions (Clark et al. 2019, section 4.1)."""

from __future__ import annotations

import numpy as np
import pandas as pd

from bert_attention.attention.store import StoredSequence
from bert_attention.clark.column_values import DEPENDENCY_DIRECTIONS
from bert_attention.clark.dependency_heads import possessive_markers, predicted_words
from bert_attention.corpora.types import Sentence
from bert_attention.heads import head_table
from bert_attention.statistics.sums import Sums


def sums(sequence: StoredSequence, sentence: Sentence) -> dict[str, np.ndarray | int]:
    """What a sentence adds: for how many words each head finds the head, ``[direction, layer, head]``, without and with
    special tokens.

    Parameters
    ----------
    sequence
        Attention between words, [CLS] first and [SEP] last.
    """
    attention = sequence.attention
    return {
        "without": _right_predictions(predicted_words(attention, sentence), sentence),
        "with_special": _right_predictions(predicted_positions(attention), sentence),
        "words": len(sentence.words),
    }


def table(sums: Sums) -> pd.DataFrame:
    """Table ``clark_special_tokens``: how often each head finds syntactic heads, without and with special tokens.

    The paper leaves [CLS] and [SEP] out, and says that this does not change the accuracy of most heads significantly.
    ``accuracy`` is that of :mod:`bert_attention.clark.dependency_heads` over all relations, as described: special
    tokens are left out. For ``accuracy_with_special`` a head may predict them, too, which is wrong. ``difference`` is
    the former minus the latter. It is never negative: if a head predicts a word although it could predict a special
    token, it predicts the same word without them. So its interval lies above zero as soon as some right predictions
    come from leaving special tokens out; the size of the difference says more.
    """
    accuracy, with_special = sums["without"] / sums["words"], sums["with_special"] / sums["words"]
    tables = [
        head_table(
            direction=direction,
            accuracy=accuracy[place],
            accuracy_with_special=with_special[place],
            difference=accuracy[place] - with_special[place],
            n=sums["words"],
        )
        for place, direction in enumerate(DEPENDENCY_DIRECTIONS)
    ]
    return pd.concat(tables, ignore_index=True)


def predicted_positions(attention: np.ndarray) -> np.ndarray:
    """The word, from 0, that each head in each direction predicts if it may predict [CLS] and [SEP], too.

    The word itself is left out.

    Parameters
    ----------
    attention
        ``[layer, head, query, key]`` between words, [CLS] first and [SEP] last.

    Returns
    -------
    ``[direction, layer, head, word]``; the number of words stands for a special token. Ties go to the first position.
    """
    positions = attention.shape[-1]
    between = attention.copy()
    between[..., np.arange(positions), np.arange(positions)] = 0
    found = np.stack([between[..., 1:-1, :].argmax(-1), between[..., 1:-1].argmax(-2)]) - 1
    return np.where(found < 0, positions - 2, found)


def _right_predictions(predicted: np.ndarray, sentence: Sentence) -> np.ndarray:
    """For how many words of a sentence each head finds the syntactic head: ``[direction, layer, head]``."""
    markers = possessive_markers(sentence)
    counted = predicted[..., [markers.get(place, place) for place in range(len(sentence.words))]]
    return (counted == np.array([word.head - 1 for word in sentence.words])).sum(-1)
