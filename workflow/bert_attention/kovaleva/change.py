"""How much attention changes when an encoder is fine-tuned (Kovaleva et al. 2019, section 4.3, figure 5)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import pairwise

import numpy as np
import pandas as pd
import torch

from bert_attention.attention.hooks import HookedEncoder, run
from bert_attention.corpora.sampling import sample
from bert_attention.heads import head_table
from bert_attention.kovaleva.column_values import COMPARED, MAPS
from bert_attention.kovaleva.means import mean_with_interval
from bert_attention.models.batches import batches_of_like_length
from bert_attention.models.inputs import padded_batch
from bert_attention.tokenization.sequences import EncodedSequence

_Batch = tuple[torch.Tensor, torch.Tensor, torch.Tensor]  # token ids, segment ids and mask, [sequence, token] each


def change(
    pretrained: HookedEncoder,
    finetuned: Sequence[HookedEncoder],
    sequences: Sequence[EncodedSequence],
    task: str,
    *,
    pad_id: int,
    batch_size: int,
    padded_length: int,
    padded_examples: int,
    seed: int,
    progress: Callable[[Iterable], Iterable] = iter,
) -> pd.DataFrame:
    """Table ``kovaleva_change``: cosine of each head's attention in two encoders, averaged over the examples.

    Compared are the encoder as it comes and the first fine-tuned one (``finetuning``), and, if there are several, the
    first two that are fine-tuned (``seeds``): what differs between these is chance.

    The attention maps of one example are taken as vectors of all their cells. ``cropped`` maps have the tokens of the
    example, as described. ``padded`` maps have ``padded_length`` rows and columns, as in the released code, which does
    not leave out padding: its rows attend to the example's tokens, and its columns are 0. A short example has more of
    these rows than of its own, so that they tell most. They differ from each other, and take a run of that length: so
    they are compared in a sample of the examples only.

    Encoders run side by side, and no map is kept. ``low`` and ``high`` bound the mean over examples.

    Parameters
    ----------
    finetuned
        At least one, each from another seed.
    padded_length
        An example that is longer is not cut, and lengthens all padded maps; the longest input of the encoder shortens
        them.
    padded_examples
        Size of the random sample.
    seed
        Seed of the sample and of the resamples.
    progress
        Wraps the batches of both.
    """
    square = min(max(padded_length, *map(len, sequences)), pretrained.longest_input)
    encoders = [pretrained, *finetuned[:2]]
    compared = dict(zip(COMPARED, pairwise(range(len(encoders))), strict=False))
    drawn = sample(range(len(sequences)), padded_examples, seed)
    batches = {
        "cropped": list(_batches(sequences, range(len(sequences)), batch_size, pad_id)),
        "padded": [
            (place, _lengthened(batch, square, pad_id)) for place, batch in _batches(sequences, drawn, 1, pad_id)
        ],
    }
    tables = []
    for variant in MAPS:
        found: dict[str, dict[int, np.ndarray]] = {name: {} for name in compared}
        for places, batch in progress(batches[variant]):
            for name, cosines in batch_cosines(encoders, compared, batch, whole=variant == "padded").items():
                found[name] |= dict(zip(places, cosines, strict=True))
        for name, by_place in found.items():
            cosines = np.stack([by_place[place] for place in sorted(by_place)])
            columns = mean_with_interval(cosines, np.ones(len(cosines), dtype=bool), seed)
            labels = {"task": task, "compared": name, "variant": variant}
            tables.append(head_table(cosine=columns.pop("mean"), **columns, **labels))
    return pd.concat(tables, ignore_index=True)


def batch_cosines(
    encoders: Sequence[HookedEncoder], compared: Mapping[str, tuple[int, int]], batch: _Batch, *, whole: bool
) -> dict[str, np.ndarray]:
    """Cosine of the two encoders' maps of each sequence of a batch, ``[sequence, layer, head]`` float64.

    Parameters
    ----------
    compared
        The places of the two encoders of each comparison, by its name.
    whole
        Whether the rows of padding count, too. Its columns are 0 in any case.
    """
    attention = [run(encoder, *batch).attention for encoder in encoders]
    rows = batch[2][:, None, :, None].to(encoders[0].device)
    columns = rows.mT  # some families let padding attend to padding
    found: dict[str, list[torch.Tensor]] = {name: [] for name in compared}
    for of_layer in zip(*attention, strict=True):
        maps = [weights * (columns if whole else rows) for weights in of_layer]
        for name, (one, other) in compared.items():
            found[name].append(_cosine(maps[one], maps[other]))
    return {name: torch.stack(cosines, dim=1).cpu().numpy() for name, cosines in found.items()}


def _cosine(one: torch.Tensor, other: torch.Tensor) -> torch.Tensor:
    """Cosine over the last two axes; sums are in float64."""
    between, of_one, of_other = (
        (a * b).sum((-2, -1), dtype=torch.float64) for a, b in ((one, other), (one, one), (other, other))
    )
    return between / (of_one * of_other).sqrt()


def _batches(
    sequences: Sequence[EncodedSequence], places: Sequence[int], batch_size: int, pad_id: int
) -> Iterator[tuple[list[int], _Batch]]:
    """Batches of the sequences at some places, and which places those are."""
    for batch in batches_of_like_length([len(sequences[place]) for place in places], batch_size):
        chosen = [places[number] for number in batch]
        yield chosen, padded_batch([sequences[place] for place in chosen], pad_id)


def _lengthened(batch: _Batch, length: int, pad_id: int) -> _Batch:
    """The batch with padding up to a length."""
    more = length - batch[0].shape[1]
    return tuple(
        torch.nn.functional.pad(ids, (0, more), value=fill) for ids, fill in zip(batch, (pad_id, 0, 0), strict=True)
    )
