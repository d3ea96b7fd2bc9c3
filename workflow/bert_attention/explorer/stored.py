"""Sequences of an attention store for the page."""

from __future__ import annotations

from collections.abc import Iterable

from bert_attention.attention.hooks import HookedEncoder
from bert_attention.attention.store import StoredSequence
from bert_attention.explorer.data import ShownSequence, Vectors, add_neurons, packed_within, shortest_first
from bert_attention.explorer.labels import shown_tokens
from bert_attention.explorer.own_text import neurons_of
from bert_attention.tokenization.sequences import EncodedSequence
from bert_attention.tokenization.tokenizer import Tokenizer


def packed_from_store(sequences: Iterable[StoredSequence], tokenizer: Tokenizer, encoder: HookedEncoder) -> list[dict]:
    """The shortest sequences of a store with norms that fit into a page, packed; queries and keys of the first of them.

    A map has as many cells as its sequence has tokens, squared: short sequences are more texts to choose from. The
    store has no queries and keys, so the encoder computes them again. An encoder whose scores are no products of
    queries and keys has none.
    """
    stored = list(sequences)  # of each its place alone; arrays are read when they are asked for
    chosen = [stored[place] for place in shortest_first([len(sequence.token_ids) for sequence in stored])]
    contents = packed_within([lambda one=one: shown(one, tokenizer) for one in chosen])
    if "neurons" not in encoder.family.left_out:
        add_neurons(contents, [lambda one=one: _vectors(one, tokenizer, encoder) for one in chosen])
    return contents


def shown(sequence: StoredSequence, tokenizer: Tokenizer) -> ShownSequence:
    """A sequence of a store with norms, as the page shows it."""
    return ShownSequence(
        shown_tokens(tokenizer, sequence.token_ids, sequence.word_ids),
        sequence.attention,
        sequence.value_norms,
        sequence.summed_norms,
    )


def _vectors(sequence: StoredSequence, tokenizer: Tokenizer, encoder: HookedEncoder) -> Vectors:
    encoded = EncodedSequence(sequence.token_ids, sequence.segment_ids, sequence.word_ids)
    return neurons_of(encoded, encoder, tokenizer)
