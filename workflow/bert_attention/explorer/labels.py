"""What is written for tokens and words of a sequence."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from bert_attention.attention.words import word_starts
from bert_attention.explorer.data import ShownTokens, parts_between
from bert_attention.tokenization.sequences import NO_WORD
from bert_attention.tokenization.tokenizer import Tokenizer


def shown_tokens(tokenizer: Tokenizer, token_ids: Sequence[int], word_ids: np.ndarray) -> ShownTokens:
    """What is written for the tokens and words of model input; ``word_ids`` is ``[n]``.

    A special token is a word of its own. Marks of a scheme at the beginning of a word (``Ġ``, ``▁``) are not written,
    those inside a word (``##``) are.
    """
    pieces = tokenizer.convert_ids_to_tokens([int(index) for index in token_ids])
    starts = word_starts(word_ids)
    word_of = np.repeat(np.arange(len(starts)), np.diff([*starts, len(pieces)]))
    tokens = tuple(
        piece if word == NO_WORD else _text(tokenizer, [piece]) for piece, word in zip(pieces, word_ids, strict=True)
    )
    ends = [*starts[1:], len(pieces)]
    words = tuple(
        pieces[start] if word_ids[start] == NO_WORD else _text(tokenizer, pieces[start:end])
        for start, end in zip(starts, ends, strict=True)
    )
    special = np.asarray(word_ids) == NO_WORD
    return ShownTokens(tokens, words, word_of, special, parts_between(special))


def _text(tokenizer: Tokenizer, pieces: list[str]) -> str:
    """The text of one word's pieces; the pieces themselves where they have none, such as part of a character."""
    decoder = tokenizer.backend.decoder
    text = decoder.decode(pieces).strip() if decoder else "".join(pieces)
    return text if text and "\ufffd" not in text else "".join(pieces).lstrip("Ġ▁")
