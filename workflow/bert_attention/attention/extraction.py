"""Extraction of attention: a pass of an encoder over a corpus into a shard of the attention store."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import prod
from pathlib import Path
from typing import Any

import torch
import transformers

from bert_attention.attention.hooks import NORMS, HookedEncoder, run
from bert_attention.attention.identities import check_identities
from bert_attention.attention.memory import check_memory
from bert_attention.attention.store import (
    ARRAYS,
    ID_ARRAYS,
    ShardInMemory,
    ShardMetadata,
    ShardWriter,
    StoredSequence,
    stored_bytes,
)
from bert_attention.attention.words import word_attention, word_starts
from bert_attention.files import sha256
from bert_attention.models.batches import batches_by_cost, batches_by_length
from bert_attention.models.inputs import padded_batch
from bert_attention.tokenization.sequences import EncodedSequence
from bert_attention.tokenization.tokenizer import Tokenizer
from bert_attention.tokenization.vocabulary import Vocabulary
from bert_attention.tokenization.wordpieces import token_categories

# Largest size of the arrays of sequences that share batches: a stream holds so much in memory.
_WINDOW_BYTES = 512 << 20


def shard_metadata(
    encoder: HookedEncoder,
    tokenizer: Tokenizer,
    files: Mapping[str, Path | str] | None,
    part: range,
    *,
    blocks: Sequence[range],
    arrays: Sequence[str],
    weights_seed: int | None = None,
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
        weights_seed=weights_seed,
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
    *,
    is_checked: bool = False,
) -> None:
    """Run the encoder over the sequences of a shard, and write the store's arrays.

    If the store has a rule for words, attention is between words. Raise InputError if a batch of the longest sequences
    does not fit into memory, or if the encoder breaks an identity on some sequences, unless ``is_checked`` says that
    this was found out before.
    """
    if not is_checked:
        _check(encoder, sequences, batch_size, pad_id)
    if rule := writer.metadata.word_rule:
        _extract_words(encoder, sequences, rule, writer, batch_size, pad_id, progress)
    else:
        _extract_wordpieces(encoder, sequences, writer, batch_size, pad_id, progress)


def stored_lengths(sequences: Sequence[EncodedSequence], metadata: ShardMetadata) -> list[int]:
    """Return the number of tokens of each sequence in a store: wordpieces, or words with special tokens."""
    if metadata.word_rule:
        return [len(word_starts(sequence.word_ids)) for sequence in sequences]
    return [len(sequence) for sequence in sequences]


@dataclass(frozen=True)
class StreamedShard:
    """The sequences of a shard with the numbers that a store would have. Each iteration runs the encoder.

    Memory holds the arrays of one window of sequences at a time (:func:`windows`). Iteration raises InputError as
    :func:`extract` does.
    """

    encoder: HookedEncoder
    sequences: Sequence[EncodedSequence]
    metadata: ShardMetadata
    batch_size: int
    pad_id: int

    def __len__(self) -> int:
        return len(self.sequences)

    def __iter__(self) -> Iterator[StoredSequence]:
        _check(self.encoder, self.sequences, self.batch_size, self.pad_id)
        first = self.metadata.first
        for window in windows([len(sequence) for sequence in self.sequences], self.metadata):
            shard = ShardInMemory(replace(self.metadata, first=window.start, last=window.stop))
            part = self.sequences[window.start - first : window.stop - first]
            extract(self.encoder, part, shard, self.batch_size, self.pad_id, is_checked=True)
            yield from shard

    def in_memory(self) -> ShardInMemory:
        """Run the encoder over all sequences, and keep what it gives in memory."""
        shard = ShardInMemory(self.metadata)
        extract(self.encoder, self.sequences, shard, self.batch_size, self.pad_id)
        return shard


def _check(encoder: HookedEncoder, sequences: Sequence[EncodedSequence], batch_size: int, pad_id: int) -> None:
    longest = max(map(len, sequences), default=0)
    check_memory(encoder, min(batch_size, len(sequences)), longest, copies=0.5)
    check_identities(encoder, sequences, pad_id)


def _extract_wordpieces(
    encoder: HookedEncoder,
    sequences: Sequence[EncodedSequence],
    writer: ShardWriter | ShardInMemory,
    batch_size: int,
    pad_id: int,
    progress: Callable[[Iterable], Iterable],
) -> None:
    first = writer.metadata.first
    lengths = [len(sequence) for sequence in sequences]
    norms = [name for name in writer.metadata.arrays if name in NORMS]
    ids = [name for name in writer.metadata.arrays if name in ID_ARRAYS]
    for index, sequence in enumerate(sequences):
        for name in ids:
            writer.write(name, first + index, getattr(sequence, name))
    halves = _HalfMaps(encoder, batch_size, max(lengths, default=0))
    for indices in progress(_batches_in_windows(batches_by_length, lengths, batch_size, writer.metadata)):
        maps = run(encoder, *padded_batch([sequences[index] for index in indices], pad_id), norms)
        has_attention = "attention" in writer.metadata.arrays
        arrays = {**maps.norms, **({"attention": halves.take(maps.attention)} if has_attention else {})}
        del maps  # frees the full-precision maps for the next forward pass
        for name, batch in arrays.items():
            dtype, axes = ARRAYS[name]
            for row, index in enumerate(indices):
                cropped = batch[row][tuple(slice(lengths[index]) if axis == "n" else slice(None) for axis in axes)]
                writer.write(name, first + index, cropped.cpu().numpy().astype(dtype, copy=False))


def _extract_words(
    encoder: HookedEncoder,
    sequences: Sequence[EncodedSequence],
    rule: str,
    writer: ShardWriter | ShardInMemory,
    batch_size: int,
    pad_id: int,
    progress: Callable[[Iterable], Iterable],
) -> None:
    first = writer.metadata.first
    for index, sequence in enumerate(sequences):
        writer.write("word_ids", first + index, sequence.word_ids[word_starts(sequence.word_ids)])
    lengths = [len(sequence) for sequence in sequences]
    for indices in progress(_batches_in_windows(batches_by_cost, lengths, batch_size, writer.metadata)):
        maps = run(encoder, *padded_batch([sequences[index] for index in indices], pad_id))
        attention = torch.stack(maps.attention, dim=1)
        for row, index in enumerate(indices):
            n = lengths[index]
            between_words = word_attention(attention[row, :, :, :n, :n], sequences[index].word_ids, rule)
            writer.write("attention", first + index, between_words.half().cpu().numpy())


def _batches_in_windows(
    batches: Callable[[Sequence[int], int], list[list[int]]],
    lengths: Sequence[int],
    batch_size: int,
    metadata: ShardMetadata,
) -> list[list[int]]:
    """Return the indices in the shard of each batch's sequences; no batch has sequences of two windows."""
    found = []
    for window in windows(lengths, metadata):
        indices = [index - metadata.first for index in window]
        batches_of_window = batches([lengths[index] for index in indices], batch_size)
        found += [[indices[index] for index in batch] for batch in batches_of_window]
    return found


def windows(lengths: Sequence[int], metadata: ShardMetadata) -> list[range]:
    """Return the runs of sequences that share batches: blocks, cut so that the arrays of a run fit into memory.

    ``lengths`` has the wordpieces of each sequence of the shard. The last digits of results depend on padding. With
    windows inside of blocks, they do not depend on the number of shards, nor on whether a store is written.
    """
    found = []
    for block in metadata.blocks:
        inside = range(max(block.start, metadata.first), min(block.stop, metadata.last))
        start, size = inside.start, 0
        for index in inside:
            added = stored_bytes(lengths[index - metadata.first], metadata)
            if size and size + added > _WINDOW_BYTES:
                found.append(range(start, index))
                start, size = index, 0
            size += added
        found.append(range(start, inside.stop))
    return [window for window in found if window]


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
