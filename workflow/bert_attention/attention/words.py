"""Attention between words, from attention between wordpieces (Clark et al. 2019, section 4.1)."""

from __future__ import annotations

import numpy as np
import torch

from bert_attention.errors import check_choice
from bert_attention.tokenization.sequences import NO_WORD

RULES = ("mean", "first", "max")


def word_starts(word_ids: np.ndarray) -> np.ndarray:
    """Return the indices at which words begin, ``[word]``; special tokens count as words."""
    begins = np.ones(len(word_ids), dtype=bool)
    begins[1:] = (word_ids[1:] != word_ids[:-1]) | (word_ids[1:] == NO_WORD)
    return np.flatnonzero(begins)


def word_attention(attention: torch.Tensor, word_ids: np.ndarray, rule: str) -> torch.Tensor:
    """Return the attention between words, ``[..., word, word]``; special tokens count as words.

    ``attention`` is the attention between wordpieces of one sequence, ``[..., query, key]``, and ``word_ids``, ``[n]``,
    comes from :func:`encode_words`. Attention to a word is the sum over its wordpieces. ``rule`` says how to combine
    attention from a word's wordpieces. ``mean`` is the mean of the wordpieces' rows (the paper). ``first`` is the row
    of the first wordpiece (the default of the released code). ``max`` is the maximum of each cell, with rows then
    scaled to sum to one (also released). Rows of words sum to one if the rows of ``attention`` do.
    """
    check_choice("rule", rule, RULES)
    starts = torch.from_numpy(word_starts(word_ids)).to(attention.device)
    if len(starts) == len(word_ids):
        return attention
    word = torch.zeros(len(word_ids), dtype=torch.long, device=attention.device)
    word[starts[1:]] = 1
    word = word.cumsum(0)
    words = len(starts)
    to_words = attention.new_zeros((*attention.shape[:-1], words)).index_add_(-1, word, attention)
    if rule == "first":
        return to_words.index_select(-2, starts)
    from_words = attention.new_zeros((*attention.shape[:-2], words, words))
    if rule == "max":
        from_words.scatter_reduce_(-2, word[:, None].expand_as(to_words), to_words, "amax")
        return from_words / from_words.sum(-1, keepdim=True)
    wordpieces = torch.bincount(word).to(attention.dtype)
    return from_words.index_add_(-2, word, to_words) / wordpieces[:, None]
