"""The jackknife against formulas, and the coverage of its intervals in simulated corpora."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import norm, t

from bert_attention.statistics import jackknife
from bert_attention.statistics.jackknife import Replicates, estimate, interval, joined, over_seeds, stacked, tabulated
from bert_attention.statistics.joint_counts import spearman
from bert_attention.statistics.sums import Sums, blocks_of
from bert_attention.statistics.tables import read_replicates, with_intervals, write_table
from tests.replicates import within
from tests.statistics.blocks import coverage, interval_of, sums_of_blocks

CORPORA = 1000


@pytest.mark.parametrize(("units", "blocks"), [(200, 20), (9, 9), (8, 8)])
def test_a_mean_has_the_standard_error_of_the_means_of_blocks(units, blocks):
    x = np.random.default_rng(0).gamma(2, size=units)
    found = interval_of(lambda sums: sums["x"] / sums["n"], sums_of_blocks(x=x))
    means = x.reshape(blocks, -1).mean(1)
    margin = t.ppf(0.975, blocks - 1) * means.std(ddof=1) / np.sqrt(blocks)
    assert np.ravel(found) == pytest.approx([x.mean(), x.mean() - margin, x.mean() + margin])


def test_some_numbers_have_no_interval():
    def sum_of_20(sums):
        return sums["x"] if sums["n"] == 20 else np.nan

    found = [interval_of(lambda sums: sums["x"], sums_of_blocks(x=np.ones(units))) for units in (1, 2, 7)]
    found.append(interval_of(sum_of_20, sums_of_blocks(x=np.ones(20))))  # has no value if a block is left out
    tables = [tabulated(lambda sums: pd.DataFrame({"x": [sums["x"]]}), sums_of_blocks(x=x)) for x in np.eye(3)]
    found.append(interval(lambda table: table["x"].to_numpy(), over_seeds(tables)))  # over several seeds
    assert [value.item() for value, _, _ in found] == [1, 2, 7, 20, 1]
    assert np.isnan([(low, high) for _, low, high in found]).all()


def test_a_warning_says_why_a_table_has_no_intervals():
    table = tabulated(lambda sums: pd.DataFrame({"value": [0.5]}), sums_of_blocks(x=np.ones(5)))
    with pytest.warns(UserWarning, match="parser_accuracy: too few independent texts for intervals, which need 8"):
        with_intervals(table, "parser_accuracy")


@pytest.mark.parametrize("is_shuffled", [False, True])
def test_intervals_cover_the_truth_if_no_block_splits_a_cluster(is_shuffled):
    """Articles of 1 to 19 segments, which share half of their variance."""
    random = np.random.default_rng(4)
    clusters = np.repeat(np.arange(100), random.integers(1, 20, 100))
    x = random.normal(size=(100, CORPORA))[clusters] + random.normal(size=(len(clusters), CORPORA))
    x = x[random.permutation(len(x))] if is_shuffled else x
    sums = Sums.of_arrays({"x": x, "n": np.ones((len(x), 1))}, clusters)
    covered = coverage(interval_of(lambda sums: sums["x"] / sums["n"], sums), 0)
    assert covered < 0.8 if is_shuffled else 0.93 <= covered <= 0.97


@pytest.mark.parametrize(
    "sizes",
    [[60] * 8 + [1] * 12, [1, 2, 4, 8, 16, 32, 64, 128, 256, 150, 150, 150, 150, 150, 150]],
    ids=["fragments", "growing"],
)
@pytest.mark.parametrize("between", [0.1, 1.0])
def test_intervals_cover_the_truth_if_documents_differ_in_length(sizes, between):
    """Documents that share some of their variance."""
    random, corpora = np.random.default_rng(6), 8000
    clusters = np.repeat(np.arange(len(sizes)), sizes)
    shared = np.sqrt(between) * random.normal(size=(len(sizes), corpora)) * np.array(sizes)[:, None]
    own = np.sqrt(1 - between) * random.normal(size=(len(sizes), corpora)) * np.sqrt(sizes)[:, None]
    edges = [block.start for block in blocks_of(clusters.tolist())]
    of_block = np.add.reduceat(shared + own, clusters[edges])
    counted = np.add.reduceat(np.ones((len(clusters), 1)), edges)
    found = interval_of(lambda sums: sums["x"] / sums["n"], Sums({"x": of_block, "n": counted}))
    assert 0.94 <= coverage(found, 0) <= 0.96


# Functions that draw units, as arrays [unit, corpus] by name.
def skewed(random, *size):
    return {"x": random.gamma(2, 0.5, size)}


def counts(random, *size):
    """Documents of different length and difficulty."""
    total = 1 + random.poisson(6, size)
    return {"hits": random.binomial(total, random.beta(6, 4, size)), "total": total}


def pairs(random, *size):
    """Two values with a correlation of .6, and their products."""
    x = random.normal(3, 1, size)
    y = 3 + 0.6 * (x - 3) + 0.8 * random.normal(0, 1, size)
    return {"x": x, "y": y, "xx": x * x, "yy": y * y, "xy": x * y}


def two_heads(random, *size):
    """Two heads that err on the same sentences."""
    ease = random.beta(1.5, 1, size)
    return {"one": random.binomial(10, ease), "other": random.binomial(10, 0.9 * ease)}


def binned_pairs(random, *size):
    """Joint counts of two values with a correlation of .6, 10 pairs per unit, in 8 bins each."""
    edges = norm.ppf(np.arange(1, 8) / 8)
    x = random.normal(0, 1, (*size, 10))
    y = 0.6 * x + 0.8 * random.normal(0, 1, x.shape)
    cells = np.searchsorted(edges, x) * 8 + np.searchsorted(edges, y)
    return {"joint": (cells[..., None] == np.arange(64)).sum(-2).reshape(*size, 8, 8)}


def pearson(sums):
    x, y, xx, yy, xy = (sums[name] / sums["n"] for name in ("x", "y", "xx", "yy", "xy"))
    return (xy - x * y) / np.sqrt((xx - x**2) * (yy - y**2))


@pytest.mark.parametrize(
    ("units", "drawn", "number", "truth"),
    [
        (500, skewed, lambda sums: sums["x"] / sums["n"], 1),
        (100, counts, lambda sums: sums["hits"] / sums["total"], 0.6),
        (200, pairs, pearson, 0.6),
        (100, binned_pairs, lambda sums: spearman(sums["joint"]), None),
        (100, two_heads, lambda sums: (sums["one"] - sums["other"]) / sums["n"] / 10, 0.06),
    ],
    ids=["mean", "ratio", "pearson", "spearman", "difference"],
)
def test_intervals_cover_the_truth_in_95_per_cent_of_corpora(units, drawn, number, truth):
    drawn_units = drawn(np.random.default_rng(2), units, CORPORA)
    sums = sums_of_blocks(**drawn_units)
    sums = Sums(sums.arrays | {"n": sums.arrays["n"][:, None]})
    if truth is None:  # the number of all corpora together
        truth = number({name: sums[name].sum(0, keepdims=True) for name in drawn_units}).item()
    assert 0.93 <= coverage(interval_of(number, sums), truth) <= 0.97


def test_a_query_of_two_tables_of_the_same_blocks_is_paired():
    sums = sums_of_blocks(**two_heads(np.random.default_rng(3), 200))
    tables = [tabulated(lambda s, name=name: one_row(s[name] / s["n"]), sums) for name in ("one", "other")]
    found = interval(lambda one, other: (one - other)["value"].item(), *tables)
    assert np.ravel(found) == pytest.approx(np.ravel(interval_of(lambda s: (s["one"] - s["other"]) / s["n"], sums)))


def one_row(value):
    return pd.DataFrame({"value": [value]})


def test_a_replicate_with_another_number_of_rows_is_an_error():
    with pytest.raises(ValueError, match="without a block the table has 19 rows, with all 20"):
        tabulated(lambda sums: pd.DataFrame({"value": np.ones(int(sums["n"]))}), sums_of_blocks(x=np.ones(20)))


def test_several_tables_of_an_analysis_have_their_own_replicates():
    sums = sums_of_blocks(x=np.arange(40.0))
    made = tabulated(lambda sums: {"a": one_row(sums["x"]), "b": one_row(sums["n"])}, sums)
    assert [table["value"].item() for table in made["b"].left_out] == [38] * 20
    assert made["a"].whole["value"].item() == 780


def test_tables_made_from_tables_have_the_same_replicates():
    tables = {"a": Replicates(one_row(1.0), [one_row(2.0), one_row(3.0)]), "b": Replicates(one_row(10.0))}
    made = jackknife.analyze_tables(lambda a, b: a + b, True, **tables)
    assert [table["value"].item() for table in (made.whole, *made.left_out)] == [11, 12, 13]
    assert jackknife.analyze_tables(lambda a, b: a + b, False, **tables).left_out == []


def test_tables_of_tasks_and_controls_are_stacked_with_labels():
    few, more = Replicates(one_row(1.0), [one_row(2.0)]), Replicates(one_row(5.0), [one_row(6.0)] * 3)
    by_task = joined({"rte": few, "qqp": more})
    assert by_task.whole["task"].tolist() == ["rte", "qqp"]
    assert [table["value"].tolist() for table in by_task.left_out] == [[2, 6], [1, 6], [1, 6]]
    assert list(joined({"rte": few.map(lambda table: table.assign(task="rte"))}).whole) == ["task", "value"]

    by_seed = joined({"1": {"a": few, "b": few}, "2": {"a": more, "b": few}})
    assert list(by_seed) == ["a", "b"]
    assert by_seed["a"].whole.to_dict("list") == {"seed": [1, 2], "value": [1, 5]}
    second = jackknife.control_rows(by_seed["a"], "2")
    for found, expected in zip((second.whole, *second.left_out), (more.whole, *more.left_out), strict=True):
        pd.testing.assert_frame_equal(found, expected)

    by_both = joined({f"{seed}/{task}": few for seed in (1, 2) for task in ("rte", "qqp")})
    assert by_both.whole[["seed", "task"]].to_numpy().tolist() == [[1, "rte"], [1, "qqp"], [2, "rte"], [2, "qqp"]]


def test_rows_of_all_replicates_are_split_into_their_tables():
    table = stacked(
        [Replicates(one_row(v), [one_row(v + 1)], [one_row(v - 1), one_row(v + 2)]) for v in (1.0, 2.0, 3.0)]
    )
    chosen = table.split(table.all_rows.query("value >= 3"))
    assert chosen.whole["value"].tolist() == [3]
    assert [part["value"].tolist() for part in chosen.left_out] == [[3, 4]]
    assert [part["value"].tolist() for part in chosen.of_seeds] == [[], [3, 4, 5]]


def test_a_p_value_is_the_level_whose_interval_ends_at_the_threshold():
    table = within(pd.DataFrame({"number": [0.5, 0.3]}), number=0.1)
    found = estimate(lambda rows: rows["number"], table)
    np.testing.assert_allclose(found.p_value(np.array([0.4, 0.4])), [0.05, 0.05])
    np.testing.assert_allclose(found.interval().low, [0.4, 0.2])
    error = 0.1 / t.ppf(0.975, 19)
    expected = [2 * t.sf(abs(value - 0.1) / error, 19) for value in (0.5, 0.3)]
    np.testing.assert_allclose(found.p_value(0.1), expected)
    np.testing.assert_allclose(found.margin(1 - expected[1]), [0.2, 0.2])
    same = Replicates(pd.Series([0.5, 0.3]), [pd.Series([0.5, 0.3])] * 20)
    assert estimate(np.asarray, same).p_value(0.3).tolist() == [0, 1]  # without variation
    assert np.isnan(estimate(np.asarray, Replicates(pd.Series([0.5]))).p_value()).all()


def test_a_table_of_too_few_blocks_has_no_interval_beside_a_table_of_enough():
    few, enough = (
        tabulated(lambda sums: one_row(sums["x"] / sums["n"]), sums_of_blocks(x=np.arange(float(units))))
        for units in (5, 40)
    )
    found = interval(lambda table: table["value"].to_numpy(), stacked([few, enough]))
    assert np.isnan(found.low).tolist() == np.isnan(found.high).tolist() == [True, False]
    difference = interval(lambda a, b: a["value"].to_numpy() - b["value"].to_numpy(), few, enough)
    assert difference.value == 2 - 19.5 and np.isnan([difference.low, difference.high]).all()


def test_a_table_beside_one_of_more_blocks_keeps_its_interval(tmp_path):
    """As with two tasks, of which one has fewer texts."""
    parts = [parser_accuracy_of(units) for units in (8, 40, 13)]
    alone = [with_intervals(part, "parser_accuracy") for part in parts]
    together = stacked(parts)
    assert together.blocks.tolist() == [8, 20, 13]
    write_table(together, tmp_path / "parser_accuracy.csv")
    for table in (together, read_replicates(tmp_path / "parser_accuracy.csv")):
        found = with_intervals(table, "parser_accuracy")
        pd.testing.assert_frame_equal(found, pd.concat(alone, ignore_index=True), check_like=True)
    assert together.where(lambda rows: rows["n"] == 13).fewest_blocks == 13
    assert together.map(lambda rows: rows[rows["n"] == 40]).fewest_blocks == 8  # it does not know which rows are left


def test_a_number_of_two_corpora_has_the_degrees_of_freedom_of_the_smaller():
    small, large = parser_accuracy_of(8), parser_accuracy_of(40)
    constant = large.map(lambda table: table.assign(value=0.5))
    for other in (large, constant):
        of_both = estimate(lambda a, b: a["value"].to_numpy() - b["value"].to_numpy(), small, other)
        of_stacked = estimate(lambda table: np.diff(table["value"]), stacked([small, other]))
        assert of_both.freedom.item() == of_stacked.freedom.item() == 7
    few = estimate(lambda a, b: a["value"].to_numpy() - b["value"].to_numpy(), parser_accuracy_of(7), large)
    assert np.isnan(few.error).all()


def parser_accuracy_of(units):
    x = np.random.default_rng(units).random(units)
    rows = {"parser": "p", "corpus": "c", "input": "words", "measure": "uas", "n": units}
    return tabulated(lambda sums: pd.DataFrame([{**rows, "value": sums["x"] / sums["n"]}]), sums_of_blocks(x=x))


def test_a_column_that_numbers_replicates_is_refused(tmp_path):
    table = parser_accuracy_of(8).map(lambda rows: rows.assign(left_out=1))
    with pytest.raises(ValueError, match="left_out"):
        write_table(table, tmp_path / "parser_accuracy.csv")
