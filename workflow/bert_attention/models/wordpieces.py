"""Tokenizers: wordpieces, special tokens, and the layout of a two-part input, for any fast tokenizer."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from transformers import AutoTokenizer, PreTrainedTokenizerFast

from bert_attention.corpora.types import UNKNOWN_WORD, Segment, Wordpieces
from bert_attention.errors import InputError
from bert_attention.models.inputs import NO_WORD, EncodedSequence
from bert_attention.models.token_categories import TokenCategories

Span = tuple[int, int]


def load_tokenizer(folder: Path | str) -> PreTrainedTokenizerFast:
    """The fast tokenizer in a model folder.

    Raises
    ------
    InputError
        If there is none, or it lacks the tokens that open a sequence and close a span.
    """
    remedy = "choose an encoder of the BERT family whose folder holds a tokenizer.json"
    if not (Path(folder) / "tokenizer.json").is_file():  # without it, AutoTokenizer makes up an empty one
        raise InputError(f"model {folder}", "has no fast tokenizer (tokenizer.json)", remedy)
    try:
        tokenizer = AutoTokenizer.from_pretrained(folder, local_files_only=True, trust_remote_code=False)
    except (OSError, ValueError, ImportError) as error:
        raise InputError(f"model {folder}", f"its tokenizer cannot be loaded ({_first_line(error)})", remedy) from None
    if tokenizer.cls_token_id is None or tokenizer.sep_token_id is None:
        raise InputError(f"model {folder}", "its tokenizer has no [CLS] and [SEP], or tokens like them", remedy)
    # Sentence encoders ship a tokenizer.json that truncates and pads by itself.
    tokenizer.backend_tokenizer.no_truncation()
    tokenizer.backend_tokenizer.no_padding()
    return tokenizer


def vocabulary_sha256(tokenizer: PreTrainedTokenizerFast) -> str:
    """Digest of a vocabulary: of its tokens in order of their ids, one a line. BERT's ``vocab.txt`` has the same."""
    tokens = tokenizer.convert_ids_to_tokens(range(len(tokenizer)))
    return hashlib.sha256("".join(f"{token}\n" for token in tokens).encode()).hexdigest()


def _first_line(error: Exception) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0]


def token_categories(tokenizer: PreTrainedTokenizerFast) -> TokenCategories:
    """The vocabulary ids of the papers' token categories.

    A wordpiece that opens a word may carry a mark (RoBERTa's ``Ġ``, SentencePiece's ``▁``), which does not count.
    """
    punctuation = (index for token, index in tokenizer.get_vocab().items() if token.lstrip("Ġ▁") in (".", ","))
    return TokenCategories(tokenizer.cls_token_id, tokenizer.sep_token_id, tuple(sorted(punctuation)))


def tokenize(tokenizer: PreTrainedTokenizerFast, texts: Sequence[str]) -> list[Wordpieces]:
    """Wordpieces of each text as they would be inside running text (after a space), without special tokens.

    A word that a corpus does not tell (``UNKNOWN_WORD``) becomes the tokenizer's own token for unknown words.
    """
    return [wordpieces for wordpieces, _ in tokenize_with_spans(tokenizer, with_own_unknown(tokenizer, texts))]


def with_own_unknown(tokenizer: PreTrainedTokenizerFast, texts: Sequence[str]) -> list[str]:
    """The texts with a tokenizer's own token for each word that their corpus does not tell, if it has such a token."""
    return [text.replace(UNKNOWN_WORD, tokenizer.unk_token or UNKNOWN_WORD) for text in texts]


def tokenize_with_spans(
    tokenizer: PreTrainedTokenizerFast, texts: Sequence[str]
) -> list[tuple[Wordpieces, tuple[Span, ...]]]:
    """:func:`tokenize`, and which characters of its text each wordpiece stands for: start up to, not including, end."""
    backend = tokenizer.backend_tokenizer
    encodings = backend.encode_batch([f" {text}" for text in texts], add_special_tokens=False)
    return [
        (tuple(encoding.tokens), tuple((max(0, start - 1), end - 1) for start, end in encoding.offsets))
        for encoding in encodings
    ]


@dataclass(frozen=True)
class PairLayout:
    """The special tokens around and between the two parts of an input, e.g. ``[CLS] A [SEP] B [SEP]``."""

    opening: tuple[int, ...]
    middle: tuple[int, ...]
    closing: tuple[int, ...]

    def __len__(self) -> int:
        return len(self.opening) + len(self.middle) + len(self.closing)


def pair_layout(tokenizer: PreTrainedTokenizerFast) -> PairLayout:
    """How this tokenizer lays out a pair of texts, read off an example."""
    encoded = tokenizer("a", "b", return_special_tokens_mask=True)
    ids = encoded["input_ids"]
    text = np.flatnonzero(np.array(encoded["special_tokens_mask"]) == 0)
    last_of_first = int(np.argmax(np.diff(text)))  # special tokens are between the two texts
    middle = slice(text[last_of_first] + 1, text[last_of_first + 1])
    return PairLayout(tuple(ids[: text[0]]), tuple(ids[middle]), tuple(ids[text[-1] + 1 :]))


def encode_segments(
    segments: Sequence[Segment], tokenizer: PreTrainedTokenizerFast, segment_ids: str, corpus: Path | str
) -> list[EncodedSequence]:
    """Model input of each segment of a corpus file; see :func:`encode_segment`.

    Raises
    ------
    InputError
        If a wordpiece is not in the tokenizer's vocabulary.
    """
    try:
        return [encode_segment(segment, tokenizer, segment_ids) for segment in segments]
    except ValueError as error:
        raise InputError(
            corpus, str(error), "delete the file and run again: Snakemake will cut the corpus for this model"
        ) from None


def encode_segment(segment: Segment, tokenizer: PreTrainedTokenizerFast, segment_ids: str) -> EncodedSequence:
    """Model input of a segment of two parts or one, with its wordpieces as they are.

    Parameters
    ----------
    segment_ids
        ``zeros``: all 0, as the released code of Clark et al. 2019 feeds them; ``pair``: 1 from the second part on, as
        BERT was trained.

    Raises
    ------
    ValueError
        If a wordpiece is not in the tokenizer's vocabulary.
    """
    layout = pair_layout(tokenizer)
    first, second = (_vocabulary_ids(part, tokenizer) for part in (segment.first, segment.second))
    middle = layout.middle if second else ()
    token_ids = [*layout.opening, *first, *middle, *second, *layout.closing]
    starts = [*(begins_word(wordpiece, tokenizer) for wordpiece in (*segment.first, *segment.second))]
    words = np.cumsum(starts) - starts[0]
    word_ids = np.full(len(token_ids), NO_WORD)
    start_of_second = len(layout.opening) + len(first) + len(middle) if second else len(token_ids)
    word_ids[len(layout.opening) :][: len(first)] = words[: len(first)]
    word_ids[start_of_second:][: len(second)] = words[len(first) :]
    in_second = (np.arange(len(token_ids)) >= start_of_second) & (segment_ids == "pair")
    return EncodedSequence(*(np.asarray(ids, dtype=np.int32) for ids in (token_ids, in_second, word_ids)))


def _vocabulary_ids(wordpieces: Wordpieces, tokenizer: PreTrainedTokenizerFast) -> list[int]:
    ids = [tokenizer.backend_tokenizer.token_to_id(wordpiece) for wordpiece in wordpieces]
    if None in ids:
        raise ValueError(f"{wordpieces[ids.index(None)]!r} is not in the tokenizer's vocabulary")
    return ids


def begins_word(wordpiece: str, tokenizer: PreTrainedTokenizerFast) -> bool:
    """Whether a wordpiece opens a word, by the mark of its scheme (``##``: it does not; ``Ġ``, ``▁``: it does)."""
    prefix = getattr(tokenizer.backend_tokenizer.model, "continuing_subword_prefix", None)
    return not wordpiece.startswith(prefix) if prefix else wordpiece.startswith(("Ġ", "▁"))
