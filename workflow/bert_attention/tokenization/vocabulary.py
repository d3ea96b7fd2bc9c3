"""The strings of an encoder's tokens and words, without its tokenizer."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import groupby

import numpy as np

from bert_attention.tokenization.sequences import NO_WORD
from bert_attention.tokenization.tokenizer import Marks, Tokenizer
from bert_attention.tokenization.word_boundaries import piece_text


@dataclass(frozen=True)
class Vocabulary:
    """The tokens of a tokenizer by id, and the marks with which it writes pieces of words."""

    tokens: tuple[str, ...]  # empty for an id without a token
    marks: Marks

    @classmethod
    def of(cls, tokenizer: Tokenizer) -> Vocabulary:
        """Return the vocabulary of a tokenizer."""
        by_id = {index: token for token, index in tokenizer.backend.get_vocab().items()}
        return cls(tuple(by_id.get(index, "") for index in range(max(by_id) + 1)), tokenizer.marks)

    @classmethod
    def parsed(cls, values: Mapping) -> Vocabulary:
        """Return the vocabulary that was written as JSON."""
        return cls(tuple(values["tokens"]), Marks(**values["marks"]))

    def tokens_of(self, token_ids: Iterable[int]) -> list[str]:
        """Return the token of each id, as in the vocabulary."""
        return [self.tokens[index] for index in token_ids]

    def words_of(self, token_ids: np.ndarray, word_ids: np.ndarray) -> list[str]:
        """Return the word of each token, without marks; a special token is a word. Both arrays are ``[n]``."""
        found: list[str] = []
        for word, of_word in groupby(zip(word_ids.tolist(), token_ids.tolist(), strict=True), key=lambda ids: ids[0]):
            pieces = self.tokens_of(token for _, token in of_word)
            found += pieces if word == NO_WORD else [piece_text(pieces, self.marks)] * len(pieces)
        return found
