"""The user's own texts as model input."""

from __future__ import annotations

from collections.abc import Sequence

from bert_attention.corpora.types import Segment
from bert_attention.errors import InputError
from bert_attention.tokenization.sequences import EncodedSequence
from bert_attention.tokenization.tokenizer import Tokenizer
from bert_attention.tokenization.unknown_tokens import check_is_known, wordpieces_of
from bert_attention.tokenization.wordpieces import encode_segment, segment_of, tokenize_texts

Text = str | tuple[str, str] | Segment  # a text, a text and its continuation, or the wordpieces of one or two texts

_REMEDY = "give a string, a tuple of two strings, or a list of such texts"


def segments_of(texts: Sequence[Text], tokenizer: Tokenizer) -> list[Segment]:
    """Return the wordpieces of each text as a segment whose ``article`` is the text's number from 1.

    Raise InputError if a text has another type or no token.
    """
    segments = []
    for number, text in enumerate(texts, start=1):
        if isinstance(text, Segment):
            segments.append(text)
            continue
        parts = (text, "") if isinstance(text, str) else text
        if not (isinstance(parts, tuple) and len(parts) == 2 and all(isinstance(part, str) for part in parts)):
            raise InputError(f"text {number}", f"{text!r} is not a text", _REMEDY)
        first, second = tokenize_texts(tokenizer, parts)
        if not first.wordpieces:
            raise InputError(f"text {number}", f"{parts[0]!r} has no tokens", "give a text with words")
        segments.append(segment_of(str(number), first, second))
    return segments


def encode_texts(
    segments: Sequence[Segment], tokenizer: Tokenizer, segment_ids: str, max_length: int
) -> list[EncodedSequence]:
    """Encode texts as model input; ``segment_ids`` is as in :func:`.encode_segment`.

    Warn or raise InputError if the tokenizer does not know the texts (see :func:`.check_is_known`). Also raise
    InputError if a text has more than ``max_length`` tokens, or a wordpiece that is not in the vocabulary.
    """
    sequences = []
    for number, segment in enumerate(segments, start=1):
        try:
            sequences.append(encode_segment(segment, tokenizer, segment_ids))
        except ValueError as error:
            raise InputError(
                f"text {number}", str(error), "give the text itself, or wordpieces of this model"
            ) from None
    for number, sequence in enumerate(sequences, start=1):
        if len(sequence) > max_length:
            problem = f"has {len(sequence)} tokens, but the model takes at most {max_length}"
            raise InputError(f"text {number}", problem, "shorten the text")
    check_is_known(wordpieces_of(segments), tokenizer, "the texts")
    return sequences
