"""Change of attention by fine-tuning (Kovaleva et al. 2019, section 4.3, figure 5)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

import numpy as np
import pandas as pd
import torch

from bert_attention.attention.hooks import HookedEncoder, run
from bert_attention.corpora.sampling import sample
from bert_attention.heads import head_table
from bert_attention.models.batches import run_in_blocks
from bert_attention.models.inputs import padded_batch
from bert_attention.papers.kovaleva.columns import COMPARED, MAPS
from bert_attention.statistics.sums import Sums, ratio
from bert_attention.tokenization.sequences import EncodedSequence

_Batch = tuple[torch.Tensor, torch.Tensor, torch.Tensor]  # token ids, segment ids, mask: [sequence, token] each


def sums_of_examples(
    pretrained: HookedEncoder,
    finetuned: Sequence[HookedEncoder],
    sequences: Sequence[EncodedSequence],
    *,
    pad_id: int,
    batch_size: int,
    padded_length: int,
    padded_examples: int,
    seed: int,
) -> Iterator[dict[str, np.ndarray | int]]:
    """Yield each example's sums: the cosine of each head's attention in two encoders, ``[compared, layer, head]``.

    ``finetuning`` compares the pretrained encoder with the first fine-tuned encoder. ``seeds`` compares the first two
    fine-tuned encoders, if there are several. These two differ only by chance.

    The cosine treats an example's attention map as one vector. ``cropped`` maps have only the example's tokens, as the
    paper describes. ``padded`` maps have ``padded_length`` rows and columns, as in the released code. Their rows of
    padding attend to the example's tokens, and their columns of padding are 0. In a short example, most rows are
    padding and dominate the cosine. Rows of padding differ from each other, so the encoders have to run the padded
    input. To save time, padded maps are compared only in a random sample of the examples. No map is kept in memory.
    Each fine-tuned encoder has another seed. If an example is longer than ``padded_length``, all padded maps get its
    length, up to the encoder's maximum. ``padded_examples`` is the size of the random sample, and ``seed`` its seed.
    """
    lengths = [len(sequence) for sequence in sequences]
    padded_length = min(max(padded_length, *lengths), pretrained.max_length)
    encoders = [pretrained, *finetuned[:2]]
    sampled = set(sample(range(len(sequences)), padded_examples, seed))

    def sums_of_batch(indices: list[int]) -> Iterator[dict[str, np.ndarray | int]]:
        batch = padded_batch([sequences[index] for index in indices], pad_id)
        for index, cropped in zip(indices, batch_cosines(encoders, batch, padded=False), strict=True):
            sums = {"cropped": cropped, "cropped/n": 1}
            if index in sampled:
                padded = _pad(padded_batch([sequences[index]], pad_id), padded_length, pad_id)
                sums |= {"padded": batch_cosines(encoders, padded, padded=True)[0], "padded/n": 1}
            yield sums

    return run_in_blocks(lengths, batch_size, sums_of_batch)


def table(sums: Sums) -> pd.DataFrame:
    """Return table ``kovaleva_change``: cosine of each head's attention in two encoders, averaged over examples."""
    tables = []
    for variant in MAPS:
        cosine, n = sums[variant], sums[f"{variant}/n"]
        labels = {"compared": COMPARED[: len(cosine)]}
        tables.append(head_table(labels, cosine=ratio(cosine, n), variant=variant, n=n))
    return pd.concat(tables, ignore_index=True)


def batch_cosines(encoders: Sequence[HookedEncoder], batch: _Batch, *, padded: bool) -> np.ndarray:
    """Return the cosine of the maps of each encoder and the next, ``[sequence, compared, layer, head]`` float64.

    ``padded`` includes rows of padding. Columns of padding are always 0.
    """
    attention = [run(encoder, *batch).attention for encoder in encoders]
    rows = batch[2][:, None, :, None].to(encoders[0].device)
    columns = rows.mT  # some model families attend to padding in rows of padding
    cosines = []
    for layer in zip(*attention, strict=True):
        maps = [weights * (columns if padded else rows) for weights in layer]
        cosines.append(torch.stack([_cosine(a, b) for a, b in pairwise(maps)], dim=1))
    return torch.stack(cosines, dim=2).cpu().numpy()


def _cosine(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    """Return the cosine over the last two axes, with sums in float64."""
    ab, aa, bb = ((x * y).sum((-2, -1), dtype=torch.float64) for x, y in ((a, b), (a, a), (b, b)))
    return ab / (aa * bb).sqrt()


def _pad(batch: _Batch, length: int, pad_id: int) -> _Batch:
    """Pad the batch to a length."""
    more = length - batch[0].shape[1]
    return tuple(
        torch.nn.functional.pad(ids, (0, more), value=fill) for ids, fill in zip(batch, (pad_id, 0, 0), strict=True)
    )
