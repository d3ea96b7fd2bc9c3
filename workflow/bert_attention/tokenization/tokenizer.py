"""A tokenizer and its special tokens. Jobs that only tokenise need no more: importing transformers takes seconds."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from tokenizers import Tokenizer as Backend


@dataclass(frozen=True)
class PairLayout:
    """The special tokens around and between the two parts of an input, e.g. ``[CLS] A [SEP] B [SEP]``."""

    opening: tuple[int, ...]
    middle: tuple[int, ...]
    closing: tuple[int, ...]

    def __len__(self) -> int:
        return len(self.opening) + len(self.middle) + len(self.closing)


@dataclass(frozen=True)
class Tokenizer:
    """What ``tokenizer.json`` says, and special tokens by BERT's names, whatever they are called.

    ``cls`` opens a sequence, ``sep`` closes one, attention is kept from ``pad``, and ``mask`` hides a word;
    ``unk_token`` stands for what is unknown, if there is such a token.
    """

    backend: Backend
    layout: PairLayout
    cls_token_id: int
    sep_token_id: int
    pad_token_id: int
    mask_token_id: int
    unk_token: str | None

    def __len__(self) -> int:
        return self.backend.get_vocab_size()

    def convert_ids_to_tokens(self, token_ids: Iterable[int]) -> list[str]:
        """The tokens of a vocabulary's ids; the name is that of tokenizers of transformers."""
        return [self.backend.id_to_token(int(index)) for index in token_ids]
