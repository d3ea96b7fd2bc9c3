"""Attention to words that are repeated in the other sentence of a pair (Kovaleva et al. 2019, section 5)."""

from __future__ import annotations

import numpy as np
import pandas as pd

from bert_attention.attention.store import StoredSequence
from bert_attention.corpora.types import TaskInput
from bert_attention.heads import head_table
from bert_attention.papers.kovaleva.columns import MODELS
from bert_attention.papers.kovaleva.means import mean_terms, means
from bert_attention.papers.kovaleva.word_positions import text_positions
from bert_attention.statistics.sums import Sums

_UNKNOWN = ("[UNK]", "<unk>")  # two unknown words need not be the same word


def sums(
    pretrained_sequence: StoredSequence, finetuned_sequence: StoredSequence, example: TaskInput
) -> dict[str, np.ndarray]:
    """Return the sums of an example of two sentences, ``[model, 2, layer, head]``, if it repeats a word.

    The first score is the attention from a token to all tokens of the other sentence that are the same wordpiece. The
    second score is the average attention to as many other tokens of the other sentence. Both are averaged over the
    tokens that have such partners. Special tokens, punctuation and unknown words are always excluded. Sequences are as
    in :func:`bert_attention.papers.kovaleva.features.sums`. Raise ValueError if the sequence and the example have
    different numbers of wordpieces.
    """
    repeated = repeated_tokens(pretrained_sequence, example)
    sequences = (pretrained_sequence, finetuned_sequence)
    scores = [attention_to_repeated(sequence.attention, *repeated) for sequence in sequences]
    return mean_terms(scores, not np.isnan(scores).any())


def table(sums: Sums) -> pd.DataFrame:
    """Return table ``kovaleva_repeated_words``: the attention between tokens that occur in both sentences.

    ``attention`` is the attention to the same wordpieces, averaged over examples. ``baseline`` is the attention to as
    many other wordpieces, and ``difference`` is ``attention`` minus ``baseline``. All are NaN if no example repeats a
    word. The paper reports from inspection that two heads compare the sentences word by word.
    """
    over_examples = means(sums)
    attention, baseline = over_examples["attention"].swapaxes(0, 1)
    columns = {"attention": attention, "baseline": baseline, "difference": attention - baseline}
    return head_table({"model": MODELS}, **columns, n=over_examples["n"])


def repeated_tokens(sequence: StoredSequence, example: TaskInput) -> tuple[np.ndarray, np.ndarray]:
    """Return masks of pairs across sentences: equal wordpieces, and different wordpieces, ``[token, token]`` each."""
    token_ids = sequence.token_ids
    is_word = np.zeros((2, len(token_ids)), dtype=bool)
    positions = text_positions(example, sequence.word_ids)
    for mask, indices, wordpieces in zip(is_word, positions, (example.first, example.second), strict=True):
        mask[indices] = [_is_known_word(wordpiece) for wordpiece in wordpieces]
    across = np.outer(*is_word)
    across |= across.T
    same = token_ids[:, None] == token_ids
    return across & same, across & ~same


def attention_to_repeated(attention: np.ndarray, same: np.ndarray, different: np.ndarray) -> np.ndarray:
    """Return attention to the same wordpieces and to as many others, averaged over tokens: ``[2, layer, head]``.

    The mean is over the tokens that have partners of both kinds. It is NaN if there is no such token. The attention is
    ``[layer, head, query, key]``. ``same`` and ``different`` are masks ``[query, key]`` of each token's partners.
    """
    queries = same.any(1) & different.any(1)
    if not queries.any():
        return np.full((2, *attention.shape[:2]), np.nan)
    attention, same, different = attention[:, :, queries], same[queries], different[queries]
    to_same, to_different = (np.einsum("lhqk,qk->lhq", attention, mask) for mask in (same, different))
    as_many = same.sum(1) / different.sum(1)
    return np.stack([to_same.mean(-1), (to_different * as_many).mean(-1)])


def _is_known_word(wordpiece: str) -> bool:
    return wordpiece not in _UNKNOWN and any(map(str.isalnum, wordpiece))
