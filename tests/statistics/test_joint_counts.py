"""Joint counts in bins, and rank correlations from them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import spearmanr

from bert_attention.statistics.joint_counts import FloatBins, OctaveBins, cells, coarser, joint_counts, spearman

X, Y = FloatBins(-24, 0, 3), FloatBins(-8, 8, 5)


def binned_spearman(x, y):
    return spearman(joint_counts((len(X), len(Y)), X(x), Y(y)))


@given(st.integers(-20, 0), st.integers(1, 20), st.integers(0, 8), st.integers(0, 1000))
def test_a_value_lies_between_the_edges_of_its_bin(lowest, octaves, bits, seed):
    axis = FloatBins(lowest, lowest + octaves, bits)
    values = 2 ** np.random.default_rng(seed).uniform(lowest - 3, lowest + octaves + 1, 50).astype(np.float32)
    values[0] = 0
    bins, edges = axis(values), axis.edges()
    assert len(edges) == len(axis) + 1
    assert (np.diff(edges) > 0).all()
    assert (edges[bins] <= values).all()
    assert (values < edges[bins + 1]).all()


@given(st.integers(1, 10), st.integers(0, 1000))
def test_octaves_count_every_value_between_its_edges(bits, seed):
    random = np.random.default_rng(seed)
    values, rows = 2 ** random.uniform(-120, 120, 50), random.integers(0, 3, 50)
    values[:2] = 0, np.float32(1e-40)  # a number below the smallest normal one
    axis = OctaveBins(bits, drawn_bits=1)
    counts = axis.counts(values, rows, 3)
    assert sum(of_octave.sum(1) for of_octave in counts.values()).tolist() == np.bincount(rows, minlength=3).tolist()
    for octave, of_octave in counts.items():
        assert of_octave.shape == (3, 2**bits)
        edges = axis.edges(octave).astype(np.float32)
        for row, found in enumerate(axis.drawn(of_octave)):
            own = values[rows == row].astype(np.float32)
            assert found.tolist() == [((edges[k] <= own) & (own < edges[k + 1])).sum() for k in (0, 1)]


def test_the_first_and_last_bin_have_their_values():
    assert X(np.array([1, 5, 1e30, np.inf])).tolist() == [len(X) - 1] * 4
    smallest_weight = np.finfo(np.float16).smallest_subnormal
    assert X(np.array([0, smallest_weight])).tolist() == [0, 1]


@pytest.mark.parametrize(("rho", "of_x", "of_y"), [(-0.18, 2, 0.22), (-0.7, 3, 1), (0.1, 1, 0.1)])
def test_the_correlation_of_many_points_is_within_a_thousandth(rho, of_x, of_y):
    one, other = np.random.default_rng(0).normal(size=(2, 200_000))
    x = np.minimum(np.exp(of_x * one - 5), 1).astype(np.float16)
    y = np.exp(0.3 + of_y * (rho * one + np.sqrt(1 - rho**2) * other))
    assert binned_spearman(x, y) == pytest.approx(spearmanr(x, y).statistic, abs=1e-3)


@given(st.integers(2, 200), st.floats(0.05, 0.95), st.integers(0, 1000))
def test_ties_and_zeros_have_mid_ranks(n, share_of_zeros, seed):
    """Powers of two have their own bins, so the correlation is exact."""
    random = np.random.default_rng(seed)
    x = np.where(random.random(n) < share_of_zeros, 0, 2.0 ** -random.integers(0, 25, n))
    y = 2.0 ** random.integers(-3, 3, n)
    if len(set(x)) == 1 or len(set(y)) == 1:
        assert np.isnan(binned_spearman(x, y))
    else:
        assert binned_spearman(x, y) == pytest.approx(spearmanr(x, y).statistic, abs=1e-12)


def test_several_grids_have_a_correlation_each():
    counts = np.random.default_rng(0).integers(0, 5, (2, 6, 7))
    for grid, found in zip(counts, spearman(counts), strict=True):
        points = np.repeat(np.argwhere(grid >= 0), grid.ravel(), axis=0)
        assert found == pytest.approx(spearmanr(*points.T).statistic, abs=1e-12)


def test_indices_are_broadcast():
    random = np.random.default_rng(0)
    a, b, c = random.integers(0, 3, 4), random.integers(0, 2, (5, 1)), random.integers(0, 6, (5, 4))
    expected = np.zeros((3, 2, 6), dtype=int)
    for i, j in np.ndindex(5, 4):
        expected[a[j], b[i, 0], c[i, j]] += 1
    assert (joint_counts(expected.shape, a, b, c) == expected).all()


@pytest.mark.parametrize("axis", [0, 1])
def test_wider_bins_count_the_same_points(axis):
    fine, coarse = FloatBins(-3, 2, 4), FloatBins(-3, 2, 1)
    values, other = 2 ** np.random.default_rng(0).uniform(-4, 4, (2, 300))
    narrow, wide = (
        np.moveaxis(joint_counts((len(bins), len(Y)), bins(values), Y(other)), 0, axis) for bins in (fine, coarse)
    )
    assert (coarser(narrow, fine, coarse, axis) == wide).all()


def test_nonempty_cells_have_bounds():
    found = cells(np.array([[0, 2], [1, 0]]), x=np.array([1, 2, 3]), y=np.array([0.5, 0.75, 1]))
    assert found.to_dict("records") == [
        {"x_low": 1, "x_high": 2, "y_low": 0.75, "y_high": 1, "n": 2},
        {"x_low": 2, "x_high": 3, "y_low": 0.5, "y_high": 0.75, "n": 1},
    ]
