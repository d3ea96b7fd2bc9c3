"""Model input made of words, with the wordpieces of each word."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise

import numpy as np

from bert_attention.corpora.types import Wordpieces
from bert_attention.tokenization.sequences import NO_WORD, EncodedSequence
from bert_attention.tokenization.tokenizer import Tokenizer
from bert_attention.tokenization.wordpieces import (
    TokenizedText,
    replace_placeholders,
    tokenize_as_written,
    wordpiece_ids,
)


def wordpieces_of_words(texts: Iterable[Sequence[str]], tokenizer: Tokenizer) -> list[tuple[Wordpieces, ...]]:
    """Return the wordpieces of every word of each text, as the tokenizer cuts the words joined by spaces.

    A word has none if the tokenizer drops all its characters.
    """
    words = [replace_placeholders(tokenizer, text) for text in texts]
    return list(map(_pieces_by_word, words, tokenize_as_written(tokenizer, [" ".join(text) for text in words])))


def _pieces_by_word(words: Sequence[str], text: TokenizedText) -> tuple[Wordpieces, ...]:
    """Return the wordpieces of each word of a text that is these words, joined by spaces.

    A wordpiece belongs to the word of its last character. A wordpiece that is only a space belongs to the next word.
    """
    ends = np.cumsum([len(word) + 1 for word in words]) - 1
    owners = np.searchsorted(ends, [end for _, end in text.spans])
    return tuple(
        tuple(text.wordpieces[start:stop]) for start, stop in pairwise(np.searchsorted(owners, range(len(words) + 1)))
    )


def encode_words(words: Sequence[Wordpieces], tokenizer: Tokenizer) -> EncodedSequence:
    """Encode one sentence or document as model input, ``[CLS] words [SEP]``, with all segment ids 0.

    Raise ValueError if a word has no wordpieces.
    """
    layout = tokenizer.layout
    if () in words:
        raise ValueError(f"word {words.index(()) + 1} has no wordpiece in the model's vocabulary")
    inside = wordpiece_ids([wordpiece for word in words for wordpiece in word], tokenizer)
    word_ids = np.repeat(np.arange(len(words)), [len(word) for word in words])
    opening, closing = (np.full(len(ids), NO_WORD) for ids in (layout.opening, layout.closing))
    token_ids = np.array([*layout.opening, *inside, *layout.closing], dtype=np.int32)
    return EncodedSequence(
        token_ids, np.zeros_like(token_ids), np.concatenate([opening, word_ids, closing]).astype(np.int32)
    )
