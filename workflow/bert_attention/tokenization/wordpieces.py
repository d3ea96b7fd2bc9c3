"""Tokenizers: wordpieces, special tokens, and the layout of a two-part input, for any fast tokenizer."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from warnings import warn

import numpy as np
from tokenizers import Tokenizer as Backend
from tokenizers.models import Unigram

from bert_attention.corpora.types import MASKED_WORD, UNKNOWN_WORD, Segment, Wordpieces
from bert_attention.errors import InputError, check_choice, check_text
from bert_attention.tokenization.sequences import NO_WORD, EncodedSequence
from bert_attention.tokenization.token_categories import TokenCategories
from bert_attention.tokenization.tokenizer import PairLayout, Tokenizer
from bert_attention.tokenization.word_boundaries import is_period_or_comma, word_beginnings

Span = tuple[int, int]
SEGMENT_IDS = ("zeros", "pair")

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
        If there is none, or it lacks the tokens that open a sequence or close a span.
    """
    remedy = "choose an encoder whose folder holds the tokenizer.json of a tokenizer for encoders"
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
        mask_token=special["mask_token"],
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

    Periods and commas are those of any script. A wordpiece that opens or ends a word may carry a mark, which does not
    count.
    """
    vocabulary = tokenizer.backend.get_vocab()
    punctuation = (index for token, index in vocabulary.items() if is_period_or_comma(token, tokenizer))
    return TokenCategories(tokenizer.cls_token_id, tokenizer.sep_token_id, tuple(sorted(punctuation)))


@dataclass(frozen=True)
class TokenizedText:
    """The wordpieces of a text.

    Attributes
    ----------
    wordpieces
        As the vocabulary writes them: n.
    spans
        Which characters of the text each stands for: start up to, not including, end.
    begins
        Whether each begins a word.
    """

    wordpieces: Wordpieces = ()
    spans: tuple[Span, ...] = ()
    begins: tuple[bool, ...] = ()


def tokenize(tokenizer: Tokenizer, texts: Sequence[str]) -> list[Wordpieces]:
    """The wordpieces of each text alone; see :func:`tokenize_texts`."""
    return [text.wordpieces for text in tokenize_texts(tokenizer, texts)]


def tokenize_texts(tokenizer: Tokenizer, texts: Sequence[str]) -> list[TokenizedText]:
    """Wordpieces of each text as they would be inside running text (after a space), without special tokens.

    A word that a corpus does not tell (``UNKNOWN_WORD``) becomes the tokenizer's own token for unknown words, and a
    word that a corpus hides (``MASKED_WORD``) its own mask. Spans are then of the text with these tokens. What is not
    in the vocabulary of a SentencePiece tokenizer stands as it is in the text; see :func:`wordpiece_ids`.

    Raises
    ------
    InputError
        If a text hides a word and the tokenizer has no mask; also as :func:`tokenize_as_written`.
    """
    own = with_own_unknown(tokenizer, texts)
    if tokenizer.mask_token is not None:
        own = [text.replace(MASKED_WORD, tokenizer.mask_token) for text in own]
    elif any(MASKED_WORD in text for text in own):
        problem = f"has no token for hidden words, and a text has {MASKED_WORD}"
        raise InputError("the model's tokenizer", problem, "give texts without it, or choose another encoder")
    return tokenize_as_written(tokenizer, own)


def with_own_unknown(tokenizer: Tokenizer, texts: Sequence[str]) -> list[str]:
    """The texts with a tokenizer's own token for each word that their corpus does not tell, if it has such a token."""
    return [text.replace(UNKNOWN_WORD, tokenizer.unk_token or UNKNOWN_WORD) for text in texts]


def tokenize_as_written(tokenizer: Tokenizer, texts: Sequence[str]) -> list[TokenizedText]:
    """:func:`tokenize_texts`, without the tokens that stand for words that a corpus does not tell or hides.

    A space before a word is not among the characters of a wordpiece; a mark that is a wordpiece of its own has none. An
    empty text has no wordpieces, whatever a tokenizer makes of the space before it.

    The encoder's own special tokens are those that it puts around texts. Where one of them is typed in a text, a
    warning says so, and the text is read as if the tokenizer did not know it: ``[SEP]`` is a bracket, a word and a
    bracket. Its tokens for unknown and for hidden words are read as such.

    Raises
    ------
    InputError
        If a text holds what is no character, such as half of a surrogate pair.
    """
    for text in texts:
        check_text(text, f"the text {text[:40]!a}")
    spaced = [f" {text}" for text in texts]
    backend = tokenizer.backend
    typed = [_typed(tokenizer, text) for text in texts]
    encodings = backend.encode_batch(spaced, add_special_tokens=False)
    for place, token in enumerate(typed):
        if token:
            encodings[place] = tokenizer.reading_plainly.encode(spaced[place], add_special_tokens=False)
    if any(typed):
        token = next(filter(None, typed))
        warn(
            f"{sum(map(bool, typed))} of {len(texts)} texts have a special token in their text ({token}), which is "
            "read as text: the encoder puts its own around texts",
            stacklevel=2,
        )
    return [
        TokenizedText(
            tuple(encoding.tokens),
            tuple(
                _span(text, tokenizer.marks.space, token, offsets)
                for token, offsets in zip(encoding.tokens, encoding.offsets, strict=True)
            ),
            word_beginnings(after_space, encoding, tokenizer),
        )
        if text.strip()
        else TokenizedText()
        for text, after_space, encoding in zip(texts, spaced, encodings, strict=True)
    ]


def _typed(tokenizer: Tokenizer, text: str) -> str | None:
    """Return a special token that is typed in a text, other than those for unknown and for hidden words."""
    return next((token for token in tokenizer.delimiters if token in text), None)


def _span(text: str, mark: str, wordpiece: str, offsets: Span) -> Span:
    """Which characters of a text a wordpiece stands for, from its offsets in the text after a space."""
    start, end = (max(0, offset - 1) for offset in offsets)
    if mark and not wordpiece.strip(mark):
        return start, start
    return end - len(text[start:end].lstrip()), end


def segment_of(article: str, first: TokenizedText, second: TokenizedText | None = None) -> Segment:
    """The segment of one text or two."""
    second = second or TokenizedText()
    return Segment(article, first.wordpieces, second.wordpieces, first.begins, second.begins)


def words_marked(tokenizer: Tokenizer, texts: Sequence[str]) -> list[tuple[tuple[str, bool], ...]]:
    """The wordpieces of each text, each with whether it begins a word; see :func:`tokenize_texts`."""
    return [tuple(zip(text.wordpieces, text.begins, strict=True)) for text in tokenize_texts(tokenizer, texts)]


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
    check_choice("segment_ids", segment_ids, SEGMENT_IDS)
    layout = tokenizer.layout
    first, second = (wordpiece_ids(part, tokenizer) for part in (segment.first, segment.second))
    middle = layout.middle if second else ()
    token_ids = [*layout.opening, *first, *middle, *second, *layout.closing]
    starts = np.array([*segment.first_begins, *segment.second_begins])
    starts[[0, len(first)] if second else 0] = True  # a part may begin in the middle of a word
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
    characters = wordpiece.lstrip(tokenizer.marks.space)
    lacking = (backend.token_to_id(character) is None for character in characters)
    return isinstance(backend.model, Unigram) and bool(characters) and all(lacking)
