"""Beginnings of words in a text, as a tokenizer's backend knows them, and the text that pieces of a word stand for.

A word begins after a space, where the backend begins a word, and at each side of punctuation. Tokenizers that keep the
space in what they cut (byte-level ones and SentencePiece) are not asked for their words: theirs are parts of words,
such as the ``'t`` of ``don't``. Punctuation is what BERT takes for it: Unicode's punctuation, in any script, and
ASCII's symbols. So words are the same whatever the scheme.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence
from functools import lru_cache

from tokenizers import Encoding, decoders

from bert_attention.tokenization.tokenizer import Tokenizer

# Names of characters that end a sentence or part a list, as "." and "," do in English.
_PERIODS_AND_COMMAS = ("FULL STOP", "COMMA", "DANDA")


def word_beginnings(text: str, encoding: Encoding, tokenizer: Tokenizer) -> tuple[bool, ...]:
    """Return for each wordpiece of an encoded text whether it begins a word; the first one always does."""
    return tuple(_beginnings(text, encoding, tokenizer.marks.pieces_hold_spaces))


def _beginnings(text: str, encoding: Encoding, pieces_hold_spaces: bool) -> Iterator[bool]:
    end, word, written = 0, None, ""  # of the piece before
    for place, ((start, stop), own_word) in enumerate(zip(encoding.offsets, encoding.word_ids, strict=True)):
        own = text[start:stop].lstrip()
        after_space = any(map(str.isspace, text[end : stop - len(own)]))
        other_word = own_word != word and not pieces_hold_spaces
        part_of_character = start < end  # which a byte-level tokenizer has cut
        beside_punctuation = (
            not part_of_character and bool(written) and (_is_punctuation(own) or _is_punctuation(written))
        )
        yield not place or after_space or other_word or beside_punctuation
        end, word, written = stop, own_word, own


def piece_text(wordpieces: Sequence[str], tokenizer: Tokenizer) -> str:
    """The text of the pieces of one word, without marks.

    If a byte-level tokenizer has split a character, and not all of it is there, the pieces are written as they are.
    """
    marks = tokenizer.marks
    whole = (piece.removeprefix(marks.inside).removesuffix(marks.end) for piece in wordpieces)
    joined = "".join(whole).lstrip(marks.space)
    text = _of_bytes(joined) if marks.byte_level else joined
    return joined if text is None else text


def is_period_or_comma(wordpiece: str, tokenizer: Tokenizer) -> bool:
    """Return True if a wordpiece is a whole word, and a period or comma of any script."""
    marks = tokenizer.marks
    text = "" if marks.inside and wordpiece.startswith(marks.inside) else piece_text([wordpiece], tokenizer)
    if len(text) != 1 or unicodedata.category(text) != "Po":
        return False
    return any(kind in unicodedata.name(text, "") for kind in _PERIODS_AND_COMMAS)


@lru_cache(maxsize=100_000)
def _of_bytes(letters: str) -> str | None:
    """The text of bytes that a byte-level tokenizer writes as letters; None if a part of a character is among them."""
    text = decoders.ByteLevel().decode([letters])
    return None if "\ufffd" in text else text


@lru_cache(maxsize=100_000)
def _is_punctuation(text: str) -> bool:
    return bool(text) and all(map(_is_mark, text))


def _is_mark(character: str) -> bool:
    if character.isascii():
        return character.isprintable() and not character.isalnum() and character != " "
    return unicodedata.category(character).startswith("P")
