"""Alignment of the words of a parse with the wordpieces of a model's input, by characters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from bert_attention.corpora.texts import character_spans
from bert_attention.corpora.types import Sentence, TaskInput

_NO_CHARACTERS = -1


@dataclass(frozen=True)
class PlacedSentence:
    """A parsed sentence of an input. A wordpiece can belong to two words (BERT's *don* to *do* and *n't*)."""

    sentence: Sentence
    words: np.ndarray  # [word, token]: True if word and token share a character; a word that was cut off has no token
    spans: np.ndarray  # [word, 2]: the characters of the text that the word covers, from start to end (exclusive)
    token_spans: np.ndarray  # [token, 2]: its characters; -1 for special tokens and tokens of the other text


def text_positions(example: TaskInput, word_ids: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the token indices of an example's first text and of its second text, which can be empty.

    ``word_ids`` is ``[token]``, negative for special tokens. Raise ValueError if the input and the example have
    different numbers of wordpieces.
    """
    positions = np.flatnonzero(word_ids >= 0)
    first = len(example.first)
    if len(positions) != first + len(example.second):
        expected = first + len(example.second)
        raise ValueError(f"example {example.article} has {expected} wordpieces, but its attention {len(positions)}")
    return positions[:first], positions[first:]


def placed_sentences(
    example: TaskInput, word_ids: np.ndarray, parses: Mapping[str, Sequence[Sentence]]
) -> list[PlacedSentence]:
    """Return the parsed sentences of an example's texts, in order, with the tokens of their words.

    ``word_ids`` is ``[token]``, negative for special tokens. ``parses`` has the sentences of each text by its name
    (:func:`bert_attention.corpora.texts.texts_of_task`). Raise ValueError if the input and the example have different
    numbers of wordpieces, and KeyError if a text has no parse.
    """
    placed = []
    spans_of_texts = {"first": example.first_spans, "second": example.second_spans}
    for indices, (part, spans) in zip(text_positions(example, word_ids), spans_of_texts.items(), strict=True):
        if not spans:
            continue
        token_spans = np.full((len(word_ids), 2), _NO_CHARACTERS)
        token_spans[indices] = spans
        for sentence in parses[f"{example.article} {part}"]:
            word_spans = np.array(character_spans(sentence))
            starts, ends = word_spans.T[:, :, None]
            words = (token_spans[:, 0] < ends) & (starts < token_spans[:, 1])
            placed.append(PlacedSentence(sentence, words, word_spans, token_spans))
    return placed
