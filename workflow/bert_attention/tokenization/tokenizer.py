"""A tokenizer and its special tokens.

This module does not import transformers, which takes seconds, so that jobs that only tokenize start quickly.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

from tokenizers import Tokenizer as Backend
from tokenizers.models import BPE

from bert_attention.errors import InputError

_WITH_CAPITAL = re.compile("[A-Z].*[A-Za-z]|[a-z].*[A-Z]")


@dataclass(frozen=True)
class PairLayout:
    """The special tokens around and between the two parts of an input, e.g. ``[CLS] A [SEP] B [SEP]``.

    ``second_segment`` is the segment id that the tokenizer gives from the second part on: 1 for BERT, 0 for RoBERTa.
    """

    opening: tuple[int, ...]
    middle: tuple[int, ...]
    closing: tuple[int, ...]
    second_segment: int

    def __len__(self) -> int:
        return len(self.opening) + len(self.middle) + len(self.closing)


@dataclass(frozen=True)
class Marks:
    """Marks with which a tokenizer writes pieces of words; a mark is empty if the tokenizer does not use it."""

    inside: str  # prefix of a piece that continues a word (``##``)
    end: str  # suffix of a piece that ends a word (``</w>``)
    space: str  # symbol for the space before a word (``Ġ``, ``▁``)
    byte_level: bool  # True if the tokenizer writes each byte as a letter
    byte_fallback: bool  # True if the tokenizer writes characters outside its vocabulary as bytes (``<0xC3>``)
    pieces_hold_spaces: bool  # True if a piece may include the space before a word

    @classmethod
    def from_backend(cls, backend: Backend) -> Marks:
        """Read the marks from a tokenizer's backend."""
        pre_tokenizers, decoders = (list(_components(part)) for part in (backend.pre_tokenizer, backend.decoder))
        parts = [*pre_tokenizers, *decoders]
        kinds = {part["type"] for part in parts}
        inside = getattr(backend.model, "continuing_subword_prefix", None) or ""
        end = getattr(backend.model, "end_of_word_suffix", None) or ""
        byte_level = "ByteLevel" in kinds
        spaces = (part["replacement"] for part in parts if part["type"] == "Metaspace")
        space = "" if inside or end else "Ġ" if byte_level else next(spaces, "▁")
        holds_spaces = not pre_tokenizers or any(part["type"] in ("ByteLevel", "Metaspace") for part in pre_tokenizers)
        byte_fallback = backend.token_to_id("<0x00>") is not None
        return cls(inside, end, space, byte_level, byte_fallback, holds_spaces)


def _components(part: object) -> Iterator[dict]:
    """Yield the components of a pre-tokenizer or decoder, which may be nested sequences."""
    waiting = [json.loads(part.__getstate__())] if part is not None else []
    while waiting:
        state = waiting.pop(0)
        inner = state.get("pretokenizers") or state.get("decoders") or []
        waiting = [*inner, *waiting]
        if not inner:
            yield state


def is_cased(tokens: Iterable[str]) -> bool:
    """Return True if tokens are written with capitals: more than 1% have a letter from A to Z and a further letter.

    Names in brackets, such as ``[UNK]``, do not count. Vocabularies of text in lower case have almost no such token.
    """
    words = [token for token in tokens if token[:1] + token[-1:] not in ("[]", "<>")]
    return sum(bool(_WITH_CAPITAL.search(token)) for token in words) > len(words) / 100


@dataclass(frozen=True)
class Tokenizer:
    """Content of ``tokenizer.json``, with the special tokens under BERT's names.

    ``cls`` opens a sequence, ``sep`` closes a span, ``pad`` gets no attention, ``mask_token`` hides a word, and
    ``unk_token`` replaces an unknown word. The last two are None if the tokenizer has no such token.
    """

    backend: Backend
    layout: PairLayout
    cls_token_id: int
    sep_token_id: int
    pad_token_id: int
    mask_token: str | None
    unk_token: str | None

    def __len__(self) -> int:
        return self.backend.get_vocab_size()

    @cached_property
    def marks(self) -> Marks:
        """Marks with which the tokenizer writes pieces of words."""
        return Marks.from_backend(self.backend)

    @cached_property
    def added_tokens(self) -> dict[int, str]:
        """Tokens that were added to the vocabulary of the tokenizer's model, special tokens among them, by id."""
        return {index: token.content for index, token in self.backend.get_added_tokens_decoder().items()}

    @cached_property
    def added_words(self) -> frozenset[int]:
        """Ids of the added tokens that are not special: words or parts of words that a user added to the vocabulary."""
        added = self.backend.get_added_tokens_decoder().items()
        return frozenset(index for index, token in added if not token.special)

    @cached_property
    def delimiters(self) -> tuple[str, ...]:
        """Special tokens that do not belong in texts: all but the tokens for unknown and for hidden words."""
        tokens = (token.content for token in self.backend.get_added_tokens_decoder().values() if token.special)
        return tuple(token for token in tokens if token not in self._allowed_in_texts)

    @property
    def lowers_case(self) -> bool:
        """True if the tokenizer lowers the case of texts."""
        normalizer = self.backend.normalizer
        return normalizer is not None and "a" in normalizer.normalize_str("A")

    @cached_property
    def leaves_out_unknown(self) -> bool:
        """True if the tokenizer leaves out characters outside its vocabulary: BPE without bytes or an unknown token."""
        model, marks = self.backend.model, self.marks
        return isinstance(model, BPE) and not (model.unk_token or marks.byte_level or marks.byte_fallback)

    @property
    def mask_token_id(self) -> int:
        """Id of the token that hides a word. Raise InputError if the tokenizer has no such token.

        Only code that masks words needs the token.
        """
        if self.mask_token is None:
            remedy = "leave out the analyses that mask words, or choose an encoder that was trained by masking"
            raise InputError("the model's tokenizer", "has no mask token, such as [MASK]", remedy)
        return self.backend.token_to_id(self.mask_token)

    @property
    def _allowed_in_texts(self) -> tuple[str | None, str | None]:
        return self.unk_token, self.mask_token

    @cached_property
    def plain_text_backend(self) -> Backend:
        """Backend that reads the delimiters as plain text."""
        content = json.loads(self.backend.to_str())
        for token in content["added_tokens"]:
            token["special"] &= token["content"] not in self._allowed_in_texts
        backend = Backend.from_str(json.dumps(content))
        backend.encode_special_tokens = True
        return backend

    def convert_ids_to_tokens(self, token_ids: Iterable[int]) -> list[str]:
        """Return the tokens of vocabulary ids; the method has the name that it has in transformers."""
        return [self.backend.id_to_token(int(index)) for index in token_ids]
