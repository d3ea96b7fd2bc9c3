"""Sequences of an attention store for the page."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial

from transformers import PreTrainedTokenizerFast

from bert_attention.attention.store import StoredSequence
from bert_attention.explorer.data import ShownSequence, shortest_first
from bert_attention.explorer.labels import token_and_word_labels
from bert_attention.models.inputs import NO_WORD


def shortest_stored(
    sequences: Iterable[StoredSequence], tokenizer: PreTrainedTokenizerFast
) -> list[Callable[[], ShownSequence]]:
    """Functions that read each sequence of a store, the shortest first, as :func:`.data.packed_within` takes them."""
    stored = list(sequences)  # of each its place alone; arrays are read when they are asked for
    order = shortest_first([len(sequence.token_ids) for sequence in stored])
    return [partial(shown, stored[place], tokenizer) for place in order]


def shown(sequence: StoredSequence, tokenizer: PreTrainedTokenizerFast) -> ShownSequence:
    """A sequence of a store with norms, as the page shows it."""
    word_ids = sequence.word_ids
    tokens, words, word_of = token_and_word_labels(tokenizer, sequence.token_ids, word_ids)
    return ShownSequence(
        tokens,
        words,
        word_of,
        word_ids == NO_WORD,
        sequence.attention,
        sequence.value_norms,
        sequence.summed_norms,
    )
