"""Queries of result tables: numbers, intervals, counts and errors."""

import itertools
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest

from bert_attention.errors import InputError
from bert_attention.statistics.jackknife import Replicates, interval
from bert_attention.statistics.queries import at_relative_depth, measure
from tests.replicates import within

# Two layers of two heads.
HEADS = pd.DataFrame(itertools.product(("sep", "cls"), (1, 2), (1, 2)), columns=["target", "layer", "head"])
HEADS["attention"] = [0.1, 0.2, 0.3, 0.8, 0.4, 0.0, 0.1, 0.1]
QUERY = {"table": "clark_positions", "where": {"target": "sep"}, "column": "attention"}
ABOVE = {"where": {"target": "sep", "attention": {"above": 0.25}}}
MINUS_CLS = {"minus": {"where": {"target": "cls"}}}


def found(left_out=(), whole=HEADS, **changes):
    return measure(QUERY | changes, lambda _: Replicates(whole, left_out), 2, "clark.yaml, claim C01")


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
        ({"where": {"target": {"in": ["cls", ["punctuation", "self"]]}}, "take": "count"}, 4),
        ({"where": {}, "column": "target", "take": {"share_of": "sep"}}, 0.5),
        ({"where": {"target": "sep", "attention": {"above": 0.9}}, "take": "count"}, 0),
        ({"each": "layer", "take": "largest"}, 0.55),  # the largest mean of a layer
        ({"take": "mean", **MINUS_CLS}, 0.35 - 0.15),
        ({"take": "mean", "minus": {"where": {"target": "cls"}, "times": 2}}, 0.35 - 0.3),
        ({"take": "mean", "divided_by": {"where": {"target": "cls"}}}, 0.35 / 0.15),
        ({"by": ["layer"], "take": "mean", "over": "largest"}, 0.55),
        ({"by": ["layer", "head"], **MINUS_CLS, "over": {"number_above": 0}}, 3),
        ({"by": ["layer", "head"], **MINUS_CLS, "over": {"share_within": 0.25}}, 0.5),  # the median of -.3, .2, .2, .7
        ({"heads": {"target": "cls", "attention": {"above": 0.05}}, "take": "mean"}, 0.4),  # all heads but the second
        ({"heads": {"target": "cls", "attention": {"above": 0.9}}, "take": "count"}, 0),
    ],
)
def test_a_query_returns_its_number(changes, expected):
    result = found(**changes)
    assert result.is_single
    assert result.numbers.item() == pytest.approx(expected)


def test_a_query_returns_numbers_by_column():
    numbers = found(by=["layer"], take="mean").numbers
    assert numbers.index.names == ["layer"]
    assert numbers.to_list() == pytest.approx([0.15, 0.55])
    layers = found(column="layer", by=["layer"], take="mean").numbers
    assert layers.tolist() == layers.index.get_level_values("layer").tolist()
    both = {"where": {}, "by": ["layer", "target"], "take": "mean"}
    minus_target = found(**both, minus={"by": ["target"]}).numbers
    assert minus_target.index.names == ["layer", "target"]
    expected = {(1, "sep"): -0.2, (2, "sep"): 0.2, (1, "cls"): 0.05, (2, "cls"): -0.05}
    assert minus_target.to_dict() == pytest.approx(expected)
    minus_largest = found(**both, minus={"by": ["layer"], "take": "largest"}).numbers
    expected = {(1, "sep"): 0.15 - 0.4, (1, "cls"): 0.2 - 0.4, (2, "sep"): 0.55 - 0.8, (2, "cls"): 0.1 - 0.8}
    assert minus_largest.to_dict() == pytest.approx(expected)


def varied(seed=0):
    """Return tables without each of 20 blocks, in which every number varies independently."""
    random = np.random.default_rng(seed)
    return [HEADS.assign(attention=HEADS["attention"] + random.normal(0, 0.01, len(HEADS))) for _ in range(20)]


def interval_of(measured):
    return interval(np.asarray, measured.replicates)


@pytest.mark.parametrize(
    ("changes", "function"),
    [
        ({"where": {"target": "sep", "layer": 2, "head": 1}}, lambda sep, cls: sep[2]),
        ({"take": "median"}, lambda sep, cls: np.median(sep)),
        ({"take": {"share_above": 0.3}}, lambda sep, cls: (sep > 0.3).mean()),
        ({"take": "mean", **MINUS_CLS}, lambda sep, cls: sep.mean() - cls.mean()),
        ({"take": "mean", "divided_by": {"where": {"target": "cls"}}}, lambda sep, cls: sep.mean() / cls.mean()),
        ({"by": ["layer", "head"], **MINUS_CLS}, lambda sep, cls: sep - cls),
        (
            {"heads": {"target": "cls", "attention": {"above": 0.1}}, "take": "mean"},  # other heads in each replicate
            lambda sep, cls: sep[cls > 0.1].mean(),
        ),
        ({"by": ["layer"], "take": "largest", "over": "sum"}, lambda sep, cls: sep.reshape(2, 2).max(1).sum()),
    ],
)
def test_a_query_has_the_interval_of_the_same_function_of_the_table(changes, function):
    replicates = Replicates(HEADS, varied())
    expected = interval(lambda table: function(*table["attention"].to_numpy().reshape(2, 4)), replicates)
    result = interval_of(found(left_out=replicates.left_out, **changes))
    assert np.ptp([expected.low, expected.high]) > 0
    for name in ("value", "low", "high"):
        np.testing.assert_allclose(np.ravel(getattr(result, name)), np.ravel(getattr(expected, name)))


def test_a_list_is_sorted_and_has_an_interval_if_it_keeps_its_length():
    limits = {**ABOVE, "column": "layer", "take": "list"}
    changed = varied()
    same = found(left_out=changed, **limits)
    assert (same.is_list, same.is_single, same.numbers.to_list()) == (True, False, [2, 2])
    assert interval_of(same).low.tolist() == interval_of(same).high.tolist() == [2, 2]
    changed[3:5] = [HEADS, HEADS.assign(attention=1.0)]
    assert np.isnan(interval_of(found(left_out=changed, **limits)).low).all()
    none = found(where={"target": "sep", "attention": {"above": 2}}, column="layer", take="list")
    assert none.numbers.empty


def test_a_list_of_numbers_beyond_a_limit_has_a_count_of_its_cells():
    left_out = within(HEADS, attention=0.05).left_out
    result = found(left_out=left_out, **ABOVE, column="layer", take="list")
    assert result.entries == [1, 1, 2, 2]
    assert result.count.bounds() == (1, 3)
    assert [entry for entry, is_in in zip(result.entries, result.count.counted, strict=True) if is_in] == [2, 2]
    without_limit = found(left_out=left_out, column="layer", take="list")
    assert (without_limit.count, without_limit.entries) == (None, ())


@pytest.mark.parametrize(
    ("changes", "bounds"),
    [
        ({"take": {"number_above": 0.25}}, (1, 3)),  # .8 is surely beyond the limit, .3 and .2 possibly
        ({"take": {"share_below": 0.25}}, (1 / 4, 3 / 4)),
        ({**ABOVE, "take": "count"}, (1, 3)),
        # the common part of two numbers does not vary their difference
        ({"by": ["layer", "head"], **MINUS_CLS, "over": {"number_above": 0}}, (3, 3)),
        ({"by": ["layer", "head"], **MINUS_CLS, "over": {"share_within": 0.25}}, (0.5, 0.5)),
        ({"take": {"share_within": 0.25}}, (1 / 4, 3 / 4)),
        ({"take": {"share_above": 0.25}, "layers": [2, 2], "minus": {"layers": [1, 1]}}, (0, 1)),
        ({"take": "mean"}, None),
        ({"where": {}, "column": "target", "take": {"share_of": "sep"}}, None),
    ],
)
def test_a_count_has_bounds_from_the_cells_that_are_surely_and_possibly_beyond_the_limit(changes, bounds):
    count = found(left_out=within(HEADS, attention=0.05).left_out, **changes).count
    assert (count and count.bounds()) == bounds


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"where": {"target": "sep", "attention": {"above": 0.25}}, "take": "mean"}, 2),
        ({"heads": {"target": "cls", "attention": {"above": 0.05}}, "take": "mean"}, 3),
        # the smaller part of a difference
        ({**ABOVE, "take": "mean", "minus": {"where": {"attention": {"above": 0.5}}}}, 1),
        ({**ABOVE, "take": "mean", "minus": {"where": {"attention": {"above": 0.0}}}}, 2),
        ({**ABOVE, "take": "count"}, None),  # a count of heads is not an aggregate of the heads
        ({"take": "mean"}, None),
    ],
)
def test_the_number_of_heads_beyond_a_limit_is_known(changes, expected):
    assert found(**changes).rows_within_limit == expected


def test_intervals_of_shares_are_clipped_but_not_of_their_sums_and_differences():
    table = within(HEADS, attention=0.15)
    result = measure(QUERY | {"by": ["layer", "head"]}, lambda _: table, 2, "C01")
    assert result.interval().low.tolist() == pytest.approx([0, 0.05, 0.15, 0.65])
    assert np.ravel(result.at(result.numbers.index[[3]]).interval()) == pytest.approx([0.8, 0.65, 0.95])
    assert found(take="mean").limits == (0, 1)
    assert found(take="sum").limits == found(take="mean", **MINUS_CLS).limits == (-np.inf, np.inf)
    # a query can return the bounds, which do not vary
    query = QUERY | {"where": {"target": "sep", "low": {"above": 0.04}}, "take": "count"}
    result = measure(query, lambda _: table, 2, "C01")
    assert (result.numbers.item(), result.varies) == (3, False)


def test_some_numbers_have_no_interval():
    one_head = {"target": "sep", "layer": 2, "head": 1}
    assert np.isnan(interval_of(found(left_out=varied(), where=one_head, column="head")).low).all()
    empty_cells = [*varied(), HEADS.assign(attention=HEADS["attention"].where(HEADS["layer"] == 1))]
    assert np.isnan(interval_of(found(left_out=empty_cells, take="mean")).low).all()
    full_cells = found(left_out=empty_cells, where={"target": "sep", "layer": 1}, take="mean")
    assert not np.isnan(interval_of(full_cells).low).any()
    assert np.isnan(found(take={"number_above": 0.25}).count.bounds()).all()  # without replicates
    row_or_none = {"where": {"target": "sep", "attention": {"above": 0.795}}}
    assert np.isnan(interval_of(found(left_out=varied(), **row_or_none)).low).all()


def test_numbers_of_two_tables_are_paired():
    heads = Replicates(HEADS, varied())
    categories = heads.map(lambda table: table.assign(value=table["attention"] - 0.1))
    query = QUERY | {"take": "mean", "minus": {"table": "kobayashi_categories", "column": "value"}}
    result = measure(query, {"clark_positions": heads, "kobayashi_categories": categories}.__getitem__, 2, "C01")
    assert np.ravel(interval_of(result)) == pytest.approx([0.1, 0.1, 0.1])


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"column": "atention"}, r"claim C01: clark_positions has no column atention\n.*did you mean attention"),
        ({"heads": {"targets": "sep"}}, "no column targets"),
        ({"heads": {"target": "spe"}}, "no rows with target: spe .after the earlier keys of `heads`"),
        ({}, r"4 rows of clark_positions match\n.*take"),
        ({"by": ["layer"]}, "2 rows of clark_positions match"),
        ({"minus": {"where": {"layer": 2}}, "where": {"target": "sep", "layer": 1}, "by": ["layer", "head"]}, "minus"),
        ({"take": "mean", "whole": HEADS.assign(attention=np.nan)}, "a cell of clark_positions.attention is empty"),
        ({"where": {"target": {"in": [["spe", "sp"]]}}, "take": "mean"}, "clark_positions has no"),
        ({"where": {"target": "sep", "attention": {"above": 1}}, "take": "mean"}, "clark_positions has no"),
        ({"heads": {"target": "sep", "attention": {"above": 1}}, "take": "mean"}, "clark_positions has no"),
    ],
)
def test_a_query_without_a_result_is_an_error(changes, message):
    with pytest.raises(InputError, match=message):
        found(**changes)


@pytest.mark.parametrize("depth", [1, 2, 6, 12])
def test_a_range_of_depth_has_the_layers_whose_middle_lies_in_it(depth):
    for layers in (*range(1, 14), 24, 97):
        numbers = pd.Series(range(1, layers + 1))
        for first, last in itertools.combinations_with_replacement(range(1, depth + 1), 2):
            expected = [
                Fraction(first - 1, depth) <= Fraction(2 * n - 1, 2 * layers) < Fraction(last, depth) for n in numbers
            ]
            assert at_relative_depth(numbers, first, last, depth).tolist() == expected
    numbers = pd.Series(range(1, 7))  # layers 5 to 9 of 12 are layers 3 and 4 of 6
    assert numbers[at_relative_depth(numbers, 5, 9, 12)].tolist() == [3, 4]
