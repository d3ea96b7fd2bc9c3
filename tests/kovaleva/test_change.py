"""Cosine of attention in two encoders against plain loops."""

import itertools

import numpy as np
import pytest
import torch

from bert_attention.attention.hooks import run
from bert_attention.kovaleva.change import batch_cosines, sums_of_examples, table
from bert_attention.statistics.sums import Sums
from tests.attention.stores import random_sequences
from tests.models.random_models import random_encoder

LENGTHS = (4, 9, 6)
PADDED = 12
OPTIONS = {"pad_id": 1, "batch_size": 2, "padded_length": PADDED, "padded_examples": 2, "seed": 5}


@pytest.fixture(scope="module")
def encoders():
    """One as it comes, and two that are fine-tuned."""
    return [random_encoder("bert", seed) for seed in (0, 1, 2)]


@pytest.fixture(scope="module")
def sequences():
    return random_sequences(LENGTHS, pairs=True)


def maps_of(encoder, sequence, length):
    """Attention ``[layer, head, query, key]`` of one sequence, padded to a length."""
    n = len(sequence)
    ids, segments, mask = (torch.zeros(1, length, dtype=torch.long) for _ in range(3))
    ids[:] = OPTIONS["pad_id"]
    ids[0, :n], segments[0, :n], mask[0, :n] = (
        torch.from_numpy(sequence.token_ids),
        torch.from_numpy(sequence.segment_ids),
        1,
    )
    return torch.stack(run(encoder, ids, segments, mask).attention, dim=1)[0].double().numpy()


def change(*encoders_and_sequences, **options):
    units = list(sums_of_examples(*encoders_and_sequences, **options))
    return table(Sums.of(units, range(len(units))))


def cosine(one, other):
    cells = [(float(a), float(b)) for a, b in zip(one.ravel(), other.ravel(), strict=True)]
    return sum(a * b for a, b in cells) / np.sqrt(sum(a * a for a, _ in cells) * sum(b * b for _, b in cells))


def test_each_head_against_plain_loops(encoders, sequences):
    pretrained, *finetuned = encoders
    found = change(pretrained, finetuned, sequences, **OPTIONS)
    assert found["n"].groupby(found["variant"]).unique().map(list).to_dict() == {"cropped": [3], "padded": [2]}
    rows = found.set_index(["compared", "variant", "layer", "head"])["cosine"].sort_index()
    assert len(rows) == 2 * 2 * 3 * 4
    for (compared, (one, other)), layer, head in itertools.product(
        {"finetuning": encoders[:2], "seeds": encoders[1:]}.items(), range(3), range(4)
    ):
        cropped, padded = [], []
        for sequence in sequences:
            for length, found in ((len(sequence), cropped), (PADDED, padded)):
                maps = (maps_of(encoder, sequence, length)[layer, head] for encoder in (one, other))
                found.append(cosine(*maps))
        place = (layer + 1, head + 1)
        assert rows[compared, "cropped"][place] == pytest.approx(np.mean(cropped), abs=1e-5)
        of_two = [np.mean(pair) for pair in itertools.combinations(padded, 2)]
        assert min(abs(rows[compared, "padded"][place] - mean) for mean in of_two) < 1e-5


def test_an_encoder_does_not_differ_from_itself(encoders, sequences):
    found = change(encoders[0], encoders[:1], sequences, **OPTIONS)
    assert (found["compared"] == "finetuning").all()
    assert found["cosine"].to_numpy() == pytest.approx(1, abs=1e-12)


def test_batches_change_nothing(encoders, sequences):
    one, other = (change(encoders[0], encoders[1:], sequences, **(OPTIONS | {"batch_size": size})) for size in (1, 3))
    assert one["cosine"].to_numpy() == pytest.approx(other["cosine"].to_numpy(), abs=1e-5)


@pytest.mark.parametrize(("kind", "length"), [("bert", 512), ("roberta", 64)])
def test_padding_goes_no_further_than_the_encoder(kind, length, sequences, monkeypatch):
    seen = []
    monkeypatch.setattr(
        "bert_attention.kovaleva.change.batch_cosines",
        lambda encoders, batch, whole: seen.append((whole, batch[0].shape[1])) or np.ones((len(batch[0]), 1, 1, 1)),
    )
    encoder = random_encoder(kind)
    change(encoder, [encoder], sequences, **(OPTIONS | {"padded_length": 1000}))
    assert {size for whole, size in seen if whole} == {length}
    assert max(size for whole, size in seen if not whole) == max(LENGTHS)


def test_nothing_attends_to_padding_in_padded_maps(sequences):
    """DeBERTa's padding attends to all tokens alike, padding too."""
    pair = [random_encoder("deberta-v2", seed) for seed in (0, 1)]
    maps = [maps_of(encoder, sequences[0], PADDED) for encoder in pair]
    assert maps[0][..., LENGTHS[0] :].max() > 0.01
    cropped = [attention[..., : LENGTHS[0]] for attention in maps]
    ids = torch.full((1, PADDED), OPTIONS["pad_id"])
    ids[0, : LENGTHS[0]] = torch.from_numpy(sequences[0].token_ids)
    mask = (torch.arange(PADDED) < LENGTHS[0]).long()[None]
    found = batch_cosines(pair, (ids, torch.zeros_like(ids), mask), whole=True)[0, 0]
    for layer, head in itertools.product(range(3), range(4)):
        assert found[layer, head] == pytest.approx(cosine(cropped[0][layer, head], cropped[1][layer, head]), abs=1e-5)
