"""From wordpieces to words: model input made of words, and attention between words (Clark et al. 2019, section 4.1)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np
import torch
from transformers import PreTrainedTokenizerFast

from bert_attention.wordpieces import NO_WORD, EncodedSequence, Wordpieces, pair_layout, tokenize


def wordpieces_of_words(
    texts: Iterable[Sequence[str]], tokenizer: PreTrainedTokenizerFast
) -> Iterator[tuple[Wordpieces, ...]]:
    """The wordpieces of every word of each text. A word of which the tokenizer leaves nothing has none."""
    known: dict[str, Wordpieces] = {}
    for words in texts:
        new = sorted(set(words) - known.keys())
        known.update(zip(new, tokenize(tokenizer, new), strict=True))
        yield tuple(known[word] for word in words)


def encode_words(words: Sequence[Wordpieces], tokenizer: PreTrainedTokenizerFast) -> EncodedSequence:
    """Model input of one sentence or document, ``[CLS] words [SEP]``, all segment ids 0.

    Raises
    ------
    ValueError
        If a word has no wordpiece.
    """
    layout = pair_layout(tokenizer)
    if () in words:
        raise ValueError(f"word {words.index(()) + 1} has no wordpiece in the model's vocabulary")
    inside = [tokenizer.backend_tokenizer.token_to_id(wordpiece) for word in words for wordpiece in word]
    word_ids = np.repeat(np.arange(len(words)), [len(word) for word in words])
    opening, closing = (np.full(len(ids), NO_WORD) for ids in (layout.opening, layout.closing))
    token_ids = np.array([*layout.opening, *inside, *layout.closing], dtype=np.int32)
    return EncodedSequence(
        token_ids, np.zeros_like(token_ids), np.concatenate([opening, word_ids, closing]).astype(np.int32)
    )


def word_starts(word_ids: np.ndarray) -> np.ndarray:
    """Places where a word or a special token begins, ``[word]``; special tokens count as words."""
    begins = np.ones(len(word_ids), dtype=bool)
    begins[1:] = (word_ids[1:] != word_ids[:-1]) | (word_ids[1:] == NO_WORD)
    return np.flatnonzero(begins)


def word_attention(attention: torch.Tensor, word_ids: np.ndarray, queries: str) -> torch.Tensor:
    """Attention between words, from that between wordpieces; special tokens count as words.

    To a word: the sum over its wordpieces. From a word: as ``queries`` says.

    Parameters
    ----------
    attention
        ``[..., query, key]``, of one sequence.
    word_ids
        ``[n]``, as :func:`encode_words` gives them.
    queries
        ``mean``: of its wordpieces' rows (the paper); ``first``: the row of its first wordpiece (the released default);
        ``max``: the highest of each cell, then rows made to sum to one (released, too).

    Returns
    -------
    Tensor ``[..., word, word]``; rows sum to one where those of ``attention`` do.
    """
    starts = torch.from_numpy(word_starts(word_ids)).to(attention.device)
    if len(starts) == len(word_ids):
        return attention
    word = torch.zeros(len(word_ids), dtype=torch.long, device=attention.device)
    word[starts[1:]] = 1
    word = word.cumsum(0)
    words = len(starts)
    to_words = attention.new_zeros((*attention.shape[:-1], words)).index_add_(-1, word, attention)
    if queries == "first":
        return to_words.index_select(-2, starts)
    from_words = attention.new_zeros((*attention.shape[:-2], words, words))
    if queries == "max":
        from_words.scatter_reduce_(-2, word[:, None].expand_as(to_words), to_words, "amax")
        return from_words / from_words.sum(-1, keepdim=True)
    wordpieces = torch.bincount(word).to(attention.dtype)
    return from_words.index_add_(-2, word, to_words) / wordpieces[:, None]
