import itertools
import math
import weakref
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bert_attention.clark import head_distances as module
from bert_attention.clark.head_distances import divergence_sums, head_distances
from tests.bert_base_attention import bert_base_sequences
from tests.conftest import random_attention


def divergence(p, q):
    """The released formula: two Kullback-Leibler divergences from the mean of the smoothed rows."""
    p, q = ([0.999 * float(x) + 0.001 / len(row) for x in row] for row in (p, q))
    means = [(x + y) / 2 for x, y in zip(p, q, strict=True)]
    terms = zip(p, q, means, strict=True)
    return sum((x * math.log(x / m) + y * math.log(y / m)) / 2 for x, y, m in terms)


def assert_equals_the_released_formula(attention):
    layers, heads, n, _ = attention.shape
    flat = attention.reshape(layers * heads, n, n)
    found = divergence_sums(attention) / n
    for a, b in itertools.combinations(range(layers * heads), 2):
        expected = sum(divergence(flat[a, i], flat[b, i]) for i in range(n)) / n
        assert found[a, b] == pytest.approx(expected, abs=1e-6)
    assert not np.tril(found).any()


def sequence(attention):
    return SimpleNamespace(attention=attention)


def test_hand_computed_pairs():
    identity, swapped, even = np.eye(2), np.eye(2)[::-1], np.full((2, 2), 0.5)
    sums = divergence_sums(np.array([[identity, swapped, even]], dtype=np.float32))
    assert sums[0, 1] == pytest.approx(2 * math.log(2), rel=0.01)  # disjoint, but for the smoothing
    one_against_even = 0.75 * math.log(4 / 3) + 0.25 * math.log(4) - math.log(2) / 2
    assert sums[0, 2] == sums[1, 2] == pytest.approx(2 * one_against_even, rel=0.01)


@settings(max_examples=30)
@given(st.integers(1, 12), st.integers(0, 1000))
def test_equals_the_released_formula_on_random_maps(n, seed):
    assert_equals_the_released_formula(random_attention(np.random.default_rng(seed), 2, 3, n))


def test_equals_the_released_formula_over_several_blocks_of_peaked_maps():
    n = 50
    assert n * n > module._BLOCK
    attention = np.random.default_rng(0).dirichlet(np.full(n, 0.02), size=(1, 3, n)).astype(np.float32)
    assert_equals_the_released_formula(attention)


def test_equals_the_released_formula_on_real_maps_rounded_to_float16(real_data):
    attention = bert_base_sequences(real_data)[1].attention
    assert_equals_the_released_formula(attention[::4, ::6].astype(np.float16).astype(np.float32))


@given(st.integers(2, 10), st.integers(0, 1000))
def test_lies_between_zero_and_the_logarithm_of_two(n, seed):
    attention = np.random.default_rng(seed).dirichlet(np.full(n, 0.01), size=(1, 4, n)).astype(np.float32)
    mean = divergence_sums(attention) / n
    assert mean.min() >= 0
    assert mean.max() <= math.log(2)


def test_identical_heads_are_at_no_distance():
    head = random_attention(np.random.default_rng(0), 1, 1, 60)
    assert divergence_sums(np.concatenate([head, head], axis=1))[0, 1] == pytest.approx(0, abs=1e-6)


def test_the_table_has_one_row_per_pair_and_weighs_tokens_alike():
    random = np.random.default_rng(0)
    maps = [random_attention(random, 2, 2, n) for n in (3, 7)]
    table = head_distances(map(sequence, maps))
    assert len(table) == 6
    assert (table["n"] == 10).all()
    row = table[(table["layer_a"] == 1) & (table["head_a"] == 2) & (table["layer_b"] == 2) & (table["head_b"] == 1)]
    expected = [divergence(m[0, 1, i], m[1, 0, i]) for m in maps for i in range(m.shape[-1])]
    assert row["divergence"].item() == pytest.approx(np.mean(expected), abs=1e-6)
    released = row["divergence"].item() * row["n"].item()
    assert released == pytest.approx(sum(expected), abs=1e-5)


def test_threads_change_nothing():
    maps = [random_attention(np.random.default_rng(seed), 1, 4, 70) for seed in range(2)]
    tables = [head_distances(map(sequence, maps), threads=threads) for threads in (1, 3)]
    assert tables[0].equals(tables[1])


def test_sequences_are_let_go():
    taken, alive = [], []

    def stream():
        for seed in range(5):
            alive.append(sum(reference() is not None for reference in taken))
            one = sequence(random_attention(np.random.default_rng(seed), 1, 2, 4))
            taken.append(weakref.ref(one.attention))
            yield one
            del one

    head_distances(stream())
    assert max(alive) == 1  # the one that the loop has just done with
