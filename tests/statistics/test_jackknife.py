"""The jackknife against formulas, and in what share of simulated corpora its intervals hold the truth."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import norm, t

from bert_attention.statistics.jackknife import (
    Replicates,
    estimate,
    interval,
    joined,
    of_control,
    of_tables,
    over_seeds,
    stacked,
    tabulated,
)
from bert_attention.statistics.joint_counts import spearman
from bert_attention.statistics.sums import Sums
from bert_attention.statistics.tables import with_intervals
from tests.replicates import within
from tests.statistics.blocks import coverage, interval_of, sums_of_blocks

CORPORA = 2000


@pytest.mark.parametrize(("units", "blocks"), [(200, 20), (20, 20), (9, 9), (8, 8)])
def test_a_mean_has_the_standard_error_of_the_means_of_blocks(units, blocks):
    x = np.random.default_rng(0).gamma(2, size=units)
    found = interval_of(lambda sums: sums["x"] / sums["n"], sums_of_blocks(x=x))
    means = x.reshape(blocks, -1).mean(1)
    margin = t.ppf(0.975, blocks - 1) * means.std(ddof=1) / np.sqrt(blocks)
    assert np.ravel(found) == pytest.approx([x.mean(), x.mean() - margin, x.mean() + margin])


def test_a_ratio_of_many_units_has_the_standard_error_of_its_linear_part():
    """Cochran 1977, section 6.3: that of the mean of (y - r x) / mean(x)."""
    random = np.random.default_rng(1)
    total = 1 + random.poisson(8, 20_000)
    hits = random.binomial(total, random.beta(6, 4, 20_000))
    found = interval_of(lambda sums: sums["hits"] / sums["total"], sums_of_blocks(hits=hits, total=total))
    residuals = (hits - hits.sum() / total.sum() * total) / total.mean()
    margin = t.ppf(0.975, 19) * residuals.reshape(20, -1).mean(1).std(ddof=1) / np.sqrt(20)
    assert (found.high - found.low).item() == pytest.approx(2 * margin, rel=0.01)


@pytest.mark.parametrize("units", [1, 2, 7])
def test_fewer_than_eight_units_have_no_interval(units):
    found = interval_of(lambda sums: sums["x"], sums_of_blocks(x=np.arange(float(units))))
    assert found.value == np.arange(units).sum() and np.isnan([found.low, found.high]).all()


def test_seeds_make_no_interval_of_what_varies_over_too_few_units():
    tables = [tabulated(lambda sums: pd.DataFrame({"x": [sums["x"]]}), sums_of_blocks(x=x)) for x in np.eye(3)]
    found = interval(lambda table: table["x"].to_numpy(), over_seeds(tables))
    assert np.isnan([found.low, found.high]).all()


@pytest.mark.parametrize(
    ("is_shuffled", "lowest", "highest"), [(False, 0.93, 0.97), (True, 0.5, 0.8)], ids=["whole clusters", "split"]
)
def test_intervals_hold_the_truth_if_no_block_splits_a_cluster(is_shuffled, lowest, highest):
    """Articles of 1 to 19 segments, which have half of their variance in common."""
    random = np.random.default_rng(4)
    clusters = np.repeat(np.arange(100), random.integers(1, 20, 100))
    x = random.normal(size=(100, CORPORA))[clusters] + random.normal(size=(len(clusters), CORPORA))
    if is_shuffled:
        x = x[random.permutation(len(x))]
    sums = Sums.of_arrays({"x": x, "n": np.ones((len(x), 1))}, clusters)
    assert lowest <= coverage(interval_of(lambda sums: sums["x"] / sums["n"], sums), 0) <= highest


def test_a_table_of_too_few_units_says_why_it_has_no_interval():
    table = tabulated(lambda sums: pd.DataFrame({"value": [0.5]}), sums_of_blocks(x=np.ones(5)))
    with pytest.warns(
        UserWarning, match="parser_accuracy: 5 independent texts are too few for intervals, which need 8"
    ):
        with_intervals(table, "parser_accuracy")


def test_what_has_no_value_without_a_block_has_no_interval():
    found = interval_of(lambda sums: sums["x"] if sums["n"] == 20 else np.nan, sums_of_blocks(x=np.ones(20)))
    assert found.value == 20 and np.isnan([found.low, found.high]).all()


# Each: what units are, as arrays [unit, corpus] by name; the number; its true value.
def normal(random, *size):
    return {"x": random.normal(1, 2, size)}


def skewed(random, *size):
    return {"x": random.gamma(2, 0.5, size)}


def counts(random, *size):
    """Documents of different length, some easier than others."""
    total = 1 + random.poisson(6, size)
    return {"hits": random.binomial(total, random.beta(6, 4, size)), "total": total}


def pairs(random, *size):
    """Two values with a correlation of .6, and the products that it is made of."""
    x = random.normal(3, 1, size)
    y = 3 + 0.6 * (x - 3) + 0.8 * random.normal(0, 1, size)
    return {"x": x, "y": y, "xx": x * x, "yy": y * y, "xy": x * y}


def two_heads(random, *size):
    """Two heads that err on the same sentences."""
    ease = random.beta(1.5, 1, size)
    return {"one": random.binomial(10, ease), "other": random.binomial(10, 0.9 * ease)}


def binned_pairs(random, *size):
    """Joint counts of two values with a correlation of .6, of 10 pairs a unit, in 8 bins each."""
    edges = norm.ppf(np.arange(1, 8) / 8)
    x = random.normal(0, 1, (*size, 10))
    y = 0.6 * x + 0.8 * random.normal(0, 1, x.shape)
    cells = np.searchsorted(edges, x) * 8 + np.searchsorted(edges, y)
    return {"joint": (cells[..., None] == np.arange(64)).sum(-2).reshape(*size, 8, 8)}


def mean(sums):
    return sums["x"] / sums["n"]


def pearson(sums):
    x, y, xx, yy, xy = (sums[name] / sums["n"] for name in ("x", "y", "xx", "yy", "xy"))
    return (xy - x * y) / np.sqrt((xx - x**2) * (yy - y**2))


@pytest.mark.parametrize(
    ("units", "drawn", "number", "truth"),
    [
        (100, normal, mean, 1),
        (500, skewed, mean, 1),
        (100, counts, lambda sums: sums["hits"] / sums["total"], 0.6),
        (200, pairs, pearson, 0.6),
        (100, binned_pairs, lambda sums: spearman(sums["joint"]), None),
        (100, two_heads, lambda sums: (sums["one"] - sums["other"]) / sums["n"] / 10, 0.06),
        (100, two_heads, lambda sums: sums["other"] / sums["one"], 0.9),
    ],
    ids=["mean", "skewed", "ratio", "pearson", "spearman", "difference", "ratio of two"],
)
def test_intervals_hold_the_truth_in_95_per_cent_of_corpora(units, drawn, number, truth):
    corpora = CORPORA if truth is not None else 1000
    random = np.random.default_rng(2)
    units_of_corpora = drawn(random, units, corpora)
    sums = sums_of_blocks(**units_of_corpora)
    sums = Sums(sums.arrays | {"n": sums.arrays["n"][:, None]})
    if truth is None:  # of all corpora together
        truth = number({name: sums[name].sum(0, keepdims=True) for name in units_of_corpora}).item()
    assert 0.93 <= coverage(interval_of(number, sums), truth) <= 0.97


def test_a_difference_of_paired_things_is_narrower_than_their_intervals_say():
    sums = sums_of_blocks(**two_heads(np.random.default_rng(3), 200))
    one, other, both = (
        interval_of(number, sums)
        for number in (lambda s: s["one"], lambda s: s["other"], lambda s: s["one"] - s["other"])
    )
    unpaired = np.hypot(one.high - one.low, other.high - other.low)
    assert (both.high - both.low) < 0.7 * unpaired


def test_a_question_to_two_tables_of_the_same_blocks_is_paired():
    sums = sums_of_blocks(**two_heads(np.random.default_rng(3), 200))
    tables = [
        tabulated(lambda s, name=name: pd.DataFrame({"value": [s[name] / s["n"]]}), sums) for name in ("one", "other")
    ]
    asked = interval(lambda one, other: (one - other)["value"].item(), *tables)
    assert np.ravel(asked) == pytest.approx(np.ravel(interval_of(lambda s: (s["one"] - s["other"]) / s["n"], sums)))


def one_row(value):
    return pd.DataFrame({"value": [value]})


def test_a_table_of_another_number_of_rows_without_a_block_is_refused():
    def table(sums):
        return pd.DataFrame({"value": np.ones(int(sums["n"]))})

    with pytest.raises(ValueError, match="without a block the table has 19 rows, with all 20"):
        tabulated(table, sums_of_blocks(x=np.ones(20)))


def test_several_tables_of_one_analysis_have_their_own_replicates():
    sums = sums_of_blocks(x=np.arange(40.0))
    made = tabulated(lambda sums: {"a": one_row(sums["x"]), "b": one_row(sums["n"])}, sums)
    assert [table["value"].item() for table in made["b"].left_out] == [38] * 20
    assert made["a"].whole["value"].item() == 780


def test_tables_of_other_tables_are_made_of_the_same_replicates():
    first = Replicates(one_row(1.0), [one_row(2.0), one_row(3.0)])
    second = Replicates(one_row(10.0))
    made = of_tables(lambda a, b: a + b, True, a=first, b=second)
    assert [table["value"].item() for table in (made.whole, *made.left_out)] == [11, 12, 13]
    assert of_tables(lambda a, b: a + b, False, a=first, b=second).left_out == []


def test_tasks_of_fewer_units_stay_as_they_are_where_they_have_no_block():
    made = joined(
        {"rte": Replicates(one_row(1.0), [one_row(2.0)]), "qqp": Replicates(one_row(5.0), [one_row(6.0)] * 3)}
    )
    assert made.whole["task"].tolist() == ["rte", "qqp"]
    assert [table["value"].tolist() for table in made.left_out] == [[2, 6], [1, 6], [1, 6]]


def test_a_control_has_the_rows_of_each_seed_below_each_other():
    tables = {seed: Replicates(one_row(float(seed)), [one_row(seed + 0.5)]) for seed in (1, 2)}
    made = joined({str(seed): {"a": table, "b": table} for seed, table in tables.items()})
    assert list(made) == ["a", "b"]
    assert [*made["b"].whole] == ["seed", "value"]
    assert made["b"].whole.to_numpy().tolist() == [[1, 1], [2, 2]]
    assert made["b"].left_out[0].to_numpy().tolist() == [[1, 1.5], [2, 2.5]]
    second = of_control(made["a"], "2")
    pd.testing.assert_frame_equal(second.whole, tables[2].whole)
    pd.testing.assert_frame_equal(second.left_out[0], tables[2].left_out[0])


def test_a_control_of_tasks_has_a_column_for_either():
    made = joined({f"{seed}/{task}": Replicates(one_row(1.0)) for seed in (1, 2) for task in ("rte", "qqp")})
    assert made.whole[["seed", "task"]].to_numpy().tolist() == [[1, "rte"], [1, "qqp"], [2, "rte"], [2, "qqp"]]
    assert of_control(made, "1").whole["task"].tolist() == ["rte", "qqp"]


def test_rows_are_chosen_of_all_replicates_at_once():
    table = stacked(
        [Replicates(one_row(v), [one_row(v + 1)], [one_row(v - 1), one_row(v + 2)]) for v in (1.0, 2.0, 3.0)]
    )
    rows = table.all_rows
    chosen = table.split(rows[rows["value"] >= 3])
    assert chosen.whole["value"].tolist() == [3]
    assert [part["value"].tolist() for part in chosen.left_out] == [[3, 4]]
    assert [part["value"].tolist() for part in chosen.of_seeds] == [[], [3, 4, 5]]


def test_a_p_value_is_the_level_whose_interval_ends_at_the_threshold():
    table = within(pd.DataFrame({"number": [0.5, 0.3]}), number=0.1)
    found = estimate(lambda rows: rows["number"], table)
    np.testing.assert_allclose(found.p_value(np.array([0.4, 0.4])), [0.05, 0.05])
    np.testing.assert_allclose(found.interval().low, [0.4, 0.2])
    error = 0.1 / t.ppf(0.975, 19)
    by_hand = [2 * t.sf(abs(value - 0.1) / error, 19) for value in (0.5, 0.3)]
    np.testing.assert_allclose(found.p_value(0.1), by_hand)
    np.testing.assert_allclose(found.margin(1 - by_hand[1]), [0.2, 0.2])


def test_p_values_of_numbers_without_variation_or_interval():
    same = Replicates(pd.Series([0.5, 0.3]), [pd.Series([0.5, 0.3])] * 20)
    assert estimate(np.asarray, same).p_value(0.3).tolist() == [0, 1]
    assert np.isnan(estimate(np.asarray, Replicates(pd.Series([0.5]))).p_value()).all()


def test_a_table_of_too_few_blocks_has_no_interval_beside_one_of_enough():
    few, enough = (
        tabulated(lambda sums: pd.DataFrame({"x": [sums["x"] / sums["n"]]}), sums_of_blocks(x=np.arange(float(units))))
        for units in (5, 40)
    )
    found = interval(lambda table: table["x"].to_numpy(), stacked([few, enough]))
    assert np.isnan(found.low).tolist() == np.isnan(found.high).tolist() == [True, False]
    difference = interval(lambda a, b: a["x"].to_numpy() - b["x"].to_numpy(), few, enough)
    assert difference.value == 2 - 19.5 and np.isnan([difference.low, difference.high]).all()


def test_a_table_of_a_task_keeps_one_column_for_the_task():
    table = Replicates(pd.DataFrame({"task": ["rte"], "x": [1.0]}))
    assert list(joined({"rte": table}).whole.columns) == ["task", "x"]
