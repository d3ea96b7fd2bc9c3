import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bert_attention.statistics import intervals
from bert_attention.statistics.intervals import bootstrap_interval


def reference(correct, total, seed, resamples):
    """Unit by unit, the draws taken as they come."""
    random = np.random.default_rng(seed)
    draws = random.integers(len(correct), size=(resamples, len(correct)))
    bounds = []
    for system in range(correct.shape[1]):
        ratios = []
        for places in draws:
            denominator = sum(float(total[place, system % total.shape[1]]) for place in places)
            if denominator:
                ratios.append(sum(float(correct[place, system]) for place in places) / denominator)
        bounds.append(np.quantile(ratios, [0.025, 0.975]))
    return np.transpose(bounds)


@given(st.integers(1, 12), st.booleans(), st.integers(0, 1000))
def test_equals_a_loop_over_the_same_draws(units, shared_total, seed):
    random = np.random.default_rng(seed)
    total = random.integers(1, 4, (units, 1 if shared_total else 3))
    correct = random.binomial(total, 0.4, (units, 3))
    np.testing.assert_allclose(bootstrap_interval(correct, total, seed, 50), reference(correct, total, seed, 50))


def test_for_units_of_one_it_is_the_normal_interval():
    """A share of 0.3 in 2,000: 1.96 standard errors of sqrt(0.3 * 0.7 / 2000) on either side."""
    correct = (np.arange(2000) < 600).astype(int)[:, None]
    low, high = bootstrap_interval(correct, np.ones((2000, 1), dtype=int), seed=1)
    half = 1.96 * np.sqrt(0.3 * 0.7 / 2000)
    assert (low[0], high[0]) == pytest.approx((0.3 - half, 0.3 + half), abs=0.002)


def test_resamples_without_anything_to_count_are_left_out():
    """The only countable unit is drawn or not; where it is, the ratio is 1/2."""
    correct, total = np.array([[1, 0], [0, 0], [0, 0]]), np.array([[2, 0], [0, 0], [0, 0]])
    low, high = bootstrap_interval(correct, total, seed=0)
    assert low[0] == high[0] == 0.5
    assert np.isnan([low[1], high[1]]).all()


def test_memory_is_bounded_by_blocks_that_change_nothing(monkeypatch):
    random = np.random.default_rng(0)
    total = random.integers(1, 5, (40, 2))
    correct = random.binomial(total, 0.5)
    whole = bootstrap_interval(correct, total, seed=3, resamples=100)
    monkeypatch.setattr(intervals, "_CELLS_AT_ONCE", 130)
    np.testing.assert_array_equal(bootstrap_interval(correct, total, seed=3, resamples=100), whole)


@pytest.mark.parametrize(("units", "others"), [(0, 0), (3, 2)])
def test_units_that_do_not_match_are_refused(units, others):
    with pytest.raises(ValueError, match=f"{units} units of correct, {others} of total"):
        bootstrap_interval(np.zeros((units, 1)), np.zeros((others, 1)), seed=0)
