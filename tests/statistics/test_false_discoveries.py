"""The largest significant p-value of many tests."""

import numpy as np
import pytest
from scipy.stats import false_discovery_control, t

from bert_attention.statistics.false_discoveries import largest_p_value


@pytest.mark.parametrize("seed", range(5))
def test_significant_p_values_equal_those_of_scipy(seed):
    generator = np.random.default_rng(seed)
    p_values = generator.beta(0.3, 1, generator.integers(1, 80))
    bound = largest_p_value(p_values, 0.05)
    np.testing.assert_array_equal(p_values <= bound, false_discovery_control(p_values) <= 0.05)
    assert bound == pytest.approx(0.05 * max(1, (p_values <= bound).sum()) / len(p_values))


def test_without_a_small_p_value_the_limit_is_the_level_over_their_number():
    assert largest_p_value([0.2, 0.4, 0.9, 1.0], 0.05) == pytest.approx(0.05 / 4)
    assert largest_p_value([], 0.05) == 0.05


@pytest.mark.parametrize("share", [0.0, 0.5, 0.9])
def test_at_most_5_per_cent_of_conclusions_are_wrong_if_facts_share_blocks(share):
    """Simulate 60 facts on the same 20 blocks: 40 have no effect, and 20 a large one."""
    generator = np.random.default_rng(7)
    wrong = []
    for _ in range(400):
        true = np.where(np.arange(60) < 20, 1.0, 0.0)
        common = generator.normal(size=(20, 1)) * generator.choice([-1, 1], 60)
        blocks = true + share**0.5 * common + (1 - share) ** 0.5 * generator.normal(size=(20, 60))
        size = blocks.mean(0) / (blocks.std(0, ddof=1) / 20**0.5)
        p_values = 2 * t.sf(abs(size), 19)
        found = p_values <= largest_p_value(p_values, 0.05)
        wrong.append((found & (true == 0)).sum() / max(found.sum(), 1))
    assert np.mean(wrong) < 0.05
