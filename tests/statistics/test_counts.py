"""Counts of estimated numbers beyond a limit, with bounds."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import t

from bert_attention.statistics.counts import count_of, half_widths, mean_of_counts
from bert_attention.statistics.jackknife import Replicates

BLOCKS = 20


def with_errors(values, errors, generator=None):
    """Numbers whose jackknife has these standard errors; drawn around the values by a generator."""
    values, errors = np.asarray(values, dtype=float), np.asarray(errors, dtype=float)
    if generator is None:
        blocks = np.where(np.arange(BLOCKS) % 2, 1, -1)[:, None] * errors * (BLOCKS - 1) ** 0.5 + values
    else:
        blocks = generator.normal(values, errors * BLOCKS**0.5, (BLOCKS, len(values)))
    left_out = [np.delete(blocks, block, axis=0).mean(0) for block in range(BLOCKS)]
    return Replicates(blocks.mean(0), left_out)


def above(part, limit, as_share=False):
    return count_of([(1.0, part)], limit, True, as_share)


def test_bounds_are_of_the_numbers_that_are_surely_and_possibly_beyond():
    """By hand: an interval for each number, wide enough that all of them hold their numbers in 95 % of cases."""
    values, errors = np.array([0.1, 0.45, 0.52, 0.58, 0.9]), np.array([0.02, 0.03, 0.03, 0.03, 0.05])
    half = t.ppf(1 - 0.05 / len(values) / 2, BLOCKS - 1) * errors
    low, high = (values - half > 0.5).sum(), (values + half > 0.5).sum()
    assert (low, high) == (1, 4)
    assert above(with_errors(values, errors), 0.5).bounds() == (low, high)
    assert above(with_errors(values, errors), 0.5, as_share=True).bounds() == pytest.approx((low / 5, high / 5))
    below = count_of([(1.0, with_errors(values, errors))], 0.5, False, False)
    assert below.bounds() == (5 - high, 5 - low)


def test_numbers_without_variation_are_exact():
    count = above(with_errors([0.4, 0.5, 0.6], [0, 0, 0]), 0.5)
    assert count.bounds() == (1, 1)
    assert count.test(lambda low, high: (low > 0) - (high < 1)) == (1, 0.0)


def test_numbers_without_an_interval_give_no_bounds():
    count = above(Replicates(np.array([0.4, 0.6])), 0.5)
    assert np.isnan(count.bounds()).all()
    assert np.isnan(count.test(lambda low, _: int(low > 0))[1])


def test_the_p_value_is_the_level_at_which_the_bounds_leave_the_threshold():
    part = with_errors([0.1, 0.56, 0.57, 0.3], [0.02, 0.02, 0.02, 0.02])
    second = 2 * t.sf(0.06 / 0.02, BLOCKS - 1)  # the second largest has to be beyond, too, for a count above 1
    side, p = above(part, 0.5).test(lambda low, high: (low > 1) - (high <= 1))
    assert (side, p) == (1, pytest.approx(4 * second, rel=1e-4))
    assert half_widths(1, 0.05) == pytest.approx(1)
    assert half_widths(-1, 0.05) == pytest.approx(-1)


def test_several_sums_have_bounds_each():
    """Heads above .5 in each of two layers; the seeds' intervals hold for both layers at once."""
    layers = np.array([[1, 1, 0, 0], [0, 0, 1, 1]])
    counts = [replace(above(with_errors(v, [0, 0, 0, 0.1]), 0.5), weights=layers) for v in ([0.4, 0.6, 0.6, 0.6],) * 2]
    low, high = counts[0].bounds()
    assert (low.tolist(), high.tolist()) == ([1, 1], [1, 2])
    counts[1] = replace(counts[0], counted=np.array([True, True, True, True]))
    low, high = mean_of_counts(counts).bounds()
    margin = t.ppf(1 - 0.05 / 2 / 2 / 2, 1) * 0.5
    assert (low, high) == (pytest.approx([1.5 - margin, 1]), pytest.approx([1.5 + margin, 2]))


@pytest.mark.parametrize("shared", [False, True])
def test_bounds_hold_the_true_count(shared):
    """36 heads, some of them near the limit, whose errors are independent or the same."""
    generator = np.random.default_rng(3)
    true = np.concatenate([np.full(10, 0.2), np.linspace(0.44, 0.56, 21), np.full(5, 0.8)])
    held, width = [], []
    for _ in range(300):
        part = with_errors(true, np.full(36, 0.02), generator)
        if shared:
            moved = with_errors([0.0], [0.02], generator)
            part = Replicates(true + moved.whole, [true + left_out for left_out in moved.left_out])
        low, high = above(part, 0.5).bounds()
        held.append(low <= (true > 0.5).sum() <= high)
        width.append(high - low)
    assert np.mean(held) >= 0.95
    assert 0 < np.mean(width) < 25


def test_the_difference_to_several_seeds_varies_with_them():
    exact = [above(with_errors(np.full(10, 0.4) + 0.2 * (np.arange(10) < n), np.zeros(10)), 0.5) for n in (9, 7, 8, 6)]
    trained, *seeds = exact
    assert (trained - seeds[0]).bounds() == (2, 2)
    difference = trained - mean_of_counts(seeds)
    margin = t.ppf(1 - 0.05 / 4, 2) * np.std([7, 8, 6], ddof=1) / 3**0.5
    assert difference.bounds() == pytest.approx((2 - margin, 2 + margin))
    alike = trained - mean_of_counts([seeds[0]] * 3)
    assert alike.bounds() == pytest.approx((2, 2))
    assert alike.test(lambda low, high: (low > 0) - (high < 0)) == (1, 0.0)
