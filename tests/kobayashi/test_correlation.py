import itertools
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import spearmanr

from bert_attention.kobayashi.column_values import CATEGORIES
from bert_attention.kobayashi.correlation import FloatBins, PairCounts, correlation
from tests.kobayashi.sequences import HEADS, LAYERS, random_sequence


def correlated_pairs(n, rho, spread_of_weights, spread_of_norms, seed=0):
    """Lognormal weights, at most 1 and in float16 as stored, and lognormal norms."""
    one, other = np.random.default_rng(seed).normal(size=(2, n))
    weights = np.minimum(np.exp(spread_of_weights * one - 5), 1).astype(np.float16).astype(np.float32)
    norms = np.exp(0.3 + spread_of_norms * (rho * one + np.sqrt(1 - rho**2) * other)).astype(np.float32)
    return weights, norms


def counted(weights, norms, category=3):
    """Pairs of one category, each with a key of its own."""
    pairs = PairCounts()
    masks = np.zeros((len(CATEGORIES), len(norms)), dtype=bool)
    masks[category] = True
    pairs.add(weights[None, None, None], norms[None, None], masks)
    return pairs


@pytest.mark.parametrize(
    ("rho", "of_weights", "of_norms"),
    [(-0.18, 2, 0.22), (-0.7, 3, 1), (0.1, 0.3, 0.05), (-0.7, 0.3, 0.22), (-0.7, 2, 0.02)],
)
def test_a_million_pairs_within_a_ten_thousandth_of_the_exact_value(rho, of_weights, of_norms):
    weights, norms = correlated_pairs(1_000_000, rho, of_weights, of_norms)
    assert counted(weights, norms).spearman(3) == pytest.approx(spearmanr(weights, norms).statistic, abs=1e-4)


@given(st.integers(2, 200), st.floats(0.05, 0.95), st.integers(0, 1000))
def test_ties_and_weights_of_zero_have_mid_ranks(n, share_of_zeros, seed):
    """Powers of two have bins of their own: then the value is exact, ties and all."""
    random = np.random.default_rng(seed)
    weights = np.where(random.random(n) < share_of_zeros, 0, 2.0 ** -random.integers(0, 25, n)).astype(np.float32)
    norms = (2.0 ** random.integers(-3, 3, n)).astype(np.float32)
    found = counted(weights, norms).spearman(3)
    if len(set(weights)) == 1 or len(set(norms)) == 1:
        assert np.isnan(found)
    else:
        assert found == pytest.approx(spearmanr(weights, norms).statistic, abs=1e-12)


def test_the_smallest_weight_above_zero_that_is_stored_is_not_taken_for_zero():
    weights = np.array([0, np.finfo(np.float16).smallest_subnormal], dtype=np.float32)
    assert counted(weights, np.array([1, 2], dtype=np.float32)).spearman(3) == pytest.approx(1)


def declining_sequence(seed, n):
    """A sequence in which the longer a token's vector, the less attention it gets."""
    sequence = random_sequence(seed, n)
    lengths = np.linalg.norm(sequence.transformed, axis=-1)
    attention = sequence.attention.astype(np.float64) / lengths[:, :, None, :] ** 2
    return replace(sequence, attention=attention / attention.sum(-1, keepdims=True))


def as_stored(sequence):
    """With attention as the store returns it: rounded to float16, read as float32."""
    return replace(sequence, attention=sequence.attention.astype(np.float16).astype(np.float32))


@pytest.fixture(scope="module")
def sequences():
    """In full precision."""
    return [declining_sequence(seed, 40) for seed in range(8)]


@pytest.fixture(scope="module")
def lists(sequences):
    """All pairs of each category in two lists, as released: an entry for each layer, head, query and key."""
    found = {category: ([], []) for category in CATEGORIES}
    for sequence in sequences:
        lengths = np.linalg.norm(sequence.transformed, axis=-1)
        for category, (layer, head, j) in itertools.product(CATEGORIES, np.ndindex(LAYERS, HEADS, 40)):
            if sequence.categories[category][j]:
                weights, norms = found[category]
                weights.extend(sequence.attention[layer, head, :, j])
                norms.extend([lengths[layer, head, j]] * 40)
    return found


def test_equals_the_plain_formula_on_full_precision(sequences, lists):
    """Float16 makes ties, not a few of them zeros: the reference has neither."""
    assert min(min(weights) for weights, _ in lists.values()) > 0
    assert any((as_stored(sequence).attention == 0).any() for sequence in sequences)
    table = correlation(map(as_stored, sequences))["kobayashi_correlation"].set_index("category")
    for category, (weights, norms) in lists.items():
        expected = spearmanr(weights, norms).statistic
        assert expected < -0.3
        assert table.loc[category, "n"] == len(weights)
        assert table.loc[category, "spearman"] == pytest.approx(expected, abs=1.5e-4)


def test_the_table_of_counts_grows_with_new_norms_and_loses_no_pair(sequences, lists):
    pairs, sizes = PairCounts(), []
    for sequence in map(as_stored, sequences):
        masks = np.stack([sequence.categories[category] for category in CATEGORIES])
        pairs.add(sequence.attention, sequence.value_norms, masks)
        sizes.append(len(pairs._counts))
    assert len(set(sizes)) >= 3  # it grew twice after the first sequence
    for place, (weights, norms) in enumerate(lists.values()):
        assert pairs.size(place) == len(weights)
        assert pairs.spearman(place) == pytest.approx(spearmanr(weights, norms).statistic, abs=1.5e-4)


def test_a_category_without_tokens_has_no_correlation():
    table = correlation([random_sequence(0, 8, punctuation=False)])["kobayashi_correlation"].set_index("category")
    assert table.loc["punctuation", "n"] == 0
    assert np.isnan(table.loc["punctuation", "spearman"])


def test_bins_hold_all_pairs_within_their_ranges(sequences):
    sequences = [as_stored(sequence) for sequence in sequences]
    table = correlation(iter(sequences))["kobayashi_correlation_bins"]
    sizes = correlation(iter(sequences))["kobayashi_correlation"].set_index("category")["n"]
    assert table.groupby("category")["n"].sum().to_dict() == sizes.to_dict()
    assert (table["weight_low"] < table["weight_high"]).all()
    cell = table[table["category"] == "other"].nlargest(1, "n").iloc[0]
    count = 0
    for sequence in sequences:
        norms = np.broadcast_to(sequence.value_norms[:, :, None, :], sequence.attention.shape)
        inside = (sequence.attention >= cell["weight_low"]) & (sequence.attention < cell["weight_high"])
        inside &= (norms >= cell["norm_low"]) & (norms < cell["norm_high"]) & sequence.categories["other"]
        count += inside.sum()
    assert cell["n"] == count > 1


@given(st.integers(-20, 0), st.integers(1, 20), st.integers(0, 8), st.integers(0, 1000))
def test_a_value_lies_between_the_edges_of_its_bin(lowest, octaves, bits, seed):
    axis = FloatBins(lowest, lowest + octaves, bits)
    values = 2 ** np.random.default_rng(seed).uniform(lowest - 3, lowest + octaves + 3, 50).astype(np.float32)
    values[0] = 0
    bins, edges = axis(values), axis.edges()
    assert len(edges) == len(axis) + 1
    assert (np.diff(edges) > 0).all()
    assert (edges[bins] <= values).all()
    assert (values < edges[bins + 1]).all()


def test_memory_does_not_grow_with_the_corpus():
    pairs = PairCounts()
    sequence = random_sequence(0, 9)
    masks = np.stack([sequence.categories[category] for category in CATEGORIES])
    sizes = set()
    for _ in range(5):
        pairs.add(sequence.attention, sequence.value_norms, masks)
        sizes.add(sum(value.nbytes for value in (pairs._row_of, pairs._counts)))
    assert len(sizes) == 1
