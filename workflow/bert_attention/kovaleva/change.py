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
from bert_attention.kovaleva.column_values import COMPARED, MAPS
from bert_attention.models.batches import run_in_blocks
from bert_attention.models.inputs import padded_batch
from bert_attention.statistics.sums import Sums, ratio
from bert_attention.tokenization.sequences import EncodedSequence

_Batch = tuple[torch.Tensor, torch.Tensor, torch.Tensor]  # token ids, segment ids and mask, [sequence, token] each


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
    fine-tuned encoders, if there are several: differences between these are chance.

    The attention map of an example is taken as a vector of all its cells. ``cropped`` maps have the tokens of the
    example, as described. ``padded`` maps have ``padded_length`` rows and columns, as in the released code, which keeps
    padding: rows of padding attend to the example's tokens, and columns of padding are 0. In a short example, most rows
    are padding, so these rows dominate the cosine. Rows of padding differ from each other, so the padded input has to
    be run. Padded maps are therefore compared only in a sample of the examples. Encoders run side by side, and no map
    is kept.

    Parameters
    ----------
    finetuned
        At least one, each from another seed.
    padded_length
        Length of padded maps. A longer example is not cut, but lengthens all of them, up to the maximum length of the
        encoder.
    padded_examples
        Size of the random sample.
    seed
        Seed of the sample.
    """
    lengths = [len(sequence) for sequence in sequences]
    square = min(max(padded_length, *lengths), pretrained.max_length)
    encoders = [pretrained, *finetuned[:2]]
    drawn = set(sample(range(len(sequences)), padded_examples, seed))

    def added(places: list[int]) -> Iterator[dict[str, np.ndarray | int]]:
        batch = padded_batch([sequences[place] for place in places], pad_id)
        for place, cropped in zip(places, batch_cosines(encoders, batch, whole=False), strict=True):
            of_example = {"cropped": cropped, "cropped/n": 1}
            if place in drawn:
                alone = _lengthened(padded_batch([sequences[place]], pad_id), square, pad_id)
                of_example |= {"padded": batch_cosines(encoders, alone, whole=True)[0], "padded/n": 1}
            yield of_example

    return run_in_blocks(lengths, batch_size, added)


def table(sums: Sums) -> pd.DataFrame:
    """Return table ``kovaleva_change``: cosine of each head's attention in two encoders, averaged over examples."""
    tables = []
    for variant in MAPS:
        cosine, n = sums[variant], sums[f"{variant}/n"]
        labels = {"compared": COMPARED[: len(cosine)]}
        tables.append(head_table(labels, cosine=ratio(cosine, n), variant=variant, n=n))
    return pd.concat(tables, ignore_index=True)


def batch_cosines(encoders: Sequence[HookedEncoder], batch: _Batch, *, whole: bool) -> np.ndarray:
    """Return the cosine of the maps of each encoder and the next one: ``[sequence, compared, layer, head]`` float64.

    Parameters
    ----------
    whole
        True if rows of padding count. Columns of padding are always 0.
    """
    attention = [run(encoder, *batch).attention for encoder in encoders]
    rows = batch[2][:, None, :, None].to(encoders[0].device)
    columns = rows.mT  # some model families let padding attend to padding
    found = []
    for of_layer in zip(*attention, strict=True):
        maps = [weights * (columns if whole else rows) for weights in of_layer]
        found.append(torch.stack([_cosine(one, other) for one, other in pairwise(maps)], dim=1))
    return torch.stack(found, dim=2).cpu().numpy()


def _cosine(one: torch.Tensor, other: torch.Tensor) -> torch.Tensor:
    """Return the cosine over the last two axes, with sums in float64."""
    between, of_one, of_other = (
        (a * b).sum((-2, -1), dtype=torch.float64) for a, b in ((one, other), (one, one), (other, other))
    )
    return between / (of_one * of_other).sqrt()


def _lengthened(batch: _Batch, length: int, pad_id: int) -> _Batch:
    """Pad the batch to a length."""
    more = length - batch[0].shape[1]
    return tuple(
        torch.nn.functional.pad(ids, (0, more), value=fill) for ids, fill in zip(batch, (pad_id, 0, 0), strict=True)
    )
