"""Sequences of an attention store for the page."""

from __future__ import annotations

from collections.abc import Iterable

from bert_attention.attention.hooks import HookedEncoder
from bert_attention.attention.store import StoredSequence
from bert_attention.explorer.data import ShownSequence, Vectors, add_neurons, packed_within
from bert_attention.explorer.labels import shown_tokens
from bert_attention.explorer.own_text import neurons_of
from bert_attention.tokenization.sequences import EncodedSequence
from bert_attention.tokenization.tokenizer import Tokenizer


def packed_from_store(sequences: Iterable[StoredSequence], tokenizer: Tokenizer, encoder: HookedEncoder) -> list[dict]:
    """Return the shortest sequences of a store that fit into a page, packed, the first with queries and keys.

    A map has as many cells as its sequence has tokens, squared, so more short sequences fit. The store has norms, but
    no queries and keys, so the encoder computes these again. An encoder whose scores are not products of queries and
    keys has none.
    """
    chosen = sorted(sequences, key=lambda sequence: len(sequence.token_ids))  # arrays are read on access
    contents = packed_within(shown(sequence, tokenizer) for sequence in chosen)
    if "neurons" not in encoder.family.left_out:
        add_neurons(contents, (_vectors(sequence, tokenizer, encoder) for sequence in chosen))
    return contents


def shown(sequence: StoredSequence, tokenizer: Tokenizer) -> ShownSequence:
    """Return a sequence of a store with norms, as the page shows it."""
    return ShownSequence(
        shown_tokens(tokenizer, sequence.token_ids, sequence.word_ids),
        sequence.attention,
        sequence.value_norms,
        sequence.summed_norms,
    )


def _vectors(sequence: StoredSequence, tokenizer: Tokenizer, encoder: HookedEncoder) -> Vectors:
    encoded = EncodedSequence(sequence.token_ids, sequence.segment_ids, sequence.word_ids)
    return neurons_of(encoded, encoder, tokenizer)
