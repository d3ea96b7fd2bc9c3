"""One pass of an encoder over a corpus into a shard of the attention store."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from math import prod
from pathlib import Path

import torch
import transformers

from bert_attention.attention.hooks import NORMS, HookedEncoder, run
from bert_attention.attention.store import ARRAYS, ID_ARRAYS, ShardMetadata, ShardWriter
from bert_attention.attention.words import word_attention, word_starts
from bert_attention.files import sha256
from bert_attention.models.batches import batches_of_like_cost, batches_of_like_length
from bert_attention.models.inputs import padded_batch
from bert_attention.statistics.sums import blocks_of_shard
from bert_attention.tokenization.sequences import EncodedSequence
from bert_attention.tokenization.tokenizer import Tokenizer
from bert_attention.tokenization.wordpieces import token_categories


def shard_range(sequences: int, shard: int, shards: int) -> range:
    """Sequences in shard number ``shard`` (from 1) of a corpus cut into ``shards`` parts of whole blocks."""
    blocks = blocks_of_shard(sequences, shard, shards)
    return range(blocks[0].start, blocks[-1].stop) if blocks else range(0)


def shard_metadata(
    encoder: HookedEncoder,
    tokenizer: Tokenizer,
    files: Mapping[str, Path | str],
    part: range,
    *,
    model: str,
    segment_ids: str,
    masked_share: float,
    arrays: tuple[str, ...],
    sequences: int,
) -> ShardMetadata:
    """Metadata of the shard that holds ``part`` of a corpus of ``sequences`` sequences.

    Parameters
    ----------
    files
        Paths of ``weights`` and ``corpus``; the metadata hold their digests.
    """
    return ShardMetadata(
        model=model,
        weights_sha256=sha256(files["weights"]),
        corpus_sha256=sha256(files["corpus"]),
        segment_ids=segment_ids,
        masked_share=masked_share,
        arrays=arrays,
        sequences=sequences,
        first=part.start,
        last=part.stop,
        layers=encoder.layers,
        heads=encoder.heads,
        categories=token_categories(tokenizer),
        torch=torch.__version__,
        transformers=transformers.__version__,
    )


def extract(
    encoder: HookedEncoder,
    sequences: Sequence[EncodedSequence],
    writer: ShardWriter,
    first: int,
    batch_size: int,
    pad_id: int,
    progress: Callable[[Iterable], Iterable] = iter,
) -> None:
    """Run the encoder over the sequences, numbered from ``first``, and write the arrays that the store holds."""
    norms = [name for name in writer.arrays if name in NORMS]
    ids = [name for name in writer.arrays if name in ID_ARRAYS]
    for place, sequence in enumerate(sequences, start=first):
        for name in ids:
            writer.write(f"{name}/{place}", getattr(sequence, name))
    lengths = [len(sequence) for sequence in sequences]
    batches = batches_of_like_length(lengths, batch_size)
    halves = _HalfMaps(encoder, batch_size, max(lengths, default=0))
    for places in progress(batches):
        maps = run(encoder, *padded_batch([sequences[place] for place in places], pad_id), norms)
        arrays = {**maps.norms, **({"attention": halves.take(maps.attention)} if "attention" in writer.arrays else {})}
        del maps  # frees the full-precision maps for the next forward pass
        for name, batch in arrays.items():
            dtype, axes = ARRAYS[name]
            for row, place in enumerate(places):
                cropped = batch[row][tuple(slice(lengths[place]) if axis == "n" else slice(None) for axis in axes)]
                writer.write(f"{name}/{first + place}", cropped.cpu().numpy().astype(dtype, copy=False))


def extract_words(
    encoder: HookedEncoder,
    sequences: Sequence[EncodedSequence],
    writer: ShardWriter,
    first: int,
    batch_size: int,
    pad_id: int,
    queries: str,
    progress: Callable[[Iterable], Iterable] = iter,
) -> None:
    """Run the encoder over the sequences, and write attention between their words (see :func:`word_attention`)."""
    for place, sequence in enumerate(sequences, start=first):
        writer.write(f"word_ids/{place}", sequence.word_ids[word_starts(sequence.word_ids)])
    lengths = [len(sequence) for sequence in sequences]
    for places in progress(batches_of_like_cost(lengths, batch_size)):
        maps = run(encoder, *padded_batch([sequences[place] for place in places], pad_id))
        attention = torch.stack(maps.attention, dim=1)
        for row, place in enumerate(places):
            n = lengths[place]
            between_words = word_attention(attention[row, :, :, :n, :n], sequences[place].word_ids, queries)
            writer.write(f"attention/{first + place}", between_words.half().cpu().numpy())


class _HalfMaps:
    """The attention of a batch as float16, in memory allocated once: fresh pages cost more than the arithmetic."""

    def __init__(self, encoder: HookedEncoder, batch_size: int, longest: int):
        self._memory = torch.empty(
            batch_size * encoder.layers * encoder.heads * longest**2, dtype=torch.float16, device=encoder.device
        )

    def take(self, layers: Sequence[torch.Tensor]) -> torch.Tensor:
        """Attention ``[sequence, layer, head, query, key]``, valid until the next call."""
        sequences, *shape = layers[0].shape
        size = sequences * len(layers) * prod(shape)
        attention = self._memory[:size].view(sequences, len(layers), *shape)
        for layer, weights in enumerate(layers):
            attention[:, layer].copy_(weights)
        return attention
