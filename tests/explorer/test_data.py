"""The page's data on a sequence have the right values, to the precision of a byte, and a limited size."""

import base64
import zlib

import numpy as np
import pytest

from bert_attention.explorer.data import (
    ShownSequence,
    add_neurons,
    packed,
    packed_neurons,
    packed_within,
    parts_between,
    square_root_codes,
)
from bert_attention.explorer.page import page
from tests.explorer.sequences import random_sequence, random_vectors

LAYERS, HEADS, N = 2, 3, 7
SEQUENCE = random_sequence(LAYERS, HEADS, [f"t{i}" for i in range(N)])


def inflated(text):
    return zlib.decompress(base64.b64decode(text))


def decoded(codes, scale=1.0):
    """The values that a byte stands for, by the module's formula."""
    return scale * (np.frombuffer(codes, np.uint8) / 255.0) ** 2


def largest_error(values, scale=1.0):
    """By the module's docstring."""
    return scale * (np.sqrt(values / scale) / 255 + 1 / (4 * 255**2)) + 1e-9


def test_arrays_come_back_within_the_stated_error():
    content = packed(SEQUENCE)
    data = inflated(content["arrays"])
    cells, summed = LAYERS * HEADS * N * N, LAYERS * N * N
    weights = decoded(data[:cells]).reshape(SEQUENCE.attention.shape)
    assert (np.abs(weights - SEQUENCE.attention) <= largest_error(SEQUENCE.attention)).all()
    for layer, scale in enumerate(content["summed_scales"]):
        values = SEQUENCE.summed_norms[layer]
        codes = data[cells:][layer * N * N : (layer + 1) * N * N]
        assert (np.abs(decoded(codes, scale).reshape(N, N) - values) <= largest_error(values, scale)).all()
    norms = np.frombuffer(data[cells + summed :], "<f4").reshape(LAYERS, HEADS, N)
    np.testing.assert_array_equal(norms, SEQUENCE.value_norms)


def test_no_attention_and_all_attention_are_exact_and_little_attention_is_not_none():
    codes = square_root_codes(np.array([0.0, 1.0, 1e-5]), 1.0)
    np.testing.assert_array_equal(codes, [0, 255, 1])


def test_neurons_come_back_within_half_a_step_of_their_layer():
    queries, keys = random_vectors(LAYERS, HEADS, N, 4)
    keys[1] *= 50
    content = packed_neurons(queries, keys)
    codes = np.frombuffer(inflated(content["neurons"]), np.int8).reshape(2, LAYERS, HEADS, N, 4)
    for vectors, of_codes, scales in zip((queries, keys), codes, content["neuron_scales"], strict=True):
        for layer in range(LAYERS):
            error = np.abs(of_codes[layer] * scales[layer] / 127 - vectors[layer]).max()
            assert error <= scales[layer] / 127 / 2 + 1e-6
    assert content["neuron_count"] == 4


def test_a_layer_of_zeros_has_a_scale():
    queries, keys = np.zeros((2, 1, 1, 2, 4), np.float32)
    assert packed_neurons(queries, keys)["neuron_scales"] == [[1.0], [1.0]]


def test_sequences_are_taken_while_they_fit():
    size = len(packed(SEQUENCE)["arrays"])
    read = []

    def sequences():
        for number in range(5):
            read.append(number)
            yield SEQUENCE

    assert len(packed_within(sequences(), count=3, budget=10**9)) == 3
    assert read == [0, 1, 2]
    assert len(packed_within(sequences(), count=5, budget=2 * size)) == 2
    assert len(packed_within(sequences(), count=5, budget=1)) == 1


def test_neurons_are_added_to_the_first_sequences_while_they_fit():
    vectors = random_vectors(LAYERS, HEADS, N, 4)
    size = len(packed_neurons(*vectors)["neurons"])
    contents = [packed(SEQUENCE) for _ in range(3)]
    add_neurons(contents, [vectors] * 3, budget=2 * size)
    assert ["neurons" in content for content in contents] == [True, True, False]


@pytest.mark.parametrize("n", [40, 128])
def test_a_page_of_twelve_times_twelve_heads_is_below_five_megabytes(n):
    sequence = random_sequence(12, 12, [f"token{i}" for i in range(n)])
    contents = packed_within([sequence] * 10)
    add_neurons(contents, [random_vectors(12, 12, n, 64)] * 2)
    size = len(page("model", 12, 12, contents).encode())
    assert size < 5_000_000
    if n == 40:
        assert len(contents) == 10
        assert "neurons" in contents[0]


def test_what_is_not_known_is_left_out():
    queries = SEQUENCE.queries
    content = packed(ShownSequence(queries, SEQUENCE.attention))
    assert len(inflated(content["arrays"])) == SEQUENCE.attention.size
    assert "summed_scales" not in content
    assert len(content["sides"]) == 1
    assert len(packed(ShownSequence(queries, SEQUENCE.attention, keys=queries))["sides"]) == 2


@pytest.mark.parametrize(
    ("special", "parts"),
    [
        ([1, 0, 1, 0, 0, 1], [0, 0, 0, 1, 1, 1]),
        ([1, 0, 1, 1, 0, 1], [0, 0, 0, 0, 1, 1]),  # RoBERTa has two separators
        ([0, 0], [0, 0]),
        ([1, 1], [0, 0]),
    ],
)
def test_special_tokens_end_parts(special, parts):
    np.testing.assert_array_equal(parts_between(np.array(special, bool)), parts)
