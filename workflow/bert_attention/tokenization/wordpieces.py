"""Tokenizers: wordpieces, special tokens, and the layout of a two-part input, for any fast tokenizer."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain
from pathlib import Path
from warnings import warn

import numpy as np
from tokenizers import Encoding
from tokenizers import Tokenizer as Backend
from tokenizers.models import Unigram

from bert_attention.corpora.segments import Reader
from bert_attention.corpora.types import MASKED_WORD, UNKNOWN_WORD, Segment, Wordpieces
from bert_attention.errors import InputError, check_choice, check_text
from bert_attention.tokenization.sequences import NO_WORD, EncodedSequence
from bert_attention.tokenization.token_categories import TokenCategories
from bert_attention.tokenization.tokenizer import PairLayout, Tokenizer
from bert_attention.tokenization.word_boundaries import Span, character_spans, is_period_or_comma, word_beginnings

SEGMENT_IDS = ("zeros", "pair")

# Names of special tokens for a tokenizer_config.json without them, as in bert-base-uncased.
USUAL_TOKENS = {
    "pad_token": ("[PAD]", "<pad>"),
    "mask_token": ("[MASK]", "<mask>"),
    "unk_token": ("[UNK]", "<unk>"),
}
_REMEDY = "choose an encoder whose folder holds the tokenizer.json of a tokenizer for encoders"


def load_tokenizer(folder: Path | str) -> Tokenizer:
    """Load the fast tokenizer in a model folder: its ``tokenizer.json``, whatever class transformers would choose.

    ``tokenizer_config.json``, which can be missing, only names special tokens, and says whether the encoder was given
    segment ids. Raise InputError if the tokenizer cannot be loaded, or lacks the tokens that open a sequence or close a
    span.
    """
    path = Path(folder) / "tokenizer_config.json"
    try:
        backend = Backend.from_file(str(Path(folder) / "tokenizer.json"))
        settings = json.loads(path.read_text(encoding="utf-8-sig")) if path.is_file() else {}
        return wrap_backend(backend, settings, f"model {folder}")
    except InputError:
        raise
    except Exception as error:  # tokenizers raises plain Exception
        reason = (str(error).splitlines() or [type(error).__name__])[0]
        raise InputError(f"model {folder}", f"its tokenizer cannot be loaded ({reason})", _REMEDY) from None


def wrap_backend(backend: Backend, settings: Mapping, where: str) -> Tokenizer:
    """Return the tokenizer of a backend; ``settings`` is the content of ``tokenizer_config.json``.

    The backend's truncation and padding are turned off. Raise InputError, which says ``where``, if the backend lacks
    tokens, among them the tokens that open a sequence or close a span.
    """
    special = {name: _special_token(name, settings, backend) for name in USUAL_TOKENS}
    # The tokenizer.json of sentence encoders turns truncation and padding on.
    backend.no_truncation()
    backend.no_padding()
    layout = _pair_layout(backend, where)
    if "token_type_ids" not in settings.get("model_input_names", ["token_type_ids"]):
        layout = replace(layout, second_segment=0)
    if not layout.opening or not layout.closing:
        raise _without_delimiters(where, backend)
    sep = layout.closing[-1]
    return Tokenizer(
        backend,
        layout,
        cls_token_id=layout.opening[0],
        sep_token_id=sep,
        pad_token_id=sep if special["pad_token"] is None else backend.token_to_id(special["pad_token"]),
        mask_token=special["mask_token"],
        unk_token=_unknown_token(backend) or special["unk_token"],
    )


def _special_token(name: str, settings: Mapping, backend: Backend) -> str | None:
    """Return a special token as ``tokenizer_config.json`` names it, else a usual name that is an added token."""
    if name not in settings:
        whole = {token.content for token in backend.get_added_tokens_decoder().values()}
        return next((token for token in USUAL_TOKENS[name] if token in whole), None)
    named = settings[name]["content"] if isinstance(settings[name], dict) else settings[name]
    return named if named and backend.token_to_id(named) is not None else None


def _unknown_token(backend: Backend) -> str | None:
    """Return the token that the backend gives for unknown words, or None. ``tokenizer_config.json`` can lack it."""
    model = json.loads(backend.model.__getstate__())  # the only way to read a Unigram model's unk_id
    if model.get("unk_id") is not None:
        return backend.id_to_token(model["unk_id"])
    token = model.get("unk_token")
    return token if token and backend.token_to_id(token) is not None else None


def _without_delimiters(where: str, backend: Backend) -> InputError:
    opening, closing = (
        next((token for token in usual if backend.token_to_id(token) is not None), None)
        for usual in (("[CLS]", "<s>"), ("[SEP]", "</s>"))
    )
    if not opening or not closing:
        return InputError(
            where,
            "its tokenizer has no tokens that open and close a sequence, such as [CLS] and [SEP]",
            _REMEDY,
        )
    return InputError(
        where,
        f"its tokenizer has {opening} and {closing}, but no post_processor in tokenizer.json that adds them to texts",
        "set a post_processor, such as tokenizers.processors.TemplateProcessing, and save the tokenizer again",
    )


def _pair_layout(backend: Backend, where: str) -> PairLayout:
    """Return the layout of a pair of texts, which the post-processor gives to a text that the tokenizer knows.

    Raise InputError if the post-processor puts other tokens around a single text, because a layout is for both.
    """
    texts = chain("a", backend.get_vocab(with_added_tokens=False))
    known = next((text for text in texts if backend.encode(text, add_special_tokens=False).ids), None)
    if known is None:
        raise InputError(where, "its tokenizer has no tokens for text", _REMEDY)
    encoded = backend.encode(known, known)
    parts = np.array([-1 if part is None else part for part in encoded.sequence_ids])
    first, second = (np.flatnonzero(parts == part) for part in (0, 1))
    opening, closing = encoded.ids[: first[0]], encoded.ids[second[-1] + 1 :]
    single = backend.encode(known)
    if single.ids != [*opening, *(encoded.ids[index] for index in first), *closing]:
        problem = (
            f"its tokenizer writes one text as {' '.join(single.tokens)}, but two texts as {' '.join(encoded.tokens)}: "
            "a single text must have the tokens before the first text and after the second"
        )
        remedy = "set a post_processor whose single and pair agree, and save the tokenizer again"
        raise InputError(where, problem, remedy)
    middle = encoded.ids[first[-1] + 1 : second[0]]
    return PairLayout(*map(tuple, (opening, middle, closing)), second_segment=encoded.type_ids[second[-1]])


def vocabulary_sha256(tokenizer: Tokenizer) -> str:
    """Return the digest of a vocabulary, its tokens by id on a line each. BERT's ``vocab.txt`` has the same digest."""
    tokens = tokenizer.convert_ids_to_tokens(range(len(tokenizer)))
    return hashlib.sha256("".join(f"{token}\n" for token in tokens).encode()).hexdigest()


def token_categories(tokenizer: Tokenizer) -> TokenCategories:
    """Return the vocabulary ids of the papers' token categories.

    Periods and commas of any script count, also with the mark of a wordpiece that opens or ends a word.
    """
    vocabulary = tokenizer.backend.get_vocab()
    punctuation = (index for token, index in vocabulary.items() if is_period_or_comma(token, tokenizer))
    return TokenCategories(tokenizer.cls_token_id, tokenizer.sep_token_id, tuple(sorted(punctuation)))


@dataclass(frozen=True)
class TokenizedText:
    """Wordpieces of a text, as in the vocabulary."""

    wordpieces: Wordpieces = ()
    spans: tuple[Span, ...] = ()  # characters of each wordpiece in the text: start up to, not including, end
    begins: tuple[bool, ...] = ()  # True for each wordpiece that begins a word


def tokenize(tokenizer: Tokenizer, texts: Sequence[str]) -> list[Wordpieces]:
    """Return only the wordpieces of each text; see :func:`tokenize_texts`."""
    return [text.wordpieces for text in tokenize_texts(tokenizer, texts)]


def tokenize_texts(tokenizer: Tokenizer, texts: Sequence[str]) -> list[TokenizedText]:
    """Tokenize each text as the tokenizer of transformers does, without special tokens.

    The tokenizer's token for unknown words replaces ``UNKNOWN_WORD``, a word that a corpus does not give. The
    tokenizer's mask replaces ``MASKED_WORD``, a word that a corpus hides. Spans refer to the text after these
    replacements. A SentencePiece tokenizer returns characters outside its vocabulary unchanged; see
    :func:`wordpiece_ids`. Raise InputError as :func:`tokenize_as_written` does, or if a text hides a word and the
    tokenizer has no mask.
    """
    return tokenize_as_written(tokenizer, replace_placeholders(tokenizer, texts))


def replace_placeholders(tokenizer: Tokenizer, texts: Sequence[str]) -> list[str]:
    """Replace ``UNKNOWN_WORD`` and ``MASKED_WORD`` in texts by the tokenizer's own tokens.

    Raise InputError if a text hides a word and the tokenizer has no mask.
    """
    own = replace_unknown_words(tokenizer, texts)
    if tokenizer.mask_token is not None:
        return [text.replace(MASKED_WORD, tokenizer.mask_token) for text in own]
    if any(MASKED_WORD in text for text in own):
        problem = f"has no mask token, but a text contains {MASKED_WORD}"
        raise InputError(
            "the model's tokenizer", problem, f"give texts without {MASKED_WORD}, or choose another encoder"
        )
    return own


def replace_unknown_words(tokenizer: Tokenizer, texts: Sequence[str]) -> list[str]:
    """Replace ``UNKNOWN_WORD`` in texts by the tokenizer's own token for unknown words, if it has one."""
    return [text.replace(UNKNOWN_WORD, tokenizer.unk_token or UNKNOWN_WORD) for text in texts]


def tokenize_as_written(tokenizer: Tokenizer, texts: Sequence[str]) -> list[TokenizedText]:
    """Tokenize texts like :func:`tokenize_texts`, without replacing ``UNKNOWN_WORD`` and ``MASKED_WORD``.

    The span of a wordpiece excludes the space before its word. The span of a wordpiece that is only a mark is empty. An
    empty text has no wordpieces, even if the tokenizer has a wordpiece for the space before it.

    The encoder puts its own special tokens around texts. If a text contains one of these tokens, warn and tokenize the
    token as plain text: ``[SEP]`` is a bracket, a word and a bracket. The tokens for unknown and for hidden words keep
    their meaning. Raise InputError if a text holds an invalid character, such as half of a surrogate pair.
    """
    for text in texts:
        check_text(text, f"the text {text[:40]!a}")
    typed_tokens = [_special_token_in(tokenizer, text) for text in texts]
    encodings = tokenizer.backend.encode_batch(texts, add_special_tokens=False)
    for index, token in enumerate(typed_tokens):
        if token:
            encodings[index] = tokenizer.plain_text_backend.encode(texts[index], add_special_tokens=False)
    if any(typed_tokens):
        token = next(filter(None, typed_tokens))
        warn(
            f"{sum(map(bool, typed_tokens))} of {len(texts)} texts contain a special token ({token}), which is read as "
            "plain text: the encoder adds its own special tokens",
            stacklevel=2,
        )
    if tokenizer.leaves_out_unknown:
        _warn_of_left_out(texts, encodings)
    return [
        _tokenized(text, encoding, tokenizer) if text.strip() else TokenizedText()
        for text, encoding in zip(texts, encodings, strict=True)
    ]


def _warn_of_left_out(texts: Sequence[str], encodings: Sequence[Encoding]) -> None:
    """Warn of letters and digits in texts that no token stands for."""
    missing = Counter()
    for text, encoding in zip(texts, encodings, strict=True):
        covered = set(chain.from_iterable(range(start, stop) for start, stop in encoding.offsets))
        missing.update(letter for index, letter in enumerate(text) if index not in covered and letter.isalnum())
    if missing:
        shown = ", ".join(letter for letter, _ in missing.most_common(5))
        warn(
            f"the tokenizer has no unknown token, and leaves out {missing.total()} letters and digits that are not in "
            f"its vocabulary: {shown}",
            stacklevel=3,
        )


def _tokenized(text: str, encoding: Encoding, tokenizer: Tokenizer) -> TokenizedText:
    """Return the wordpieces of an encoded text.

    The backend writes an added token as the normalized text has it: in lower case, or with the spaces that the token
    takes in (RoBERTa's mask is ``" <mask>"``). The vocabulary has the token as it was added. Only characters that a
    Unigram tokenizer has no token for stay as they are. Raise InputError if the wordpieces have other ids than the
    backend gives.
    """
    added = tokenizer.added_tokens
    wordpieces = tuple(
        token if added.get(index) == tokenizer.unk_token and is_unknown(token, tokenizer) else added.get(index, token)
        for index, token in zip(encoding.ids, encoding.tokens, strict=True)
    )
    if wordpiece_ids(wordpieces, tokenizer) != encoding.ids:
        problem = f"gives the text {text[:40]!r} other ids than its vocabulary has for the same wordpieces"
        raise InputError("the model's tokenizer", problem, _REMEDY)
    characters = character_spans(encoding, tokenizer)
    spans = (
        _span(text, tokenizer.marks.space, wordpiece, span)
        for wordpiece, span in zip(wordpieces, characters, strict=True)
    )
    return TokenizedText(wordpieces, tuple(spans), word_beginnings(text, encoding, characters, tokenizer))


def _special_token_in(tokenizer: Tokenizer, text: str) -> str | None:
    """Return a special token that a text contains, other than the tokens for unknown and for hidden words, or None."""
    return next((token for token in tokenizer.delimiters if token in text), None)


def _span(text: str, mark: str, wordpiece: str, offsets: Span) -> Span:
    """Return the span of a wordpiece in a text, from its offsets, which can include the space before its word."""
    start, end = offsets
    if mark and not wordpiece.strip(mark):
        return end, end
    return end - len(text[start:end].lstrip()), end


def segment_of(article: str, first: TokenizedText, second: TokenizedText | None = None) -> Segment:
    """Return the segment of one text or two."""
    second = second or TokenizedText()
    return Segment(article, first.wordpieces, second.wordpieces, first.begins, second.begins)


def mark_word_starts(tokenizer: Tokenizer, texts: Sequence[str]) -> list[tuple[tuple[str, bool], ...]]:
    """Return the wordpieces of each text, each with True if it begins a word; see :func:`tokenize_texts`."""
    return [tuple(zip(text.wordpieces, text.begins, strict=True)) for text in tokenize_texts(tokenizer, texts)]


def segment_reader(tokenizer: Tokenizer, max_wordpieces: int) -> Reader:
    """Return how a tokenizer reads the parts of segments, and how long both parts can be together."""
    return partial(mark_word_starts, tokenizer), max_wordpieces - len(tokenizer.layout)


def encode_segments(
    segments: Sequence[Segment], tokenizer: Tokenizer, segment_ids: str, corpus: Path | str
) -> list[EncodedSequence]:
    """Encode each segment of a corpus file as model input; see :func:`encode_segment`.

    Raise InputError if a wordpiece is not in the tokenizer's vocabulary.
    """
    try:
        return [encode_segment(segment, tokenizer, segment_ids) for segment in segments]
    except ValueError as error:
        raise InputError(
            corpus, str(error), "delete the file and run again; Snakemake will then build the corpus for this model"
        ) from None


def encode_segment(segment: Segment, tokenizer: Tokenizer, segment_ids: str) -> EncodedSequence:
    """Encode a segment of one or two parts as model input, with its wordpieces unchanged.

    The segment ids ``zeros`` are all 0, as in the released code of Clark et al. 2019. The ids ``pair`` are as the
    tokenizer gives them. BERT's gives 1 from the second part on, as in BERT's training; RoBERTa's gives 0. Raise
    ValueError if a wordpiece is not in the tokenizer's vocabulary.
    """
    check_choice("segment_ids", segment_ids, SEGMENT_IDS)
    layout = tokenizer.layout
    first, second = (wordpiece_ids(part, tokenizer) for part in (segment.first, segment.second))
    middle = layout.middle if second else ()
    token_ids = [*layout.opening, *first, *middle, *second, *layout.closing]
    starts = np.array([*segment.first_begins, *segment.second_begins])
    starts[[0, len(first)] if second else 0] = True  # a part can begin in the middle of a word
    words = np.cumsum(starts) - 1
    word_ids = np.full(len(token_ids), NO_WORD)
    start_of_second = len(layout.opening) + len(first) + len(middle) if second else len(token_ids)
    word_ids[len(layout.opening) :][: len(first)] = words[: len(first)]
    word_ids[start_of_second:][: len(second)] = words[len(first) :]
    segments = np.zeros(len(token_ids))
    segments[start_of_second:] = layout.second_segment if segment_ids == "pair" else 0
    return EncodedSequence(*(np.asarray(ids, dtype=np.int32) for ids in (token_ids, segments, word_ids)))


def wordpiece_ids(wordpieces: Wordpieces, tokenizer: Tokenizer) -> list[int]:
    """Return the vocabulary ids of wordpieces.

    SentencePiece tokenizers return unknown characters as wordpieces. These get the id of the unknown token. Raise
    ValueError if a wordpiece does not belong to this tokenizer.
    """
    ids = [tokenizer.backend.token_to_id(wordpiece) for wordpiece in wordpieces]
    for index, wordpiece in enumerate(wordpieces):
        if ids[index] is None and is_unknown(wordpiece, tokenizer):
            ids[index] = tokenizer.backend.token_to_id(tokenizer.unk_token)
    if None in ids:
        raise ValueError(f"{wordpieces[ids.index(None)]!r} is not in the tokenizer's vocabulary")
    return ids


def is_unknown(wordpiece: str, tokenizer: Tokenizer) -> bool:
    """Return True if a wordpiece is the unknown token, or characters that a Unigram tokenizer has no token for."""
    if wordpiece == tokenizer.unk_token:
        return True
    backend = tokenizer.backend
    characters = wordpiece.lstrip(tokenizer.marks.space)
    lacking = (backend.token_to_id(character) is None for character in characters)
    outside = isinstance(backend.model, Unigram) and backend.token_to_id(wordpiece) is None
    return outside and bool(characters) and all(lacking)
