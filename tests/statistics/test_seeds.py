"""Intervals of trained models, which vary by units and by seeds."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import t

from bert_attention.statistics.jackknife import Replicates, interval, over_seeds, stacked, tabulated
from bert_attention.statistics.sums import Sums

UNITS, BLOCKS = 60, 20


def table_of(scores):
    """Return a table with the mean and the mean square of a seed's scores ``[unit]``."""

    def table(sums):
        values = [sums["x"] / sums["n"], sums["xx"] / sums["n"]]
        return pd.DataFrame({"measure": ["mean", "square"], "value": values, "n": sums["n"]})

    return tabulated(table, Sums.of(({"x": x, "xx": x * x, "n": 1} for x in scores), range(len(scores))))


def values(table):
    return table["value"].to_numpy()


def reference(scores):
    """Return the interval of the mean of scores ``[seed, unit]`` by the textbook's formulas."""
    seeds = len(scores)
    of_units = scores.mean(0).reshape(BLOCKS, -1).mean(1).var(ddof=1) / BLOCKS
    between = scores.mean(1).var(ddof=1) / seeds
    freedom = (of_units + between) ** 2 / (of_units**2 / (BLOCKS - 1) + between**2 / (seeds - 1))
    margin = t.ppf(0.975, freedom) * np.sqrt(of_units + between)
    return scores.mean() - margin, scores.mean() + margin


@pytest.mark.parametrize("seeds", [2, 3])
def test_the_variance_of_the_mean_over_seeds_is_added(seeds):
    random = np.random.default_rng(seeds)
    scores = random.normal(size=UNITS) + random.normal(0, 0.2, (seeds, 1)) + random.normal(0, 0.3, (seeds, UNITS))
    table = over_seeds([table_of(of_seed) for of_seed in scores])
    found = interval(values, table)
    assert found.value == pytest.approx([scores.mean(), (scores**2).mean()])
    assert (found.low[0], found.high[0]) == pytest.approx(reference(scores))
    assert table.whole[["measure", "n"]].to_numpy().tolist() == [["mean", UNITS], ["square", UNITS]]
    assert [of_seed["value"][0] for of_seed in table.of_seeds] == pytest.approx(scores.mean(1))
    assert over_seeds([table]) is table


def test_rows_of_fewer_seeds_keep_their_interval_beside_rows_of_more():
    random = np.random.default_rng(4)
    scores = random.normal(size=UNITS) + random.normal(size=(3, 1))
    two, three = (over_seeds([table_of(of_seed) for of_seed in scores[:seeds]]) for seeds in (2, 3))
    untrained = table_of(scores[0])
    together = interval(values, stacked([two, three, untrained]))
    for rows, table in ((slice(0, 2), two), (slice(4, 6), untrained)):
        alone = interval(values, table)
        assert (together.low[rows], together.high[rows]) == (pytest.approx(alone.low), pytest.approx(alone.high))


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


@pytest.mark.parametrize(("seeds", "spread", "expected"), [(2, 1, 0.95), (2, 10, 0.88), (3, 10, 0.93)])
def test_intervals_cover_the_truth(seeds, spread, expected):
    """Intervals cover the truth in 95% of runs, and in fewer if few seeds vary much more than the units."""
    assert covered(seeds, spread) == pytest.approx(expected, abs=0.02)
