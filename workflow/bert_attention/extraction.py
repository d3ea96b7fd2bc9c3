"""One pass of an encoder over a corpus into a shard of the attention store."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from math import prod

import torch

from bert_attention.encoders import BatchMaps, Encoder, run
from bert_attention.store import ShardWriter
from bert_attention.wordpieces import EncodedSequence


def shard_range(sequences: int, shard: int, shards: int) -> range:
    """Sequences of the ``shard``-th (from 1) of ``shards`` contiguous, nearly equal parts of a corpus."""
    return range(sequences * (shard - 1) // shards, sequences * shard // shards)


def batches_of_like_length(lengths: Sequence[int], batch_size: int) -> list[list[int]]:
    """Places of sequences in batches, the longest first: little padding, and too large a batch fails at once."""
    order = sorted(range(len(lengths)), key=lambda place: -lengths[place])
    return [order[start : start + batch_size] for start in range(0, len(order), batch_size)]


def padded(sequences: Sequence[EncodedSequence], pad_id: int) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Token ids, segment ids and mask of a batch, ``[sequence, token]`` each."""
    shape = (len(sequences), max(map(len, sequences)))
    token_ids, segment_ids, mask = (torch.full(shape, fill) for fill in (pad_id, 0, 0))
    for row, sequence in enumerate(sequences):
        token_ids[row, : len(sequence)] = torch.from_numpy(sequence.token_ids)
        segment_ids[row, : len(sequence)] = torch.from_numpy(sequence.segment_ids)
        mask[row, : len(sequence)] = 1
    return token_ids, segment_ids, mask


def extract(
    encoder: Encoder,
    sequences: Sequence[EncodedSequence],
    writer: ShardWriter,
    first: int,
    batch_size: int,
    pad_id: int,
    progress: Callable[[Iterable], Iterable] = iter,
) -> None:
    """Run the encoder over the sequences, which are numbered from ``first``, and write all that the store holds."""
    for place, sequence in enumerate(sequences, start=first):
        for name in ("token_ids", "segment_ids", "word_ids"):
            writer.write(f"{name}/{place}", getattr(sequence, name))
    lengths = [len(sequence) for sequence in sequences]
    batches = batches_of_like_length(lengths, batch_size)
    halves = _HalfMaps(encoder, batch_size, max(lengths, default=0))
    for places in progress(batches):
        attention, norms = halves.take(run(encoder, *padded([sequences[place] for place in places], pad_id)))
        for row, place in enumerate(places):
            n = lengths[place]
            writer.write(f"attention/{first + place}", attention[row, :, :, :n, :n].cpu().numpy())
            writer.write(f"value_norms/{first + place}", norms[row, :, :, :n].cpu().numpy())


class _HalfMaps:
    """The attention of a batch as float16, in memory that is taken once: fresh pages cost more than the arithmetic."""

    def __init__(self, encoder: Encoder, batch_size: int, longest: int):
        self._memory = torch.empty(
            batch_size * encoder.layers * encoder.heads * longest**2, dtype=torch.float16, device=encoder.device
        )

    def take(self, maps: BatchMaps) -> tuple[torch.Tensor, torch.Tensor]:
        """Attention ``[sequence, layer, head, query, key]``, good until the next batch is taken, and value norms.

        The full-precision maps are free when this returns, so that the next forward pass finds their memory.
        """
        sequences, *shape = maps.attention[0].shape
        size = sequences * len(maps.attention) * prod(shape)
        attention = self._memory[:size].view(sequences, len(maps.attention), *shape)
        for layer, weights in enumerate(maps.attention):
            attention[:, layer].copy_(weights)
        return attention, maps.value_norms
