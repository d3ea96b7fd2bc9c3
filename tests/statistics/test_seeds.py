"""Intervals of what is trained: units and seeds."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import t

from bert_attention.statistics.jackknife import Replicates, interval, over_seeds, stacked, tabulated
from bert_attention.statistics.sums import Sums

UNITS, BLOCKS = 60, 20


def table_of(scores):
    """Two rows and their replicates: mean and mean square of a seed's scores ``[unit]``."""

    def table(sums):
        values = [sums["x"] / sums["n"], sums["xx"] / sums["n"]]
        return pd.DataFrame({"measure": ["mean", "square"], "value": values, "n": sums["n"]})

    return tabulated(table, Sums.of(({"x": x, "xx": x * x, "n": 1} for x in scores), range(len(scores))))


def values(table):
    return table["value"].to_numpy()


def by_hand(scores):
    """The interval of the mean over seeds and units ``[seed, unit]``, from the textbook's formulas."""
    seeds = len(scores)
    block_means = scores.mean(0).reshape(BLOCKS, -1).mean(1)
    of_units = block_means.var(ddof=1) / BLOCKS
    between = scores.mean(1).var(ddof=1) / seeds
    freedom = (of_units + between) ** 2 / (of_units**2 / (BLOCKS - 1) + between**2 / (seeds - 1))
    margin = t.ppf(0.975, freedom) * np.sqrt(of_units + between)
    return scores.mean() - margin, scores.mean() + margin


@pytest.mark.parametrize("seeds", [2, 3])
def test_the_variance_between_seeds_over_their_number_is_added_to_that_of_units(seeds):
    random = np.random.default_rng(seeds)
    scores = random.normal(size=UNITS) + random.normal(0, 0.2, (seeds, 1)) + random.normal(0, 0.3, (seeds, UNITS))
    table = over_seeds([table_of(of_seed) for of_seed in scores])
    found = interval(values, table)
    assert found.value == pytest.approx([scores.mean(), (scores**2).mean()])
    assert (found.low[0], found.high[0]) == pytest.approx(by_hand(scores))
    assert table.whole["measure"].tolist() == ["mean", "square"]
    assert table.whole["n"].tolist() == [UNITS, UNITS]
    assert [of_seed["value"][0] for of_seed in table.of_seeds] == pytest.approx(scores.mean(1))


def test_a_single_seed_has_the_interval_of_its_units():
    scores = np.random.default_rng(0).normal(size=UNITS)
    one, units = over_seeds([table_of(scores)]), table_of(scores)
    np.testing.assert_array_equal(interval(values, one), interval(values, units))
    assert not one.of_seeds


def test_what_has_fewer_seeds_hides_no_variance_beside_what_has_more():
    """Rows of two seeds keep their interval, beside rows of three seeds and of something that is not trained."""
    random = np.random.default_rng(4)
    scores = random.normal(size=UNITS) + random.normal(size=(3, 1))
    two, three = (over_seeds([table_of(of_seed) for of_seed in scores[:seeds]]) for seeds in (2, 3))
    together = interval(values, stacked([two, three, table_of(scores[0])]))
    alone = interval(values, two)
    assert (together.low[:2], together.high[:2]) == (pytest.approx(alone.low), pytest.approx(alone.high))
    untrained = interval(values, table_of(scores[0]))
    assert (together.low[4:], together.high[4:]) == (pytest.approx(untrained.low), pytest.approx(untrained.high))


def covered(seeds, spread, repetitions=2000):
    """Return the coverage of the interval, if seeds vary ``spread`` times as much as the mean of the units."""
    random = np.random.default_rng(0)
    blocks = random.normal(size=(BLOCKS, repetitions))
    effects = random.normal(0, spread / np.sqrt(BLOCKS), (seeds, 1, repetitions))
    by_seed = [
        Replicates(
            pd.DataFrame({"value": scores.mean(0)}),
            [pd.DataFrame({"value": np.delete(scores, block, 0).mean(0)}) for block in range(BLOCKS)],
        )
        for scores in blocks + effects
    ]
    found = interval(values, over_seeds(by_seed))
    return ((found.low < 0) & (found.high > 0)).mean()


@pytest.mark.parametrize(
    ("seeds", "spread", "expected"),
    [
        (2, 0, 0.95),
        (2, 1, 0.95),
        (2, 10, 0.88),
        (3, 0.3, 0.95),
        (3, 1, 0.95),
        (3, 10, 0.93),
        (5, 1, 0.95),
        (5, 10, 0.945),
    ],
)
def test_intervals_cover_the_truth(seeds, spread, expected):
    """As often as they say; a little less often where all is up to very few seeds."""
    assert covered(seeds, spread) == pytest.approx(expected, abs=0.02)
