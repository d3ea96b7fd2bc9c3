"""Cosine of attention in two encoders against plain loops."""

import itertools

import numpy as np
import pytest
import torch

from bert_attention.attention.hooks import run
from bert_attention.papers.kovaleva.change import sums_of_examples, table
from bert_attention.statistics.sums import Sums
from tests.attention.stores import random_sequences
from tests.models.random_models import random_encoder

LENGTHS = (4, 9, 6)
PADDED = 12
OPTIONS = {"pad_id": 1, "batch_size": 2, "padded_length": PADDED, "padded_examples": 2, "seed": 5}


def maps_of(encoder, sequence, length):
    """Return attention ``[layer, head, query, key]`` of a sequence padded to a length, without attention to padding."""
    n = len(sequence)
    ids, segments, mask = (torch.full((1, length), fill) for fill in (OPTIONS["pad_id"], 0, 0))
    ids[0, :n], mask[0, :n] = torch.from_numpy(sequence.token_ids), 1
    segments[0, :n] = torch.from_numpy(sequence.segment_ids)
    attention = torch.stack(run(encoder, ids, segments, mask).attention, dim=1)[0].double().numpy()
    attention[..., n:] = 0
    return attention


def change(encoders, sequences, **options):
    units = list(sums_of_examples(encoders[0], encoders[1:], sequences, **(OPTIONS | options)))
    return table(Sums.of(units, range(len(units))))


def cosine(one, other):
    return (one * other).sum() / np.sqrt((one * one).sum() * (other * other).sum())


@pytest.mark.parametrize("kind", ["bert", "deberta-v2"])  # in DeBERTa, padding attends to padding
def test_each_head_equals_plain_loops(kind):
    encoders = [random_encoder(kind, seed) for seed in (0, 1, 2)]
    sequences = random_sequences(LENGTHS, pairs=kind == "bert")
    found = change(encoders, sequences)
    assert found["n"].groupby(found["variant"]).unique().map(list).to_dict() == {"cropped": [3], "padded": [2]}
    rows = found.set_index(["variant", "compared", "layer", "head"])["cosine"]
    assert len(rows) == 2 * 2 * 3 * 4
    maps = {
        length: [[maps_of(encoder, each, length or len(each)) for each in sequences] for encoder in encoders]
        for length in (None, PADDED)
    }
    for (variant, compared, layer, head), value in rows.items():
        first = ("finetuning", "seeds").index(compared)
        pair = maps[None if variant == "cropped" else PADDED][first : first + 2]
        cosines = [cosine(a[layer - 1, head - 1], b[layer - 1, head - 1]) for a, b in zip(*pair, strict=True)]
        possible = itertools.combinations(cosines, 3 if variant == "cropped" else 2)  # the sample is random
        assert min(abs(value - np.mean(chosen)) for chosen in possible) < 1e-5


def test_padding_ends_at_the_encoders_maximum_length():
    encoder = random_encoder("roberta")  # takes at most 64 tokens
    found = change([encoder, encoder], random_sequences(LENGTHS), padded_length=1000)
    assert set(found["compared"]) == {"finetuning"}
    assert found["cosine"].to_numpy() == pytest.approx(1, abs=1e-6)
