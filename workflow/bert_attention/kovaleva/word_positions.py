"""Positions of the words of a parse among the wordpieces of a model's input, by their characters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from bert_attention.corpora.texts import character_spans
from bert_attention.corpora.types import Sentence, TaskInput

_NO_CHARACTERS = -1


@dataclass(frozen=True)
class PlacedSentence:
    """A parsed sentence of an input of n tokens.

    Attributes
    ----------
    words
        ``[word, token]``: True if a word shares a character with a token. A wordpiece can be part of two words
        (BERT's *don* of *do* and *n't*), and a word that was cut off has no token.
    spans
        ``[word, 2]``: the characters of the text that each word covers: start up to, not including, end.
    token_spans
        ``[token, 2]``: the characters that each token covers; -1 for special tokens and for tokens of the other text.
    """

    sentence: Sentence
    words: np.ndarray
    spans: np.ndarray
    token_spans: np.ndarray


def text_positions(example: TaskInput, word_ids: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the positions of the wordpieces of an example's first and second text; empty without a second text.

    Parameters
    ----------
    word_ids
        ``[token]``, negative for special tokens.

    Raises
    ------
    ValueError
        If the input and the example have different numbers of wordpieces.
    """
    positions = np.flatnonzero(word_ids >= 0)
    first = len(example.first)
    if len(positions) != first + len(example.second):
        raise ValueError(
            f"example {example.article} has {first + len(example.second)} wordpieces, its attention {len(positions)}"
        )
    return positions[:first], positions[first:]


def placed_sentences(
    example: TaskInput, word_ids: np.ndarray, parses: Mapping[str, Sequence[Sentence]]
) -> list[PlacedSentence]:
    """Return the parsed sentences of an example's one or two texts, in order.

    Parameters
    ----------
    word_ids
        ``[token]``, negative for special tokens.
    parses
        The sentences of each text by its name (:func:`bert_attention.corpora.texts.texts_of_task`).

    Raises
    ------
    ValueError
        If the input and the example have different numbers of wordpieces.
    KeyError
        If a text has no parse.
    """
    placed = []
    spans_of_texts = {"first": example.first_spans, "second": example.second_spans}
    for where, (part, spans) in zip(text_positions(example, word_ids), spans_of_texts.items(), strict=True):
        if not spans:
            continue
        token_spans = np.full((len(word_ids), 2), _NO_CHARACTERS)
        token_spans[where] = spans
        for sentence in parses[f"{example.article} {part}"]:
            of_words = np.array(character_spans(sentence))
            starts, ends = of_words.T[:, :, None]
            words = (token_spans[:, 0] < ends) & (starts < token_spans[:, 1])
            placed.append(PlacedSentence(sentence, words, of_words, token_spans))
    return placed
