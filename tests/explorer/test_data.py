"""The page's data on a sequence have the right values, to the precision of a byte, and a limited size."""

import base64
import zlib

import numpy as np
import pytest

from bert_attention.explorer import data
from bert_attention.explorer.data import ShownSequence, add_neurons, packed, packed_neurons, packed_within
from bert_attention.explorer.page import page
from tests.explorer.sequences import random_sequence, random_vectors

LAYERS, HEADS, N = 2, 3, 7
SEQUENCE = random_sequence(LAYERS, HEADS, [f"t{i}" for i in range(N)])
VECTORS = random_vectors(LAYERS, HEADS, N, 4)


def inflated(text):
    return zlib.decompress(base64.b64decode(text))


def assert_close(codes, values, scale=1.0):
    """Decode bytes by the formula in the module's docstring, and check the error that it states."""
    decoded = scale * (np.frombuffer(codes, np.uint8) / 255.0) ** 2
    largest_error = scale * (np.sqrt(values / scale) / 255 + 1 / (4 * 255**2)) + 1e-9
    assert (np.abs(decoded.reshape(values.shape) - values) <= largest_error).all()


def test_arrays_have_at_most_the_stated_error():
    content = packed(SEQUENCE)
    arrays = inflated(content["arrays"])
    cells, summed = LAYERS * HEADS * N * N, LAYERS * N * N
    assert_close(arrays[:cells], SEQUENCE.attention)
    for layer, scale in enumerate(content["summed_scales"]):
        codes = arrays[cells:][layer * N * N : (layer + 1) * N * N]
        assert_close(codes, SEQUENCE.summed_norms[layer], scale)
    norms = np.frombuffer(arrays[cells + summed :], "<f4").reshape(LAYERS, HEADS, N)
    np.testing.assert_array_equal(norms, SEQUENCE.value_norms)
    # 0 and 1 are exact, and little attention is not 0.
    np.testing.assert_array_equal(data.square_root_codes(np.array([0.0, 1.0, 1e-5]), 1.0), [0, 255, 1])


def test_neurons_have_an_error_of_at_most_half_a_step_of_their_layer():
    queries, keys = VECTORS[0], VECTORS[1] * np.array([1, 50])[:, None, None, None]
    keys[0] = 0
    content = packed_neurons(queries, keys)
    codes = np.frombuffer(inflated(content["neurons"]), np.int8).reshape(2, LAYERS, HEADS, N, 4)
    for vectors, of_codes, scales in zip((queries, keys), codes, content["neuron_scales"], strict=True):
        steps = np.reshape(scales, (-1, 1, 1, 1)) / 127
        assert (np.abs(of_codes * steps - vectors) <= steps / 2 + 1e-6).all()
    assert content["neuron_count"] == 4
    assert content["neuron_scales"][1][0] == 1.0  # the scale of a layer of zeros


def test_sequences_and_neurons_are_added_within_a_budget():
    size = len(packed(SEQUENCE)["arrays"])
    sequences = iter([SEQUENCE] * 5)
    assert len(packed_within(sequences, count=3, budget=10**9)) == 3
    assert len(list(sequences)) == 2  # sequences beyond the budget are not read
    assert len(packed_within([SEQUENCE] * 5, count=5, budget=2 * size)) == 2
    assert len(packed_within([SEQUENCE] * 5, count=5, budget=1)) == 1
    contents = [packed(SEQUENCE) for _ in range(3)]
    add_neurons(contents, [VECTORS] * 3, budget=2 * len(packed_neurons(*VECTORS)["neurons"]))
    assert ["neurons" in content for content in contents] == [True, True, False]
    contents = [packed(SEQUENCE) for _ in range(3)]
    add_neurons(contents, [VECTORS] * 3, budget=1)
    assert ["neurons" in content for content in contents] == [True, False, False]


@pytest.mark.parametrize(("n", "count"), [(40, 10), (49, 8)])
def test_a_page_of_an_encoder_of_the_size_of_bert_base_is_below_five_megabytes(n, count):
    """The shortest segments of running text have 49 tokens."""
    sequence = random_sequence(12, 12, [f"token{i}" for i in range(n)])
    contents = packed_within([sequence] * 10)
    add_neurons(contents, [random_vectors(12, 12, n, 64)] * 2)
    assert len(page("model", 12, 12, contents).encode()) < 5_000_000
    assert len(contents) == count
    assert "neurons" in contents[0]


def test_unknown_norms_are_left_out_and_keys_can_be_other_tokens():
    content = packed(ShownSequence(SEQUENCE.queries, SEQUENCE.attention))
    assert len(inflated(content["arrays"])) == SEQUENCE.attention.size
    assert "summed_scales" not in content
    assert len(content["sides"]) == 1
    assert len(packed(ShownSequence(SEQUENCE.queries, SEQUENCE.attention, keys=SEQUENCE.queries))["sides"]) == 2


@pytest.mark.parametrize(("special", "parts"), [("101001", "000111"), ("101101", "000011"), ("00", "00"), ("11", "00")])
def test_special_tokens_end_parts(special, parts):
    """RoBERTa has two separators in a row."""
    found = data.parts_between(np.array(list(special)) == "1")
    assert "".join(map(str, found)) == parts
