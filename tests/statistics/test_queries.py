"""A query finds the number that it describes, and says what is wrong with it."""

import numpy as np
import pandas as pd
import pytest

from bert_attention.errors import InputError
from bert_attention.statistics.jackknife import Replicates, interval
from bert_attention.statistics.queries import NothingFoundError, measure
from tests.replicates import within

# Two layers of two heads.
HEADS = pd.DataFrame(
    [
        {
            "layer": layer,
            "head": head,
            "target": target,
            "attention": value,
        }
        for target, values in {"sep": [0.1, 0.2, 0.3, 0.8], "cls": [0.4, 0.0, 0.1, 0.1]}.items()
        for (layer, head), value in zip([(1, 1), (1, 2), (2, 1), (2, 2)], values, strict=True)
    ]
)
QUERY = {"table": "clark_positions", "where": {"target": "sep"}, "column": "attention"}


def found(left_out=(), **changes):
    query = QUERY | changes
    tables = {"clark_positions": Replicates(HEADS, left_out)}
    return measure(query, tables.__getitem__, 2, "clark.yaml, claim C01")


def number(**changes):
    result = found(**changes)
    assert result.is_single
    return result.numbers.item()


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"where": {"target": "sep", "layer": 2, "head": 1}}, 0.3),
        ({"take": "mean"}, 0.35),
        ({"take": "median"}, 0.25),
        ({"take": "smallest"}, 0.1),
        ({"take": "largest"}, 0.8),
        ({"take": "sum"}, 1.4),
        ({"take": "count"}, 4),
        ({"take": {"share_above": 0.25}}, 0.5),
        ({"take": {"share_below": 0.15}}, 0.25),
        ({"take": {"number_above": 0.1}}, 3),
        ({"take": {"number_below": 0.1}}, 0),
        ({"layers": [2, 2], "take": "mean"}, 0.55),
        ({"where": {"target": {"in": ["sep", "cls"]}}, "take": "count"}, 8),
        ({"where": {"target": {"not": "cls"}}, "take": "count"}, 4),
        ({"where": {"target": {"not": ["cls", "self"]}}, "take": "count"}, 4),
        ({"where": {"target": {"not": None}}, "take": "count"}, 8),
        ({"where": {"layer": {"not_as": "head"}}, "take": "count"}, 4),
        ({"where": {"target": {"in": [["cls", "sep"]]}}, "take": "mean"}, 0.15),  # the first of two names that occurs
        ({"where": {"target": {"in": [["punctuation", "sep"]]}}, "take": "mean"}, 0.35),
        ({"where": {"target": {"in": ["cls", ["punctuation", "self"]]}}, "take": "count"}, 4),
        ({"where": {}, "column": "target", "take": {"share_of": "sep"}}, 0.5),
        ({"where": {"target": "sep", "attention": {"above": 0.9}}, "take": "count"}, 0),
        ({"each": "layer", "take": "largest"}, 0.55),  # the largest mean of a layer
        ({"each": "head", "take": "smallest"}, 0.2),
        ({"take": "mean", "minus": {"where": {"target": "cls"}}}, 0.35 - 0.15),
        ({"take": "mean", "minus": {"where": {"target": "cls"}, "times": 2}}, 0.35 - 0.3),
        ({"take": "mean", "divided_by": {"where": {"target": "cls"}}}, 0.35 / 0.15),
        ({"by": ["layer"], "take": "mean", "over": "largest"}, 0.55),
        ({"by": ["layer", "head"], "minus": {"where": {"target": "cls"}}, "over": {"number_above": 0}}, 3),
        ({"heads": {"target": "cls", "attention": {"above": 0.05}}, "take": "mean"}, 0.4),  # all heads but the second
        ({"heads": {"target": "cls", "attention": {"above": 0.9}}, "take": "count"}, 0),
    ],
)
def test_a_query_finds_its_number(changes, expected):
    assert number(**changes) == pytest.approx(expected)


def test_by_keeps_a_number_for_each_value():
    numbers = found(by=["layer"], take="mean").numbers
    assert numbers.index.names == ["layer"]
    assert numbers.to_list() == pytest.approx([0.15, 0.55])


def test_one_number_is_subtracted_from_all_that_have_its_keys():
    both = {"where": {}, "by": ["layer", "target"], "take": "mean"}
    by_target = found(**both, minus={"by": ["target"]}).numbers
    assert by_target.index.names == ["layer", "target"]
    expected = {(1, "sep"): -0.2, (2, "sep"): 0.2, (1, "cls"): 0.05, (2, "cls"): -0.05}
    assert by_target.to_dict() == pytest.approx(expected)
    of_largest = found(**both, minus={"by": ["layer"], "take": "largest"}).numbers
    assert of_largest.to_dict() == pytest.approx(
        {(1, "sep"): 0.15 - 0.4, (1, "cls"): 0.2 - 0.4, (2, "sep"): 0.55 - 0.8, (2, "cls"): 0.1 - 0.8}
    )


def test_a_list_is_of_sorted_numbers():
    result = found(where={"target": "sep", "attention": {"above": 0.15}}, column="layer", take="list")
    assert result.is_list
    assert not result.is_single
    assert result.numbers.to_list() == [1, 2, 2]
    assert found(where={"target": "sep", "attention": {"above": 2}}, column="layer", take="list").numbers.empty


def varied(seed=0):
    """The table without each of twenty blocks: every number changes by itself."""
    random = np.random.default_rng(seed)
    return [HEADS.assign(attention=HEADS["attention"] + random.normal(0, 0.01, len(HEADS))) for _ in range(20)]


def interval_of(measured):
    return interval(np.asarray, Replicates(measured.numbers, measured.left_out, measured.of_seeds))


@pytest.mark.parametrize(
    ("changes", "of_table"),
    [
        ({"where": {"target": "sep", "layer": 2, "head": 1}}, lambda sep, cls: sep[2]),
        ({"take": "mean"}, lambda sep, cls: sep.mean()),
        ({"take": "median"}, lambda sep, cls: np.median(sep)),
        ({"take": {"share_above": 0.3}}, lambda sep, cls: (sep > 0.3).mean()),
        (
            {"where": {"target": "sep", "attention": {"above": 0.3}}, "take": "count"},
            lambda sep, cls: (sep > 0.3).sum(),
        ),
        ({"take": "mean", "minus": {"where": {"target": "cls"}}}, lambda sep, cls: sep.mean() - cls.mean()),
        ({"by": ["layer", "head"], "minus": {"where": {"target": "cls"}}}, lambda sep, cls: sep - cls),
        (
            {"heads": {"target": "cls", "attention": {"above": 0.1}}, "take": "mean"},  # other heads in each replicate
            lambda sep, cls: sep[cls > 0.1].mean(),
        ),
        ({"by": ["layer"], "take": "mean"}, lambda sep, cls: sep.reshape(2, 2).mean(1)),
        ({"by": ["layer"], "take": "largest", "over": "sum"}, lambda sep, cls: sep.reshape(2, 2).max(1).sum()),
    ],
)
def test_whatever_is_asked_has_the_interval_of_the_same_function_of_the_table(changes, of_table):
    left_out = varied()
    expected = interval(
        lambda table: of_table(*table["attention"].to_numpy().reshape(2, 4)), Replicates(HEADS, left_out)
    )
    result = interval_of(found(left_out=left_out, **changes))
    assert np.ptp([expected.low, expected.high]) > 0
    for name in ("value", "low", "high"):
        np.testing.assert_allclose(np.ravel(getattr(result, name)), np.ravel(getattr(expected, name)))


def test_a_list_has_an_interval_where_it_keeps_its_length():
    changed = varied()
    limits = {"where": {"target": "sep", "attention": {"above": 0.25}}, "column": "layer", "take": "list"}
    same = interval_of(found(left_out=changed, **limits))
    assert same.low.tolist() == same.high.tolist() == [2, 2]
    changed[3] = HEADS
    changed[4] = HEADS.assign(attention=1.0)
    assert np.isnan(interval_of(found(left_out=changed, **limits)).low).all()


def test_a_list_over_a_limit_has_a_count_of_its_cells():
    left_out = within(HEADS, attention=0.05).left_out
    limits = {"where": {"target": "sep", "attention": {"above": 0.25}}, "column": "layer", "take": "list"}
    result = found(left_out=left_out, **limits)
    assert result.entries == [1, 1, 2, 2]
    assert result.count.bounds() == (1, 3)
    assert [entry for entry, is_in in zip(result.entries, result.count.counted, strict=True) if is_in] == [2, 2]
    assert result.numbers.to_list() == [2, 2]
    over = found(left_out=left_out, where={"target": "sep"}, column="layer", take="list")
    assert (over.count, over.entries) == (None, ())


def test_a_count_is_of_the_heads_that_are_surely_or_possibly_beyond_the_limit():
    def count(left_out, **changes):
        return found(left_out=left_out, **changes).count

    left_out = within(HEADS, attention=0.05).left_out
    assert count(left_out, take={"number_above": 0.25}).bounds() == (1, 3)  # .8 surely, .3 and .2 possibly
    assert count(left_out, take={"share_below": 0.25}).bounds() == (1 / 4, 3 / 4)
    assert count(left_out, take={"number_above": 0.5}).bounds() == (1, 1)
    rows = {"where": {"target": "sep", "attention": {"above": 0.25}}, "take": "count"}
    assert found(left_out=left_out, **rows).numbers.item() == 2
    assert count(left_out, **rows).bounds() == (1, 3)
    differences = {"by": ["layer", "head"], "minus": {"where": {"target": "cls"}}, "over": {"number_above": 0}}
    assert count(left_out, **differences).bounds() == (3, 3)  # what both have in common does not vary
    layers = {"take": {"share_above": 0.25}, "layers": [2, 2], "minus": {"layers": [1, 1]}}
    assert count(left_out, **layers).bounds() == (0, 1)
    assert np.isnan(count((), take={"number_above": 0.25}).bounds()).all()
    assert count(left_out, take="mean") is None
    assert count(left_out, where={}, column="target", take={"share_of": "sep"}) is None


@pytest.mark.parametrize(
    ("changes", "limits"),
    [
        ({"take": "mean"}, (0, 1)),
        ({"where": {"target": "sep", "layer": 2, "head": 1}}, (0, 1)),
        ({"take": "sum"}, (-np.inf, np.inf)),
        ({"take": "mean", "minus": {"where": {"target": "cls"}}}, (-np.inf, np.inf)),
    ],
)
def test_shares_of_attention_have_limits_and_their_sums_and_differences_have_none(changes, limits):
    assert found(**changes).limits == limits


def test_a_column_may_be_asked_for_and_group_the_rows():
    layers = found(column="layer", by=["layer"], take="mean").numbers
    assert layers.tolist() == layers.index.get_level_values("layer").tolist()


def test_what_does_not_vary_with_the_units_has_no_interval():
    where = {"target": "sep", "layer": 2, "head": 1}
    assert np.isnan(interval_of(found(left_out=varied(), where=where, column="head")).low).all()


def test_what_is_not_found_without_some_units_has_no_interval():
    left_out = [*varied(), HEADS.assign(attention=HEADS["attention"].where(HEADS["layer"] == 1))]
    assert np.isnan(interval_of(found(left_out=left_out, take="mean")).low).all()
    assert not np.isnan(
        interval_of(found(left_out=left_out, where={"target": "sep", "layer": 1}, take="mean")).low
    ).any()
    above = {"where": {"target": "sep", "attention": {"above": 0.795}}}  # one row, or none
    assert np.isnan(interval_of(found(left_out=varied(), **above)).low).all()


def test_a_ratio_of_two_means_has_an_interval():
    result = found(left_out=varied(), take="mean", divided_by={"where": {"target": "cls"}})
    means = [table.groupby("target")["attention"].mean() for table in varied()]
    error = np.sqrt(19 * np.var([mean["sep"] / mean["cls"] for mean in means]))
    assert np.ravel(result.interval()[2] - result.numbers) == pytest.approx(2.093 * error, rel=1e-3)


def test_the_interval_of_a_share_ends_at_its_limits():
    table = within(HEADS, attention=0.15)
    result = measure(QUERY | {"by": ["layer", "head"]}, {"clark_positions": table}.__getitem__, 2, "C01")
    assert result.interval().low.tolist() == pytest.approx([0, 0.05, 0.15, 0.65])
    of_one = result.at(result.numbers.index[[3]])
    assert np.ravel(of_one.interval()) == pytest.approx([0.8, 0.65, 0.95])


def test_a_bound_of_an_interval_is_a_column_without_one():
    heads = within(HEADS, attention=0.15)
    query = QUERY | {"where": {"target": "sep", "low": {"above": 0.04}}, "take": "count"}
    result = measure(query, {"clark_positions": heads}.__getitem__, 2, "C01")
    assert result.numbers.item() == 3
    assert not result.varies


def test_numbers_of_two_tables_are_paired():
    """A part that both numbers have in common does not vary their difference."""
    heads = Replicates(HEADS, varied())
    categories = heads.made_into(lambda table: table.assign(value=table["attention"] - 0.1))
    query = QUERY | {"take": "mean", "minus": {"table": "kobayashi_categories", "column": "value"}}
    result = measure(query, {"clark_positions": heads, "kobayashi_categories": categories}.__getitem__, 2, "C01")
    assert np.ravel(interval_of(result)) == pytest.approx([0.1, 0.1, 0.1])


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"column": "atention"}, r"claim C01: clark_positions has no column atention\n.*did you mean attention"),
        ({"where": {"targets": "sep"}}, "no column targets"),
        ({"heads": {"targets": "sep"}}, "no column targets"),
        ({"heads": {"target": "spe"}}, "no rows with target: spe .and what `heads` asks before"),
        ({"by": ["layr"], "take": "mean"}, "no column layr"),
        ({}, r"4 rows of clark_positions match\n.*take"),
        ({"by": ["layer"]}, "2 rows of clark_positions match"),
        ({"minus": {"where": {"layer": 2}}, "where": {"target": "sep", "layer": 1}, "by": ["layer", "head"]}, "minus"),
    ],
)
def test_a_query_that_does_not_resolve_is_named(changes, message):
    with pytest.raises(InputError, match=message):
        found(**changes)


@pytest.mark.parametrize(
    "changes",
    [
        {"where": {"target": "spe"}},
        {"where": {"target": {"in": [["spe", "sp"]]}}},
        {"where": {"target": "sep", "attention": {"above": 1}}},
        {"heads": {"target": "sep", "attention": {"above": 1}}},
    ],
)
def test_a_query_without_rows_is_named(changes):
    with pytest.raises(NothingFoundError, match=r"claim C01: clark_positions has no"):
        found(**changes, take="mean")


def test_an_empty_cell_is_no_number():
    tables = {"clark_positions": Replicates(HEADS.assign(attention=np.nan))}
    with pytest.raises(InputError, match=r"a cell of clark_positions.attention is empty"):
        measure(QUERY | {"take": "mean"}, tables.__getitem__, 2, "claim C01")
