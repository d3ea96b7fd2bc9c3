"""How tokenizers mark where words begin, and what their pieces stand for.

Three schemes are told apart. WordPiece marks pieces that go on (``##``). Byte-level tokenizers (RoBERTa, ModernBERT)
mark pieces that follow a space (``Ġ``), and write every byte as a letter of its own. SentencePiece (ALBERT,
XLM-RoBERTa) marks pieces that follow a space (``▁``). The last two leave punctuation unmarked; here it is a word of its
own, as it is for WordPiece, so that words are the same whatever the scheme.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence
from functools import lru_cache

from tokenizers import decoders

from bert_attention.tokenization.tokenizer import Tokenizer

_BYTES_OF_A_CHARACTER = 4


def word_beginnings(wordpieces: Sequence[str], tokenizer: Tokenizer) -> list[bool]:
    """Whether each wordpiece of one text begins a word; the first one always does."""
    prefix = continuing_prefix(tokenizer)
    if prefix:
        return [not place or not piece.startswith(prefix) for place, piece in enumerate(wordpieces)]
    mark = word_mark(tokenizer)
    begins: list[bool] = []
    last = ""  # what the piece before stands for; nothing if it is a mark alone
    for size, text in _whole_characters(wordpieces, tokenizer):
        marked = wordpieces[len(begins)].startswith(mark)
        beside_punctuation = bool(last) and (_is_punctuation(text) or _is_punctuation(last))
        begins += [not begins or marked or beside_punctuation, *[False] * (size - 1)]
        last = text
    return begins


def _whole_characters(wordpieces: Sequence[str], tokenizer: Tokenizer) -> Iterator[tuple[int, str]]:
    """How many pieces, taken together, are made of whole characters, and what they stand for without marks.

    What is left of a character that was cut counts as a letter.
    """
    splits, mark = _is_byte_level(tokenizer), word_mark(tokenizer)
    place = 0
    while place < len(wordpieces):
        text = None
        for size in range(1, _BYTES_OF_A_CHARACTER + 1):
            joined = "".join(wordpieces[place : place + size]).lstrip(mark)
            text = _of_bytes(joined) if splits else joined
            if text is not None:
                break
        else:
            size, text = 1, "x"
        yield size, text
        place += size


def piece_text(wordpieces: Sequence[str], tokenizer: Tokenizer) -> str:
    """The text of the pieces of one word, without marks.

    If a byte-level tokenizer has split a character, and not all of it is there, the pieces are written as they are.
    """
    prefix = continuing_prefix(tokenizer)
    if prefix:
        return "".join(piece.removeprefix(prefix) for piece in wordpieces)
    joined = "".join(wordpieces).lstrip(word_mark(tokenizer))
    text = _of_bytes(joined) if _is_byte_level(tokenizer) else joined
    return joined if text is None else text


def word_mark(tokenizer: Tokenizer) -> str:
    """The mark of pieces that follow a space; empty if the scheme marks those that go on."""
    if continuing_prefix(tokenizer):
        return ""
    return "Ġ" if _is_byte_level(tokenizer) else "▁"


def _is_byte_level(tokenizer: Tokenizer) -> bool:
    return isinstance(tokenizer.backend.decoder, decoders.ByteLevel)


@lru_cache(maxsize=100_000)
def _of_bytes(letters: str) -> str | None:
    """The text of bytes that a byte-level tokenizer writes as letters; None if a part of a character is among them."""
    text = decoders.ByteLevel().decode([letters])
    return None if "\ufffd" in text else text


def continuing_prefix(tokenizer: Tokenizer) -> str:
    """The mark of pieces that go on; empty if the scheme marks the others."""
    return getattr(tokenizer.backend.model, "continuing_subword_prefix", None) or ""


def _is_punctuation(text: str) -> bool:
    """Whether no character of a piece is a letter, a digit or part of one (accents and vowel signs, for example)."""
    return bool(text) and not any(map(_is_of_a_word, text))


@lru_cache(maxsize=100_000)
def _is_of_a_word(character: str) -> bool:
    return character.isalnum() or unicodedata.category(character).startswith("M")
