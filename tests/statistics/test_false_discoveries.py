"""The largest significant p-value of many tests."""

import numpy as np
import pytest
from scipy.stats import false_discovery_control

from bert_attention.statistics.false_discoveries import largest_p_value


@pytest.mark.parametrize("seed", range(5))
def test_the_same_p_values_are_significant_as_by_scipy(seed):
    generator = np.random.default_rng(seed)
    p_values = generator.beta(0.3, 1, generator.integers(1, 80))
    bound = largest_p_value(p_values, 0.05)
    np.testing.assert_array_equal(p_values <= bound, false_discovery_control(p_values) <= 0.05)
    assert bound == pytest.approx(0.05 * max(1, (p_values <= bound).sum()) / len(p_values))


def test_the_bound_without_a_small_p_value():
    assert largest_p_value([0.2, 0.4, 0.9, 1.0], 0.05) == pytest.approx(0.05 / 4)
    assert largest_p_value([], 0.05) == 0.05
