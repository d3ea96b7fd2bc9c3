"""Find where words begin in a tokenized text, and the text of a word's pieces.

A word begins after a space, where the tokenizer's backend begins a word, and at each side of punctuation. The backend's
words are ignored if its pieces include spaces (byte-level tokenizers and SentencePiece), because such backends split
words, as ``'t`` from ``don't``. They are also ignored beside a token that a user added to the vocabulary, which a
backend cuts out of a word: ``covid`` from ``covid19``. Punctuation is defined as in BERT: Unicode's punctuation, in any
script, and ASCII's symbols. Words are therefore the same for every tokenization scheme.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import accumulate, groupby

from tokenizers import Encoding, decoders

from bert_attention.tokenization.tokenizer import Marks, Tokenizer

# Unicode names of characters that end a sentence or separate list items, as "." and "," do in English.
_PERIODS_AND_COMMAS = ("FULL STOP", "COMMA", "DANDA")
_BYTE = re.compile("<0x([0-9A-F]{2})>")

Span = tuple[int, int]


def character_spans(encoding: Encoding, tokenizer: Tokenizer) -> list[Span]:
    """Return the characters of each wordpiece of an encoded text: start up to, not including, end.

    With byte fallback, a Unigram tokenizer gives all bytes of a run of unknown characters the offsets of the whole run.
    Here, each byte has the span of its own character.
    """
    if not tokenizer.marks.byte_fallback:
        return encoding.offsets
    spans: list[Span] = []
    for (start, stop), run in groupby(zip(encoding.tokens, encoding.offsets, strict=True), key=lambda piece: piece[1]):
        values = [int(match[1], 16) if (match := _BYTE.fullmatch(token)) else None for token, _ in run]
        begins = [value is not None and not 0x80 <= value < 0xC0 for value in values]  # UTF-8's first bytes
        if sum(begins) != stop - start:
            spans += [(start, stop)] * len(values)
            continue
        for value, number in zip(values, accumulate(begins), strict=True):
            own = start + number - 1
            spans.append((start, stop) if value is None else (own, own + 1))
    return spans


def word_beginnings(text: str, encoding: Encoding, spans: Sequence[Span], tokenizer: Tokenizer) -> tuple[bool, ...]:
    """Return for each wordpiece of an encoded text True if it begins a word, as the first wordpiece always does.

    ``spans`` are those of :func:`character_spans`.
    """
    return tuple(_beginnings(text, encoding, spans, tokenizer))


def _beginnings(text: str, encoding: Encoding, spans: Sequence[Span], tokenizer: Tokenizer) -> Iterator[bool]:
    end, word, previous = 0, None, ""  # end, word and text of the previous piece
    added = [token in tokenizer.added_words for token in encoding.ids]
    for index, ((start, stop), own_word) in enumerate(zip(spans, encoding.word_ids, strict=True)):
        own = text[start:stop].lstrip()
        after_space = any(map(str.isspace, text[end : stop - len(own)]))
        cut_by_added = any(added[max(0, index - 1) : index + 1]) and not any(map(_is_mark, previous[-1:] + own[:1]))
        other_word = own_word != word and not (tokenizer.marks.pieces_hold_spaces or cut_by_added)
        part_of_character = start < end  # a tokenizer of bytes has split the character
        beside_punctuation = (
            not part_of_character and bool(previous) and (_is_punctuation(own) or _is_punctuation(previous))
        )
        yield index == 0 or after_space or other_word or beside_punctuation
        end, word, previous = stop, own_word, own


def piece_text(wordpieces: Sequence[str], marks: Marks) -> str:
    """Return the text of the pieces of one word, without marks.

    If a tokenizer of bytes has split a character and a part is missing, return the pieces as they are, joined.
    """
    unmarked = tuple(piece.removeprefix(marks.inside).removesuffix(marks.end) for piece in wordpieces)
    joined = "".join(unmarked).lstrip(marks.space)
    if marks.byte_level:
        text = _decode_bytes(joined)
    elif marks.byte_fallback:
        text = decoders.ByteFallback().decode(list(unmarked)).lstrip(marks.space)
    else:
        return joined
    return joined if "\ufffd" in text else text


def is_period_or_comma(wordpiece: str, tokenizer: Tokenizer) -> bool:
    """Return True if a wordpiece is a whole word and a period or comma of any script."""
    marks = tokenizer.marks
    text = "" if marks.inside and wordpiece.startswith(marks.inside) else piece_text([wordpiece], marks)
    if len(text) != 1 or unicodedata.category(text) != "Po":
        return False
    return any(kind in unicodedata.name(text, "") for kind in _PERIODS_AND_COMMAS)


@lru_cache(maxsize=100_000)
def _decode_bytes(letters: str) -> str:
    """Return the text of bytes that a byte-level tokenizer writes as letters."""
    return decoders.ByteLevel().decode([letters])


@lru_cache(maxsize=100_000)
def _is_punctuation(text: str) -> bool:
    return bool(text) and all(map(_is_mark, text))


def _is_mark(character: str) -> bool:
    if character.isascii():
        return character.isprintable() and not character.isalnum() and character != " "
    return unicodedata.category(character).startswith("P")
