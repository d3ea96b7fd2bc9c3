"""Measures of neurons against plain loops over the encoder's own weights, and known answers."""

import itertools
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
import torch

from bert_attention.attention.hooks import run
from bert_attention.models.inputs import model_inputs
from bert_attention.papers.vig.neurons import SCORE_SHARE, fewest_neurons, neuron_examples, neurons, table, top_overlap
from bert_attention.statistics.sums import blocks_of
from bert_attention.tokenization.sequences import EncodedSequence
from tests.models.random_models import WITH_NEURONS, random_encoder

SIZES = ((3, 4), (2, 2), (5, 1))  # lengths of the two parts of each input


def inputs():
    random = np.random.default_rng(3)
    sequences = []
    for first, second in SIZES:
        words = np.array([-1, *range(first), -1, *range(first, first + second), -1], dtype=np.int32)
        segment_ids = (np.arange(len(words)) > first + 1).astype(np.int32)
        sequences.append(EncodedSequence(random.integers(5, 90, len(words)).astype(np.int32), segment_ids, words))
    return sequences


def measures_of(encoder, sequences):
    return table(neurons(encoder, sequences, blocks_of(range(len(sequences))), pad_id=1, batch_size=2))


def maps(encoder, sequence, segment_ids):
    ids = torch.from_numpy(sequence.token_ids).long()[None]
    attention = run(encoder, ids, torch.from_numpy(segment_ids).long()[None], torch.ones_like(ids)).attention
    return torch.stack(attention)[:, 0].double().numpy()  # [layer, head, query, key]


def projected(encoder, sequence):
    """Return queries and keys ``[layer, head, token, neuron]``, from the states between the layers."""
    ids, segment_ids = (torch.from_numpy(each).long()[None] for each in (sequence.token_ids, sequence.segment_ids))
    with torch.inference_mode():
        arguments = model_inputs(encoder.model, ids, segment_ids, torch.ones_like(ids))
        states = encoder.model(**arguments, output_hidden_states=True).hidden_states
        layers = zip(encoder.projections, states, strict=False)
        pairs = [[part.vectors(part.module(state)) for part in (layer.query, layer.key)] for layer, state in layers]
    split = [[vectors[0].double().numpy().reshape(len(ids[0]), 4, 8) for vectors in pair] for pair in pairs]
    return tuple(np.array([pair[which] for pair in split]).transpose(0, 2, 1, 3) for which in (0, 1))


def measures_by_loops(queries, keys, attention, text):
    """Return concentration and participation ratio of each token, and the mean overlap, of one head in one sequence."""
    fewest, participation, tops = [], [], []
    for i in text:
        best = list(attention[i]).index(max(attention[i]))
        mean = [sum(key[e] for key in keys) / len(keys) for e in range(8)]
        terms = [queries[i][e] * (keys[best][e] - mean[e]) for e in range(8)]
        largest = sorted(terms, reverse=True)
        if sum(terms) > 0:
            fewest.append(next(n for n in range(1, 9) if sum(largest[:n]) >= SCORE_SHARE * sum(terms)) / 8)
        products = [abs(queries[i][e] * keys[best][e]) for e in range(8)]
        participation.append(sum(products) ** 2 / (8 * sum(product**2 for product in products)))
        tops.append(max(range(8), key=terms.__getitem__))  # a tenth of eight neurons is one
    shared = [one == other for one, other in itertools.combinations(tops, 2)]
    return fewest, participation, np.mean(shared)


# MPNet adds a position bias to the scores. It decides which key of a head has the most attention.
@pytest.mark.parametrize(("kind", "seed"), [("bert", 0), ("mpnet", 0), ("mpnet", 1)])
def test_each_head_equals_plain_loops(kind, seed):
    encoder, without_positions = random_encoder(kind, seed), random_encoder(kind, seed)
    without_positions.model.embeddings.position_embeddings.weight.data.zero_()
    sequences = inputs()
    if kind == "mpnet":
        encoder.model.encoder.relative_attention_bias.weight.data.mul_(20)
        without_positions.model.encoder.relative_attention_bias.weight.data.zero_()
    measured = measures_of(encoder, sequences).set_index(["layer", "head"])
    expected = {head: {name: [] for name in measured.columns.drop("n")} for head in measured.index}
    for sequence in sequences:
        text, part = np.flatnonzero(sequence.word_ids >= 0), sequence.segment_ids
        special = set(range(len(part))) - set(text)
        intact, one_segment = (maps(encoder, sequence, ids) for ids in (part, np.zeros_like(part)))
        nowhere = maps(without_positions, sequence, part)
        queries, keys = projected(encoder, sequence)
        for layer, head in np.ndindex(3, 4):
            found = expected[layer + 1, head + 1]
            whole, ablated, shuffled = (run[layer, head] for run in (intact, one_segment, nowhere))
            fewest, participation, overlap = measures_by_loops(queries[layer, head], keys[layer, head], whole, text)
            found["neuron_concentration"] += fewest
            found["participation_ratio"] += participation
            found["neuron_overlap"].append(overlap)
            found["overlap_chance"].append(1 / 8)
            for i in text:
                own, other = ([j for j in text if (part[j] == part[i]) == same] for same in (True, False))
                found["same_segment"].append(sum(whole[i, j] for j in own))
                found["other_segment"].append(sum(whole[i, j] for j in other))
                found["same_segment_ablated"].append(sum(ablated[i, j] for j in own))
                found["other_segment_ablated"].append(sum(ablated[i, j] for j in other))
                found["next_token"].append(whole[i, i + 1])
                found["next_token_ablated"].append(shuffled[i, i + 1])
                found["delimiter"].append(sum(whole[i, j] for j in special))
                found["same_segment_chance"].append(len(own) / len(text))
    for head, columns in expected.items():
        means = {name: np.mean(values) for name, values in columns.items()}
        assert measured.loc[head].drop("n").to_dict() == pytest.approx(means, rel=1e-4), head
    assert (measured["n"] == sum(map(sum, SIZES))).all()


@pytest.mark.parametrize("kind", WITH_NEURONS)
def test_every_kind_of_encoder_has_the_measures(kind):
    has_segments = kind in ("bert", "electra", "albert")
    sequences = inputs()
    if not has_segments:
        sequences = [replace(sequence, segment_ids=sequence.segment_ids * 0) for sequence in sequences]
    measured = measures_of(random_encoder(kind), sequences)
    assert measured.shape[0] == 12
    assert measured.notna().all(axis=None)
    total = measured["same_segment"] + measured["other_segment"] + measured["delimiter"]
    assert total.tolist() == pytest.approx([1] * 12, rel=1e-5)
    assert np.allclose(measured["same_segment"], measured["same_segment_ablated"], atol=1e-7) != has_segments
    assert (measured["next_token"] - measured["next_token_ablated"]).abs().max() > 1e-3


def test_fewest_neurons_and_top_overlap():
    terms = np.array([[9.0, 1, 0, 0], [1, 1, 1, 1], [5, 5, -5, 5], [20, 0, -10, 0]])
    assert fewest_neurons(terms).tolist() == [1, 4, 2, 1]
    terms = np.eye(20)[[3, 4]] + np.eye(20)[[4, 5]]  # each query has two top neurons
    assert top_overlap(terms) == 0.5
    assert np.isnan(top_overlap(terms[:1]))


@pytest.mark.parametrize("kind", ["bert", "mpnet"])
def test_examples_have_products_that_explain_the_attention_of_typical_heads(kind):
    heads = pd.DataFrame(
        [(1, 1, 0.1, 0.3, 0.5, 0.5), (1, 2, 0.9, 0, 0.9, 0.9), (2, 1, 0.2, 0.1, 0.8, 0.6), (2, 2, 0.1, 0.5, 0.4, 0.4)],
        columns=["layer", "head", "next_token", "delimiter", "same_segment", "same_segment_ablated"],
    )
    encoder, sequence = random_encoder(kind), inputs()[0]
    tokens = [f"t{index}" for index in range(len(sequence))]
    examples = neuron_examples(encoder, sequence, tokens, heads)
    chosen = examples[["behaviour", "layer", "head"]].drop_duplicates().to_numpy().tolist()
    assert chosen == [["next", 1, 2], ["delimiter", 2, 2], ["sentence", 2, 1]]
    heads["same_segment_ablated"] = heads["same_segment"]  # no head of behaviour "sentence"
    assert set(neuron_examples(encoder, sequence, tokens, heads)["behaviour"]) == {"next", "delimiter"}
    attention = maps(encoder, sequence, sequence.segment_ids)
    for _, rows in examples.groupby("behaviour"):
        first = rows.iloc[0]
        assert (first["query"], first["query_token"]) == (5, "t5")  # the fourth of seven tokens of text
        assert rows["product"].tolist() == pytest.approx((rows["query_value"] * rows["key_value"]).tolist())
        keys = rows.groupby("key")[["bias", "score", "attention", "key_token"]].first()
        assert keys["bias"].any() == (kind == "mpnet")
        scores = rows.groupby("key")["product"].sum() / np.sqrt(8) + keys["bias"]
        assert keys["score"].tolist() == pytest.approx(scores.tolist(), rel=1e-4, abs=1e-5)
        expected = attention[first["layer"] - 1, first["head"] - 1, 5].tolist()
        assert keys["attention"].tolist() == pytest.approx(expected, abs=1e-5)
        assert (np.exp(scores) / np.exp(scores).sum()).tolist() == pytest.approx(expected, abs=1e-5)
        assert keys["key_token"].tolist() == tokens
