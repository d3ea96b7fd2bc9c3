"""Random input for attention stores, and stores that an encoder fills."""

from dataclasses import replace

import numpy as np

from bert_attention.attention.extraction import extract, stored_lengths
from bert_attention.attention.store import (
    WORD_ARRAYS,
    WORDPIECE_ARRAYS,
    AttentionStore,
    ShardMetadata,
    StoredSequence,
    shard_writer,
)
from bert_attention.statistics.sums import blocks_of
from bert_attention.tokenization.sequences import EncodedSequence
from bert_attention.tokenization.token_categories import TokenCategories

METADATA = ShardMetadata(
    **{"model": "m", "weights_sha256": "w", "tokenizer_sha256": "t", "corpus_sha256": "c", "segment_ids": "zeros"},
    **{"masked_share": 0.0, "seed": None, "word_rule": None, "arrays": WORDPIECE_ARRAYS, "block_sizes": ()},
    **{"first": 0, "last": 0, "layers": 3, "heads": 4, "categories": TokenCategories(1, 2, (3,))},
    **{"torch": "", "transformers": ""},
)


def random_sequences(lengths, pairs: bool = False) -> list[EncodedSequence]:
    """Random tokens, each a word of its own; in pairs, the second half has segment id 1."""
    random = np.random.default_rng(0)
    found = []
    for n in lengths:
        columns = random.integers(5, 90, n, dtype=np.int32), (np.arange(n) > n // 2) & pairs, np.arange(n)
        found.append(EncodedSequence(*(column.astype(np.int32) for column in columns)))
    return found


def extracted(path, encoder, sequences, batch_size=2, pad_id=1, **metadata) -> list[StoredSequence]:
    """Extract and read back all arrays of an encoder, or the named arrays.

    ``WORD_ARRAYS`` are between words, averaged over the wordpieces of the attending word.
    """
    arrays = tuple(name for name in WORDPIECE_ARRAYS if name not in encoder.family.left_out)
    blocks = tuple(map(len, blocks_of(range(len(sequences)))))
    sizes = {"layers": encoder.layers, "heads": encoder.heads, "block_sizes": blocks, "last": len(sequences)}
    described = replace(METADATA, **{"arrays": arrays} | sizes | metadata)
    if described.arrays == WORD_ARRAYS:
        described = replace(described, word_rule="mean")
    with shard_writer(path, stored_lengths(sequences, described), described) as writer:
        extract(encoder, sequences, writer, batch_size, pad_id)
    return list(AttentionStore([path]))
