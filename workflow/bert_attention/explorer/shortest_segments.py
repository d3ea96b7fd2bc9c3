"""The shortest segments of running text, for the page."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from bert_attention.attention.hooks import HookedEncoder
from bert_attention.attention.identities import check_identities
from bert_attention.corpora.jsonlines import lengths_of, read_segments
from bert_attention.explorer.data import SEQUENCES, add_neurons, packed_within
from bert_attention.explorer.own_text import neurons_of, segment_ids_shown, shown_now
from bert_attention.tokenization.tokenizer import Tokenizer
from bert_attention.tokenization.wordpieces import encode_segments


def packed_shortest(corpus: Path | str, tokenizer: Tokenizer, encoder: HookedEncoder) -> list[dict]:
    """Return the shortest segments of a corpus that fit into a page, packed, the first with queries and keys.

    A map has as many cells as its segment has tokens, squared, so more short segments fit. The encoder runs over these
    few, so that no attention has to be kept for the page. An encoder whose scores are not products of queries and keys
    has no neurons. Raise InputError if the encoder breaks an identity on these segments.
    """
    shortest = np.argsort(lengths_of(corpus), kind="stable")[:SEQUENCES]
    segments = read_segments(corpus, sorted(shortest.tolist()))
    ids = segment_ids_shown(encoder, tokenizer)
    sequences = sorted(encode_segments(segments, tokenizer, ids, corpus), key=len)
    check_identities(encoder, sequences, tokenizer.pad_token_id or 0)
    contents = packed_within(shown_now(sequence, encoder, tokenizer) for sequence in sequences)
    if "neurons" not in encoder.family.left_out:
        add_neurons(contents, (neurons_of(sequence, encoder, tokenizer) for sequence in sequences))
    return contents
