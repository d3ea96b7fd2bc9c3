"""Texts to display for the tokens and words of a sequence."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from bert_attention.attention.words import word_starts
from bert_attention.explorer.data import ShownTokens, parts_between
from bert_attention.tokenization.sequences import NO_WORD
from bert_attention.tokenization.tokenizer import Tokenizer
from bert_attention.tokenization.word_boundaries import piece_text


def shown_tokens(tokenizer: Tokenizer, token_ids: Sequence[int], word_ids: np.ndarray) -> ShownTokens:
    """Return the texts to display for model input; ``word_ids`` is ``[n]``.

    Marks of a tokenizer at the beginning of a word (``Ġ``, ``▁``) are removed. Marks inside a word (``##``) are kept.
    """
    pieces = tokenizer.convert_ids_to_tokens([int(index) for index in token_ids])
    inside = tokenizer.marks.inside
    tokens = [
        piece if word == NO_WORD or (inside and piece.startswith(inside)) else piece_text([piece], tokenizer.marks)
        for piece, word in zip(pieces, word_ids, strict=True)
    ]
    return with_words(tokens, word_ids, lambda start, end: piece_text(pieces[start:end], tokenizer.marks))


def with_words(tokens: Sequence[str], word_ids: np.ndarray, word_text: Callable[[int, int], str]) -> ShownTokens:
    """Return the texts to display for tokens and for their words; ``word_ids`` is ``[n]``.

    ``word_text`` returns the text of a word, given the index of its first token and the index after its last token. A
    special token is its own word.
    """
    special = np.asarray(word_ids) == NO_WORD
    starts = word_starts(word_ids)
    ends = [*starts[1:], len(tokens)]
    words = tuple(
        tokens[start] if special[start] else word_text(start, end) for start, end in zip(starts, ends, strict=True)
    )
    word_of = np.repeat(np.arange(len(starts)), np.subtract(ends, starts))
    return ShownTokens(tuple(tokens), words, word_of, special, parts_between(special))
