"""The chance that the best of many systems, all worth nothing, scores as much: how often it is small, and for whom."""

import numpy as np
import pytest

from bert_attention.statistics.held_out import chance_of_best
from bert_attention.statistics.sums import Sums

SYSTEMS, UNITS = 30, 200


def mean(sums):
    return sums["x"] / sums["n"][..., None]


def chances(repetitions, worth=0.0, shared=0.0):
    """Return the score of the best of several systems, whose units score at random around the systems' true scores."""
    random = np.random.default_rng(5)
    for _ in range(repetitions):
        scores = random.normal(worth, 1, (UNITS, SYSTEMS)) + random.normal(0, 1, (UNITS, 1)) * shared
        yield chance_of_best(Sums.of(({"x": unit, "n": 1} for unit in scores), range(UNITS)), mean)


@pytest.mark.parametrize("shared", [0.0, 2.0])
def test_it_is_small_as_seldom_as_it_says(shared):
    found = np.array(list(chances(300, shared=shared)))
    assert (found < 0.05).mean() == pytest.approx(0.05, abs=0.03)
    assert (found < 0.5).mean() == pytest.approx(0.5, abs=0.1)


def test_systems_that_are_worth_less_do_not_make_it_smaller():
    assert min(chances(30, worth=-0.5)) > 0.5


def test_one_that_is_worth_much_is_no_chance_also_without_a_block():
    worth = np.zeros(SYSTEMS)
    worth[7] = 0.6
    (found,) = chances(1, worth=worth)
    assert found == pytest.approx(1 / 5001)
    sums = Sums.of(({"x": np.array([1.0, 0.0]), "n": 1} for _ in range(40)), range(40))
    assert chance_of_best(sums.without(3), mean) == pytest.approx(1 / 5001)  # every block says the same


def test_a_single_block_tells_nothing():
    assert np.isnan(chance_of_best(Sums.of([{"x": np.ones(2), "n": 1}], [1]), mean))
