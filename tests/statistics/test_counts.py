"""Counts of estimated numbers beyond a limit, with bounds."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import t

from bert_attention.statistics.counts import count_beyond, half_widths, mean_of_counts
from bert_attention.statistics.jackknife import Replicates

BLOCKS = 20


def with_errors(values, errors):
    """Return numbers with these standard errors by the jackknife."""
    blocks = np.where(np.arange(BLOCKS) % 2, 1, -1)[:, None] * np.array(errors) * (BLOCKS - 1) ** 0.5 + values
    return Replicates(blocks.mean(0), [np.delete(blocks, block, axis=0).mean(0) for block in range(BLOCKS)])


def above(part, limit=0.5, as_share=False):
    return count_beyond([(1.0, part)], limit, True, as_share)


def test_bounds_count_the_numbers_that_are_surely_and_possibly_beyond():
    values, errors = np.array([0.1, 0.45, 0.52, 0.58, 0.9]), np.array([0.02, 0.03, 0.03, 0.03, 0.05])
    half = t.ppf(1 - 0.05 / len(values) / 2, BLOCKS - 1) * errors  # so that all intervals hold in 95% of cases
    low, high = (values - half > 0.5).sum(), (values + half > 0.5).sum()
    assert (low, high) == (1, 4)
    part = with_errors(values, errors)
    assert above(part).bounds() == (low, high)
    assert above(part, as_share=True).bounds() == pytest.approx((low / 5, high / 5))
    assert count_beyond([(1.0, part)], 0.5, False, False).bounds() == (5 - high, 5 - low)


def test_numbers_without_variation_are_exact_and_numbers_without_interval_have_no_bounds():
    count = above(with_errors([0.4, 0.5, 0.6], [0, 0, 0]))
    assert count.bounds() == (1, 1)
    assert count.test(lambda low, high: (low > 0) - (high < 1)) == (1, 0.0)
    count = above(Replicates(np.array([0.4, 0.6])))
    assert np.isnan(count.bounds()).all()
    assert np.isnan(count.test(lambda low, _: int(low > 0))[1])


def test_the_p_value_is_the_level_at_which_the_bounds_exclude_the_threshold():
    part = with_errors([0.1, 0.56, 0.57, 0.3], [0.02, 0.02, 0.02, 0.02])
    second = 2 * t.sf(0.06 / 0.02, BLOCKS - 1)  # a count above 1 needs the second largest number, too
    side, p = above(part).test(lambda low, high: (low > 1) - (high <= 1))
    assert (side, p) == (1, pytest.approx(4 * second, rel=1e-4))
    assert above(part).test(lambda low, high: 0) == (0, 1.0)
    assert (half_widths(1, 0.05), half_widths(-1, 0.05)) == (pytest.approx(1), pytest.approx(-1))


def test_each_of_several_sums_has_bounds():
    """Heads above .5 in each of two layers. The intervals over seeds cover both layers at once."""
    layers = np.array([[1, 1, 0, 0], [0, 0, 1, 1]])
    first = replace(above(with_errors([0.4, 0.6, 0.6, 0.6], [0, 0, 0, 0.1])), weights=layers)
    low, high = first.bounds()
    assert (low.tolist(), high.tolist()) == ([1, 1], [1, 2])
    second = replace(first, counted=np.array([True, True, True, True]))
    low, high = mean_of_counts([first, second]).bounds()
    margin = t.ppf(1 - 0.05 / 2 / 2 / 2, 1) * 0.5
    assert (low, high) == (pytest.approx([1.5 - margin, 1]), pytest.approx([1.5 + margin, 2]))


def test_the_difference_from_several_seeds_varies_with_the_seeds():
    trained, *seeds = (above(with_errors(np.where(np.arange(10) < n, 0.6, 0.4), np.zeros(10))) for n in (9, 7, 8, 6))
    assert (trained - seeds[0]).bounds() == (2, 2)
    margin = t.ppf(1 - 0.05 / 4, 2) * np.std([7, 8, 6], ddof=1) / 3**0.5
    assert (trained - mean_of_counts(seeds)).bounds() == pytest.approx((2 - margin, 2 + margin))
    same = trained - mean_of_counts([seeds[0]] * 3)
    assert same.bounds() == pytest.approx((2, 2))
    assert same.test(lambda low, high: (low > 0) - (high < 0)) == (1, 0.0)
