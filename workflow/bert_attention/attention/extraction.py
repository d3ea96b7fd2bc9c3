"""Extraction of attention: a pass of an encoder over a corpus into a shard of the attention store."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from math import prod
from pathlib import Path
from typing import Any

import torch
import transformers

from bert_attention.attention.hooks import NORMS, HookedEncoder, run
from bert_attention.attention.identities import check_identities
from bert_attention.attention.memory import check_memory
from bert_attention.attention.store import ARRAYS, ID_ARRAYS, ShardInMemory, ShardMetadata, ShardWriter
from bert_attention.attention.words import word_attention, word_starts
from bert_attention.files import sha256
from bert_attention.models.batches import batches_by_cost, batches_by_length
from bert_attention.models.inputs import padded_batch
from bert_attention.tokenization.sequences import EncodedSequence
from bert_attention.tokenization.tokenizer import Tokenizer
from bert_attention.tokenization.vocabulary import Vocabulary
from bert_attention.tokenization.wordpieces import token_categories


def shard_metadata(
    encoder: HookedEncoder,
    tokenizer: Tokenizer,
    files: Mapping[str, Path | str] | None,
    part: range,
    *,
    blocks: Sequence[range],
    arrays: Sequence[str],
    **described: Any,
) -> ShardMetadata:
    """Return the metadata of the shard that holds ``part`` of a corpus.

    ``files`` has the paths of ``weights``, ``tokenizer`` and ``corpus``, whose digests are stored, or is None if all
    are in memory. ``blocks`` has the sequences of each block of the whole corpus, and ``described`` the remaining
    fields of :class:`ShardMetadata`.
    """
    digests: dict[str, Any] = {
        f"{name}_sha256": sha256(files[name]) if files else "" for name in ("weights", "tokenizer", "corpus")
    }
    return ShardMetadata(
        **digests,
        arrays=tuple(arrays),
        block_sizes=tuple(map(len, blocks)),
        first=part.start,
        last=part.stop,
        layers=encoder.layers,
        heads=encoder.heads,
        categories=token_categories(tokenizer),
        torch=torch.__version__,
        transformers=transformers.__version__,
        vocabulary=Vocabulary.of(tokenizer) if "token_ids" in arrays else None,
        **described,
    )


def extract(
    encoder: HookedEncoder,
    sequences: Sequence[EncodedSequence],
    writer: ShardWriter | ShardInMemory,
    batch_size: int,
    pad_id: int,
    progress: Callable[[Iterable], Iterable] = iter,
) -> None:
    """Run the encoder over the sequences of a shard, and write the store's arrays.

    Raise InputError if a batch of the longest sequences does not fit into memory, or if the encoder breaks an identity
    on some sequences.
    """
    first = writer.metadata.first
    lengths = [len(sequence) for sequence in sequences]
    check_memory(encoder, min(batch_size, len(sequences)), max(lengths, default=0), copies=0.5)
    check_identities(encoder, sequences, pad_id)
    norms = [name for name in writer.metadata.arrays if name in NORMS]
    ids = [name for name in writer.metadata.arrays if name in ID_ARRAYS]
    for index, sequence in enumerate(sequences):
        for name in ids:
            writer.write(name, first + index, getattr(sequence, name))
    halves = _HalfMaps(encoder, batch_size, max(lengths, default=0))
    for indices in progress(_batches_in_blocks(batches_by_length, lengths, batch_size, writer.metadata)):
        maps = run(encoder, *padded_batch([sequences[index] for index in indices], pad_id), norms)
        has_attention = "attention" in writer.metadata.arrays
        arrays = {**maps.norms, **({"attention": halves.take(maps.attention)} if has_attention else {})}
        del maps  # frees the full-precision maps for the next forward pass
        for name, batch in arrays.items():
            dtype, axes = ARRAYS[name]
            for row, index in enumerate(indices):
                cropped = batch[row][tuple(slice(lengths[index]) if axis == "n" else slice(None) for axis in axes)]
                writer.write(name, first + index, cropped.cpu().numpy().astype(dtype, copy=False))


def extract_words(
    encoder: HookedEncoder,
    sequences: Sequence[EncodedSequence],
    writer: ShardWriter | ShardInMemory,
    batch_size: int,
    pad_id: int,
    progress: Callable[[Iterable], Iterable] = iter,
) -> None:
    """Run the encoder over the sequences of a shard, and write attention between words by the store's rule.

    Raise InputError if the encoder breaks an identity on some sequences.
    """
    first, rule = writer.metadata.first, writer.metadata.word_rule
    if rule is None:
        raise ValueError("the store holds wordpieces, not words")
    check_identities(encoder, sequences, pad_id)
    for index, sequence in enumerate(sequences):
        writer.write("word_ids", first + index, sequence.word_ids[word_starts(sequence.word_ids)])
    lengths = [len(sequence) for sequence in sequences]
    for indices in progress(_batches_in_blocks(batches_by_cost, lengths, batch_size, writer.metadata)):
        maps = run(encoder, *padded_batch([sequences[index] for index in indices], pad_id))
        attention = torch.stack(maps.attention, dim=1)
        for row, index in enumerate(indices):
            n = lengths[index]
            between_words = word_attention(attention[row, :, :, :n, :n], sequences[index].word_ids, rule)
            writer.write("attention", first + index, between_words.half().cpu().numpy())


def _batches_in_blocks(
    batches: Callable[[Sequence[int], int], list[list[int]]],
    lengths: Sequence[int],
    batch_size: int,
    metadata: ShardMetadata,
) -> list[list[int]]:
    """Return the indices in the shard of each batch's sequences; no batch has sequences of two blocks.

    The last digits of results depend on padding. With batches within blocks, they do not depend on the number of
    shards.
    """
    found = []
    for block in metadata.blocks:
        inside = range(max(block.start, metadata.first), min(block.stop, metadata.last))
        indices = [index - metadata.first for index in inside]
        batches_of_block = batches([lengths[index] for index in indices], batch_size)
        found += [[indices[index] for index in batch] for batch in batches_of_block]
    return found


class _HalfMaps:
    """The attention of a batch as float16.

    Memory is allocated once, because new pages take more time than the arithmetic.
    """

    def __init__(self, encoder: HookedEncoder, batch_size: int, longest: int):
        self._memory = torch.empty(
            batch_size * encoder.layers * encoder.heads * longest**2, dtype=torch.float16, device=encoder.device
        )

    def take(self, layers: Sequence[torch.Tensor]) -> torch.Tensor:
        """Return attention ``[sequence, layer, head, query, key]``, valid until the next call."""
        sequences, *shape = layers[0].shape
        size = sequences * len(layers) * prod(shape)
        attention = self._memory[:size].view(sequences, len(layers), *shape)
        for layer, weights in enumerate(layers):
            attention[:, layer].copy_(weights)
        return attention
