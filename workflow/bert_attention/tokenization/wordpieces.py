"""Tokenizers: wordpieces, special tokens, and the layout of a two-part input, for any fast tokenizer."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from functools import partial
from pathlib import Path

import numpy as np
from tokenizers import Tokenizer as Backend
from tokenizers.models import Unigram

from bert_attention.corpora.types import UNKNOWN_WORD, Segment, Wordpieces
from bert_attention.errors import InputError
from bert_attention.manifest import check_files
from bert_attention.tokenization.sequences import NO_WORD, EncodedSequence
from bert_attention.tokenization.token_categories import TokenCategories
from bert_attention.tokenization.tokenizer import PairLayout, Tokenizer
from bert_attention.tokenization.word_boundaries import word_beginnings, word_mark

Span = tuple[int, int]

# What special tokens are called where tokenizer_config.json does not say; that of bert-base-uncased does not.
_USUAL_TOKENS = {
    "pad_token": ("[PAD]", "<pad>"),
    "mask_token": ("[MASK]", "<mask>"),
    "unk_token": ("[UNK]", "<unk>"),
}


def load_tokenizer(folder: Path | str) -> Tokenizer:
    """The fast tokenizer in a model folder.

    Raises
    ------
    InputError
        If there is none, it has changed since the folder was made, or it lacks the tokens that open a sequence, close
        a span or mask a word.
    """
    remedy = "choose an encoder whose folder holds the tokenizer.json of a tokenizer for encoders"
    check_files(folder, lambda name: not name.endswith(".safetensors"))  # the weights are compared when they are loaded
    try:
        backend = Backend.from_file(str(Path(folder) / "tokenizer.json"))
        settings = json.loads((Path(folder) / "tokenizer_config.json").read_text(encoding="utf-8-sig"))
        special = {name: _special_token(name, settings, backend) for name in _USUAL_TOKENS}
    except Exception as error:  # tokenizers raises no other class
        reason = (str(error).splitlines() or [type(error).__name__])[0]
        raise InputError(f"model {folder}", f"its tokenizer cannot be loaded ({reason})", remedy) from None
    # Sentence encoders ship a tokenizer.json that truncates and pads by itself.
    backend.no_truncation()
    backend.no_padding()
    if special["mask_token"] is None:
        raise InputError(f"model {folder}", "its tokenizer has no [MASK], or a token like it", remedy)
    layout = _pair_layout(backend)
    if not layout.opening or not layout.closing:
        raise _without_delimiters(folder, backend, remedy)
    sep = layout.closing[-1]
    return Tokenizer(
        backend,
        layout,
        cls_token_id=layout.opening[0],
        sep_token_id=sep,
        pad_token_id=sep if special["pad_token"] is None else backend.token_to_id(special["pad_token"]),
        mask_token_id=backend.token_to_id(special["mask_token"]),
        unk_token=special["unk_token"],
    )


def _special_token(name: str, settings: dict, backend: Backend) -> str | None:
    """A special token as ``tokenizer_config.json`` names it; else a usual one, if the tokenizer keeps it whole."""
    if name not in settings:
        whole = {token.content for token in backend.get_added_tokens_decoder().values()}
        return next((token for token in _USUAL_TOKENS[name] if token in whole), None)
    named = settings[name]["content"] if isinstance(settings[name], dict) else settings[name]
    return named if named and backend.token_to_id(named) is not None else None


def _without_delimiters(folder: Path | str, backend: Backend, remedy: str) -> InputError:
    opening, closing = (
        next((token for token in usual if backend.token_to_id(token) is not None), None)
        for usual in (("[CLS]", "<s>"), ("[SEP]", "</s>"))
    )
    if not opening or not closing:
        return InputError(f"model {folder}", "its tokenizer has no [CLS] and [SEP], or tokens like them", remedy)
    return InputError(
        f"model {folder}",
        f"its tokenizer has {opening} and {closing}, but no post_processor in tokenizer.json that puts them into texts",
        "set one, such as tokenizers.processors.TemplateProcessing, and save the tokenizer again",
    )


def _pair_layout(backend: Backend) -> PairLayout:
    """How a tokenizer lays out a pair of texts, read off an example."""
    encoded = backend.encode("a", "b")
    text = np.flatnonzero(np.array(encoded.special_tokens_mask) == 0)
    last_of_first = int(np.argmax(np.diff(text)))  # special tokens are between the two texts
    middle = slice(text[last_of_first] + 1, text[last_of_first + 1])
    return PairLayout(tuple(encoded.ids[: text[0]]), tuple(encoded.ids[middle]), tuple(encoded.ids[text[-1] + 1 :]))


def vocabulary_sha256(tokenizer: Tokenizer) -> str:
    """Digest of a vocabulary: of its tokens in order of their ids, one a line. BERT's ``vocab.txt`` has the same."""
    tokens = tokenizer.convert_ids_to_tokens(range(len(tokenizer)))
    return hashlib.sha256("".join(f"{token}\n" for token in tokens).encode()).hexdigest()


def token_categories(tokenizer: Tokenizer) -> TokenCategories:
    """The vocabulary ids of the papers' token categories.

    A wordpiece that opens a word may carry a mark (RoBERTa's ``Ġ``, SentencePiece's ``▁``), which does not count.
    """
    mark = word_mark(tokenizer)
    punctuation = (index for token, index in tokenizer.backend.get_vocab().items() if token.lstrip(mark) in (".", ","))
    return TokenCategories(tokenizer.cls_token_id, tokenizer.sep_token_id, tuple(sorted(punctuation)))


def tokenize(tokenizer: Tokenizer, texts: Sequence[str]) -> list[Wordpieces]:
    """Wordpieces of each text as they would be inside running text (after a space), without special tokens.

    A word that a corpus does not tell (``UNKNOWN_WORD``) becomes the tokenizer's own token for unknown words. What is
    not in the vocabulary of a SentencePiece tokenizer stands as it is in the text; see :func:`wordpiece_ids`.
    """
    return [wordpieces for wordpieces, _ in tokenize_with_spans(tokenizer, with_own_unknown(tokenizer, texts))]


def with_own_unknown(tokenizer: Tokenizer, texts: Sequence[str]) -> list[str]:
    """The texts with a tokenizer's own token for each word that their corpus does not tell, if it has such a token."""
    return [text.replace(UNKNOWN_WORD, tokenizer.unk_token or UNKNOWN_WORD) for text in texts]


def tokenize_with_spans(tokenizer: Tokenizer, texts: Sequence[str]) -> list[tuple[Wordpieces, tuple[Span, ...]]]:
    """:func:`tokenize`, and which characters of its text each wordpiece stands for: start up to, not including, end.

    A space before a word is not among them; a mark that is a wordpiece of its own has none. An empty text has no
    wordpieces, whatever a tokenizer makes of the space before it.
    """
    backend = tokenizer.backend
    mark = word_mark(tokenizer)
    encodings = backend.encode_batch([f" {text}" for text in texts], add_special_tokens=False)
    return [
        (tuple(encoding.tokens), tuple(map(partial(_span, text, mark), encoding.tokens, encoding.offsets)))
        if text.strip()
        else ((), ())
        for text, encoding in zip(texts, encodings, strict=True)
    ]


def _span(text: str, mark: str, wordpiece: str, offsets: Span) -> Span:
    """Which characters of a text a wordpiece stands for, from its offsets in the text after a space."""
    start, end = (max(0, offset - 1) for offset in offsets)
    if mark and not wordpiece.strip(mark):
        return start, start
    return end - len(text[start:end].lstrip()), end


def encode_segments(
    segments: Sequence[Segment], tokenizer: Tokenizer, segment_ids: str, corpus: Path | str
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


def encode_segment(segment: Segment, tokenizer: Tokenizer, segment_ids: str) -> EncodedSequence:
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
    layout = tokenizer.layout
    first, second = (wordpiece_ids(part, tokenizer) for part in (segment.first, segment.second))
    middle = layout.middle if second else ()
    token_ids = [*layout.opening, *first, *middle, *second, *layout.closing]
    starts = [*word_beginnings(segment.first, tokenizer), *word_beginnings(segment.second, tokenizer)]
    words = np.cumsum(starts) - 1
    word_ids = np.full(len(token_ids), NO_WORD)
    start_of_second = len(layout.opening) + len(first) + len(middle) if second else len(token_ids)
    word_ids[len(layout.opening) :][: len(first)] = words[: len(first)]
    word_ids[start_of_second:][: len(second)] = words[len(first) :]
    in_second = (np.arange(len(token_ids)) >= start_of_second) & (segment_ids == "pair")
    return EncodedSequence(*(np.asarray(ids, dtype=np.int32) for ids in (token_ids, in_second, word_ids)))


def wordpiece_ids(wordpieces: Wordpieces, tokenizer: Tokenizer) -> list[int]:
    """The vocabulary ids of wordpieces.

    SentencePiece tokenizers leave characters that they do not know as they are; these get the id of the unknown token.

    Raises
    ------
    ValueError
        If a wordpiece is not of this tokenizer.
    """
    ids = [tokenizer.backend.token_to_id(wordpiece) for wordpiece in wordpieces]
    for place, wordpiece in enumerate(wordpieces):
        if ids[place] is None and is_unknown(wordpiece, tokenizer):
            ids[place] = tokenizer.backend.token_to_id(tokenizer.unk_token)
    if None in ids:
        raise ValueError(f"{wordpieces[ids.index(None)]!r} is not in the tokenizer's vocabulary")
    return ids


def is_unknown(wordpiece: str, tokenizer: Tokenizer) -> bool:
    """Whether a wordpiece stands for what is not known: the unknown token, or characters that have no token."""
    if wordpiece == tokenizer.unk_token:
        return True
    backend = tokenizer.backend
    characters = wordpiece.lstrip(word_mark(tokenizer))
    lacking = (backend.token_to_id(character) is None for character in characters)
    return isinstance(backend.model, Unigram) and bool(characters) and all(lacking)
