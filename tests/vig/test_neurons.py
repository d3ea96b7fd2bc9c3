"""Measures of neurons against plain loops over the encoder's own weights, and known answers."""

import itertools
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
import torch

from bert_attention.attention.hooks import HookedEncoder, run
from bert_attention.models.encoders import Encoder
from bert_attention.tokenization.sequences import EncodedSequence
from bert_attention.vig.neurons import (
    REACHED,
    neuron_examples,
    neuron_measures,
    neurons,
    neurons_that_reach,
    overlap_of_top,
    table,
    typical_heads,
)
from tests.models.random_models import WITH_NEURONS, random_encoder, random_model

PAD = 1
# Of each input the lengths of its two parts.
SIZES = ((3, 4), (2, 2), (5, 1))


def inputs():
    random = np.random.default_rng(3)
    found = []
    for first, second in SIZES:
        words = np.array([-1, *range(first), -1, *range(first, first + second), -1], dtype=np.int32)
        segment_ids = (np.arange(len(words)) > first + 1).astype(np.int32)
        found.append(EncodedSequence(random.integers(5, 90, len(words)).astype(np.int32), segment_ids, words))
    return found


def maps(encoder, sequence, segment_ids):
    ids = torch.from_numpy(sequence.token_ids).long()[None]
    attention = run(encoder, ids, torch.from_numpy(segment_ids).long()[None], torch.ones_like(ids)).attention
    return torch.stack(attention)[:, 0].double().numpy()  # [layer, head, query, key]


def projected(encoder, sequence):
    """Queries and keys ``[layer, head, token, neuron]``, from the states between the layers."""
    ids = torch.from_numpy(sequence.token_ids).long()[None]
    segment_ids = torch.from_numpy(sequence.segment_ids).long()[None]
    with torch.inference_mode():
        states = encoder.model(input_ids=ids, token_type_ids=segment_ids, output_hidden_states=True).hidden_states
        layers = zip(encoder.projections, states, strict=False)
        pairs = [[part.vectors(part.module(state)) for part in (layer.query, layer.key)] for layer, state in layers]
    split = [[vectors[0].double().numpy().reshape(len(ids[0]), 4, 8) for vectors in pair] for pair in pairs]
    return tuple(np.array([pair[which] for pair in split]).transpose(0, 2, 1, 3) for which in (0, 1))


def measures_by_loops(queries, keys, text):
    """Concentration, participation ratio and overlap of one head in one sequence."""
    fewest, participation, tops = [], [], []
    for i in text:
        scores = [sum(q * k for q, k in zip(queries[i], key, strict=True)) for key in keys]
        best = scores.index(max(scores))
        mean = [sum(key[e] for key in keys) / len(keys) for e in range(8)]
        added = [queries[i][e] * (keys[best][e] - mean[e]) for e in range(8)]
        reached, taken = 0.0, 0
        for value in sorted(added, reverse=True):
            reached, taken = reached + value, taken + 1
            if reached >= REACHED * sum(added):
                break
        fewest.append(taken / 8)
        products = [abs(queries[i][e] * keys[best][e]) for e in range(8)]
        participation.append(sum(products) ** 2 / (8 * sum(product**2 for product in products)))
        tops.append(max(range(8), key=added.__getitem__))  # a tenth of eight neurons is one
    shared = [one == other for one, other in itertools.combinations(tops, 2)]
    return fewest, participation, np.mean(shared)


def test_each_head_against_plain_loops():
    encoder = random_encoder("bert")
    sequences = inputs()
    measured = table(neurons(encoder, sequences, range(len(sequences)), PAD, batch_size=2)).set_index(["layer", "head"])
    without_positions = random_encoder("bert")
    without_positions.model.embeddings.position_embeddings.weight.data.zero_()
    expected = {}
    for sequence in sequences:
        text = np.flatnonzero(sequence.word_ids >= 0)
        part = sequence.segment_ids
        zeros = np.zeros_like(part)
        whole, one_segment = (maps(encoder, sequence, ids) for ids in (part, zeros))
        nowhere = maps(without_positions, sequence, part)
        queries, keys = projected(encoder, sequence)
        for layer, head in itertools.product(range(3), range(4)):
            found = expected.setdefault((layer + 1, head + 1), {name: [] for name in measured.columns})
            fewest, participation, overlap = measures_by_loops(queries[layer, head], keys[layer, head], text)
            found["neuron_concentration"] += fewest
            found["participation_ratio"] += participation
            found["neuron_overlap"].append(overlap)
            found["overlap_chance"].append(1 / 8)
            for i in text:
                own, other = ([j for j in text if (part[j] == part[i]) == same] for same in (True, False))
                found["same_segment"].append(sum(whole[layer, head, i, j] for j in own))
                found["other_segment"].append(sum(whole[layer, head, i, j] for j in other))
                found["same_segment_ablated"].append(sum(one_segment[layer, head, i, j] for j in own))
                found["other_segment_ablated"].append(sum(one_segment[layer, head, i, j] for j in other))
                found["next_token"].append(whole[layer, head, i, i + 1])
                found["next_token_ablated"].append(nowhere[layer, head, i, i + 1])
                special = set(range(len(part))) - set(text)
                found["delimiter"].append(sum(whole[layer, head, i, j] for j in special))
                found["same_segment_chance"].append(len(own) / len(text))
    for head, columns in expected.items():
        for name, values in columns.items():
            if name != "n":
                assert measured.loc[head, name] == pytest.approx(np.mean(values), rel=1e-4), (head, name)
    assert (measured["n"] == sum(map(sum, SIZES))).all()


@pytest.mark.parametrize("kind", WITH_NEURONS)
def test_every_kind_of_encoder_has_the_measures(kind):
    tells_segments = kind in ("bert", "electra", "albert")
    sequences = inputs()
    if not tells_segments:
        sequences = [replace(sequence, segment_ids=sequence.segment_ids * 0) for sequence in sequences]
    measured = table(neurons(random_encoder(kind), sequences, range(len(sequences)), PAD, batch_size=3))
    assert measured.shape[0] == 12
    assert measured.notna().all(axis=None)
    total = measured["same_segment"] + measured["other_segment"] + measured["delimiter"]
    assert total.tolist() == pytest.approx([1] * 12, rel=1e-5)
    assert np.allclose(measured["same_segment"], measured["same_segment_ablated"], atol=1e-7) != tells_segments
    assert (measured["next_token"] - measured["next_token_ablated"]).abs().max() > 1e-3


def test_a_head_that_tells_segments_by_one_neuron_is_explained():
    """Queries and keys are the embedding, and only that of segments is not zero, in one neuron of each head."""
    model = random_model("bert", num_hidden_layers=1, num_attention_heads=4)
    with torch.no_grad():
        for parameter in model.embeddings.parameters():
            parameter.zero_()
        model.embeddings.token_type_embeddings.weight[:, ::8] = torch.tensor([[-1.0], [1.0]])
        model.embeddings.LayerNorm = torch.nn.Identity()
        attention = model.encoder.layer[0].attention.self
        for projection in (attention.query, attention.key):
            projection.weight.copy_(10 * torch.eye(32))
            projection.bias.zero_()
    head = table(
        neurons(
            HookedEncoder.of(Encoder(model, torch.device("cpu"))), inputs(), range(len(inputs())), PAD, batch_size=3
        )
    ).iloc[0]
    assert head["neuron_concentration"] == 1 / 8
    assert head["participation_ratio"] == pytest.approx(1 / 8)
    assert head["neuron_overlap"] == 1
    assert head["other_segment"] == pytest.approx(0)
    alike = sum(part**2 / (sum(sizes) + 3) for sizes in SIZES for part in sizes) / sum(map(sum, SIZES))
    assert head["same_segment_ablated"] == pytest.approx(alike)  # all tokens are attended to alike
    assert head["next_token"] == pytest.approx(head["next_token_ablated"])


def test_neurons_that_reach_nine_tenths():
    added = np.array([[9.0, 1, 0, 0], [1, 1, 1, 1], [5, 5, -5, 5], [20, 0, -10, 0]])
    assert neurons_that_reach(added).tolist() == [1, 4, 2, 1]


def test_overlap_of_like_and_of_different_queries():
    like, different = np.tile(np.arange(10.0), (5, 1)), np.eye(5, 10)
    assert overlap_of_top(np.stack([like, different])).tolist() == [1, 0]
    assert np.isnan(overlap_of_top(like[:1]))
    two_of_twenty = np.zeros((2, 20))
    two_of_twenty[0, [3, 4]] = two_of_twenty[1, [4, 5]] = 1
    assert overlap_of_top(two_of_twenty) == 0.5


def test_what_all_keys_share_changes_only_the_raw_products():
    random = np.random.default_rng(0)
    queries, keys = random.normal(size=(2, 1, 1, 6, 8))
    plain, shifted = (neuron_measures(queries, some) for some in (keys, keys + 3 * random.normal(size=8)))
    assert plain["neuron_concentration"] == pytest.approx(shifted["neuron_concentration"])
    assert plain["neuron_overlap"] == pytest.approx(shifted["neuron_overlap"])
    assert abs(plain["participation_ratio"] - shifted["participation_ratio"]).item() > 1e-3


HEADS = pd.DataFrame(
    {
        "layer": [1, 1, 2, 2],
        "head": [1, 2, 1, 2],
        "next_token": [0.1, 0.9, 0.2, 0.1],
        "delimiter": [0.3, 0.0, 0.1, 0.5],
        "same_segment": [0.5, 0.9, 0.8, 0.4],
        "same_segment_ablated": [0.5, 0.9, 0.6, 0.4],
    }
)


def test_typical_heads_are_chosen_by_rule():
    assert typical_heads(HEADS) == {"next": (0, 1), "delimiter": (1, 1), "sentence": (1, 0)}
    no_ids = HEADS.assign(same_segment_ablated=HEADS["same_segment"])
    assert set(typical_heads(no_ids)) == {"next", "delimiter"}


def test_examples_hold_products_that_make_the_attention():
    encoder = random_encoder("bert")
    sequence = inputs()[0]
    tokens = [f"t{place}" for place in range(len(sequence))]
    examples = neuron_examples(encoder, sequence, tokens, HEADS)
    assert examples["behaviour"].unique().tolist() == ["next", "delimiter", "sentence"]
    whole = maps(encoder, sequence, sequence.segment_ids)
    for _, rows in examples.groupby("behaviour"):
        first = rows.iloc[0]
        assert (first["query"], first["query_token"]) == (5, "t5")  # the fourth of seven tokens of text
        assert rows["product"].tolist() == pytest.approx((rows["query_value"] * rows["key_value"]).tolist())
        by_key = rows.groupby("key")
        scores = by_key["product"].sum() / np.sqrt(8)
        assert by_key["score"].first().tolist() == pytest.approx(scores.tolist(), rel=1e-4, abs=1e-5)
        attention = np.exp(scores) / np.exp(scores).sum()
        assert by_key["attention"].first().tolist() == pytest.approx(attention.tolist(), abs=1e-5)
        of_model = whole[first["layer"] - 1, first["head"] - 1, 5]
        assert by_key["attention"].first().tolist() == pytest.approx(of_model.tolist(), abs=1e-5)
        assert by_key["key_token"].first().tolist() == tokens
