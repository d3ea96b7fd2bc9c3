"""Attention to words that are repeated in the other sentence of a pair (Kovaleva et al. 2019, section 5)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
import pandas as pd

from bert_attention.attention.store import StoredSequence
from bert_attention.corpora.types import TaskInput
from bert_attention.heads import head_table
from bert_attention.kovaleva.column_values import MODELS
from bert_attention.kovaleva.means import mean_with_interval
from bert_attention.kovaleva.word_positions import text_positions

_UNKNOWN = ("[UNK]", "<unk>")  # two of them need not be the same word


def repeated_words(
    pretrained_sequences: Iterable[StoredSequence],
    finetuned_sequences: Iterable[StoredSequence],
    examples: Sequence[TaskInput],
    task: str,
    seed: int,
) -> pd.DataFrame:
    """Table ``kovaleva_repeated_words``: how much tokens that occur in both sentences attend to each other.

    ``attention`` is what a token gives to all tokens of the other sentence that are the same wordpiece, averaged over
    the tokens of an example that have any, then over the examples. ``baseline`` is what as many other tokens of the
    other sentence get on average, ``difference`` is by how much attention exceeds it; intervals of both attention and
    difference are over examples. All are empty if no example repeats a word. Special tokens, punctuation and unknown
    words are left out throughout.

    The paper says of two heads, by inspection, that they compare the sentences word by word.

    Parameters
    ----------
    pretrained_sequences, finetuned_sequences
        Attention ``[layer, head, query, key]`` of the encoder as it comes and fine-tuned, in the order of ``examples``.
    seed
        Seed of the resamples.

    Raises
    ------
    ValueError
        If sequences and examples do not belong together.
    """
    tables = []
    for model, sequences in zip(MODELS, (pretrained_sequences, finetuned_sequences), strict=True):
        values, counted = [], []
        for sequence, example in zip(sequences, examples, strict=True):
            found = attention_to_repeated(sequence.attention, *repeated_tokens(sequence, example))
            values.append(found)
            counted.append(~np.isnan(found).any())
        attention, baseline = np.stack(values, axis=1)
        of_attention, of_baseline, of_difference = (
            mean_with_interval(some, np.array(counted), seed) for some in (attention, baseline, attention - baseline)
        )
        columns = {
            "attention": of_attention.pop("mean"),
            **of_attention,
            "baseline": of_baseline["mean"],
            "difference": of_difference["mean"],
            "difference_low": of_difference["low"],
            "difference_high": of_difference["high"],
        }
        tables.append(head_table(**columns, task=task, model=model))
    return pd.concat(tables, ignore_index=True)


def repeated_tokens(sequence: StoredSequence, example: TaskInput) -> tuple[np.ndarray, np.ndarray]:
    """Which tokens of the other sentence are the same wordpiece, and which are another: ``[token, token]`` each."""
    token_ids = sequence.token_ids
    is_word = np.zeros((2, len(token_ids)), dtype=bool)
    positions = text_positions(example, sequence.word_ids)
    for part, where, wordpieces in zip(is_word, positions, (example.first, example.second), strict=True):
        part[where] = [_is_known_word(wordpiece) for wordpiece in wordpieces]
    across = np.outer(*is_word)
    across |= across.T
    same = token_ids[:, None] == token_ids
    return across & same, across & ~same


def attention_to_repeated(attention: np.ndarray, same: np.ndarray, different: np.ndarray) -> np.ndarray:
    """Attention to the same wordpieces and to as many others, averaged over tokens: ``[2, layer, head]``.

    NaN if no token has both.

    Parameters
    ----------
    attention
        ``[layer, head, query, key]``.
    same, different
        ``[query, key]``: the pairs of tokens of either kind.
    """
    queries = same.any(1) & different.any(1)
    if not queries.any():
        return np.full((2, *attention.shape[:2]), np.nan)
    of_queries, same, different = attention[:, :, queries], same[queries], different[queries]
    to_same, to_different = (np.einsum("lhqk,qk->lhq", of_queries, mask) for mask in (same, different))
    as_many = same.sum(1) / different.sum(1)
    return np.stack([to_same.mean(-1), (to_different * as_many).mean(-1)])


def _is_known_word(wordpiece: str) -> bool:
    return wordpiece not in _UNKNOWN and any(map(str.isalnum, wordpiece))
