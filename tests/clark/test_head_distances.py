import itertools
import math
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bert_attention.papers.clark import head_distances as module
from bert_attention.papers.clark.head_distances import divergence_sums, drawn_tokens
from tests.bert_base_attention import bert_base_sequences
from tests.conftest import random_attention
from tests.statistics.blocks import table_of


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
    assert found.min() >= 0


@settings(max_examples=15)
@given(st.sampled_from((1, 2, 7, 50)), st.sampled_from((0.02, 0.3)), st.integers(0, 1000))
def test_equals_the_released_formula_on_random_maps(n, concentration, seed):
    """The largest maps need several blocks."""
    assert module._BLOCK < 50**2
    random = np.random.default_rng(seed)
    assert_equals_the_released_formula(random.dirichlet(np.full(n, concentration), size=(2, 2, n)).astype(np.float32))


def test_equals_the_released_formula_on_real_maps_rounded_to_float16(real_data):
    attention = bert_base_sequences(real_data)[1].attention
    assert_equals_the_released_formula(attention[::4, ::6].astype(np.float16).astype(np.float32))


def test_the_table_has_one_row_per_pair_and_weighs_tokens_alike():
    """The last map is sampled: 16 of its 40 tokens stand for all."""
    maps = [random_attention(np.random.default_rng(n), 2, 2, n) for n in (3, 7, 40)]
    stored = [SimpleNamespace(index=index, attention=attention) for index, attention in enumerate(maps)]
    found = table_of(module, stored)
    assert len(found) == 6
    assert (found["n"] == 3 + 7 + 16).all()
    for row in found.itertuples():
        a, b = (row.layer_a - 1, row.head_a - 1), (row.layer_b - 1, row.head_b - 1)
        assert a < b
        total = 0
        for index, (attention, n) in enumerate(zip(maps, (3, 7, 40), strict=True)):
            tokens = drawn_tokens(index, n)
            total += n * np.mean([divergence(attention[*a, i], attention[*b, i]) for i in tokens])
        assert row.divergence == pytest.approx(total / 50, abs=1e-6)


def test_each_token_of_a_sequence_is_as_likely_to_be_drawn():
    draws = [drawn_tokens(index, 40) for index in range(2000)]
    assert all(len(set(draw)) == 16 for draw in draws)
    drawn = np.bincount(np.concatenate(draws), minlength=40)
    assert len(drawn) == 40
    assert np.abs(drawn / 2000 - 0.4).max() < 0.05  # more than four standard errors
    assert drawn_tokens(5, 12).tolist() == list(range(12))


@pytest.mark.parametrize("change", [0, 1e-7])
def test_nearly_equal_heads_are_at_no_distance(change):
    """SciPy's jensenshannon is nan for about half of such rows."""
    one = random_attention(np.random.default_rng(0), 1, 1, 20)
    other = one * (1 + change * np.random.default_rng(1).standard_normal(one.shape))
    found = divergence_sums(np.concatenate([one, other], axis=1).astype(np.float32))
    np.testing.assert_allclose(found, 0, atol=1e-5)
