"""What is written for tokens and words of a sequence."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from bert_attention.attention.words import word_starts
from bert_attention.explorer.data import ShownTokens, parts_between
from bert_attention.tokenization.sequences import NO_WORD
from bert_attention.tokenization.tokenizer import Tokenizer


def shown_tokens(tokenizer: Tokenizer, token_ids: Sequence[int], word_ids: np.ndarray) -> ShownTokens:
    """What is written for the tokens and words of model input; ``word_ids`` is ``[n]``.

    Marks of a scheme at the beginning of a word (``Ġ``, ``▁``) are not written, those inside a word (``##``) are.
    """
    pieces = tokenizer.convert_ids_to_tokens([int(index) for index in token_ids])
    tokens = [
        piece if word == NO_WORD else _text(tokenizer, [piece]) for piece, word in zip(pieces, word_ids, strict=True)
    ]
    return with_words(tokens, word_ids, lambda start, end: _text(tokenizer, pieces[start:end]))


def with_words(tokens: Sequence[str], word_ids: np.ndarray, written: Callable[[int, int], str]) -> ShownTokens:
    """What is written for tokens, and for the words that they are of; ``word_ids`` is ``[n]``.

    ``written`` gives a word by the places of its first token and of the one after its last. A special token is a word
    of its own.
    """
    special = np.asarray(word_ids) == NO_WORD
    starts = word_starts(word_ids)
    ends = [*starts[1:], len(tokens)]
    words = tuple(
        tokens[start] if special[start] else written(start, end) for start, end in zip(starts, ends, strict=True)
    )
    word_of = np.repeat(np.arange(len(starts)), np.subtract(ends, starts))
    return ShownTokens(tuple(tokens), words, word_of, special, parts_between(special))


def _text(tokenizer: Tokenizer, pieces: list[str]) -> str:
    """The text of one word's pieces; the pieces themselves where they have none, such as part of a character."""
    decoder = tokenizer.backend.decoder
    text = decoder.decode(pieces).strip() if decoder else "".join(pieces)
    return text if text and "\ufffd" not in text else "".join(pieces).lstrip("Ġ▁")
