"""Functions of result tables: numbers, intervals, counts and errors."""

import itertools
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest

from bert_attention.errors import InputError
from bert_attention.statistics.jackknife import Replicates, estimate, interval
from bert_attention.statistics.measures import (
    RELATIVE,
    EmptyCellError,
    NoneWithinLimitsError,
    ResultTables,
    TableReader,
    at_relative_depth,
    count_above,
    list_above,
    measure,
    share_above,
    share_below,
    share_within,
)
from tests.replicates import within

# Two layers of two heads.
HEADS = pd.DataFrame(itertools.product(("sep", "cls"), (1, 2), (1, 2)), columns=["target", "layer", "head"])
HEADS["attention"] = [0.1, 0.2, 0.3, 0.8, 0.4, 0.0, 0.1, 0.1]
KEYS = ["layer", "head"]


def tables(left_out=(), whole=HEADS, depth=2):
    return ResultTables(TableReader(lambda _: Replicates(whole, left_out)), depth)


def found(function, left_out=(), whole=HEADS, **kwargs):
    return measure(function, tables(left_out, whole), **kwargs)


def on(t, target="sep"):
    """The attention to a target, by head."""
    return t.clark_positions(target=target).set_index(KEYS).attention


def in_layer(t, layer):
    return t.layers(t.clark_positions(target="sep"), layer, layer).attention


def above(t, limit, target="sep"):
    """The rows of heads with more attention to a target."""
    rows = t.clark_positions(target=target)
    return t.only(rows, rows.attention > limit)


@pytest.mark.parametrize(
    ("function", "expected"),
    [
        (lambda t: t.clark_positions(target="sep", layer=2, head=1).attention.item(), 0.3),
        (lambda t: on(t).mean(), 0.35),
        (lambda t: count_above(on(t), 0.1), 3),
        (lambda t: share_above(on(t), 0.25), 0.5),
        (lambda t: share_below(on(t), 0.15), 0.25),
        (lambda t: share_within(on(t) - on(t, "cls"), 0.25), 0.5),  # of -.3, .2, .2 and .7
        (lambda t: share_above(on(t), 0.25) - share_above(on(t, "cls"), 0.25), 0.25),
        (lambda t: in_layer(t, 2).mean(), 0.55),
        (lambda t: len(t.clark_positions(target=["sep", "cls"])), 8),
        (lambda t: above(t, 0.25).attention.mean(), 0.55),
        (lambda t: t.heads_of(t.clark_positions(target="sep"), above(t, 0.05, "cls")).attention.mean(), 0.4),
    ],
)
def test_a_function_returns_its_number(function, expected):
    result = found(function)
    assert result.is_single
    assert result.numbers.item() == pytest.approx(expected)


def test_an_alternative_puts_another_value_in_the_place_of_one():
    choices = {"target": {"sep": "cls"}, "limit": {0.25: 0.05}, "layers": {RELATIVE: "equal"}}
    other = ResultTables(TableReader(lambda _: Replicates(HEADS), choices), depth=4)
    assert on(other).tolist() == on(tables(), "cls").tolist()
    assert on(other, ["sep", "cls"]).tolist() == on(tables(), "cls").tolist()
    assert [other.chosen("limit", limit) for limit in (0.25, 0.3)] == [0.05, 0.3]
    assert tables().chosen("limit", 0.25) == 0.25
    assert len(in_layer(other, 2)) == len(in_layer(tables(depth=2), 2)) == 2
    assert in_layer(other, 4).empty


def test_a_function_returns_numbers_by_key():
    numbers = found(lambda t: t.clark_positions(target="sep").groupby("layer").attention.mean()).numbers
    assert numbers.index.names == ["layer"]
    assert numbers.to_dict() == pytest.approx({(1,): 0.15, (2,): 0.55})
    assert found(on).numbers.to_dict() == pytest.approx({(1, 1): 0.1, (1, 2): 0.2, (2, 1): 0.3, (2, 2): 0.8})


def test_an_empty_cell_has_a_filter_of_its_own():
    whole = HEADS.assign(head=[1, None] * 4)
    assert found(lambda t: len(t.clark_positions(head=None)), whole=whole).numbers.item() == 4


def varied(seed=0):
    """Return tables without each of 20 blocks, in which every number varies independently."""
    random = np.random.default_rng(seed)
    return [HEADS.assign(attention=HEADS["attention"] + random.normal(0, 0.01, len(HEADS))) for _ in range(20)]


def interval_of(measured):
    return interval(np.asarray, measured.replicates)


@pytest.mark.parametrize(
    ("of_tables", "of_cells"),
    [
        (lambda t: t.clark_positions(target="sep", layer=2, head=1).attention.item(), lambda sep, cls: sep[2]),
        (lambda t: on(t).median(), lambda sep, cls: np.median(sep)),
        (lambda t: share_above(on(t), 0.3), lambda sep, cls: (sep > 0.3).mean()),
        (lambda t: on(t).mean() / on(t, "cls").mean(), lambda sep, cls: sep.mean() / cls.mean()),
        (lambda t: on(t) - on(t, "cls"), lambda sep, cls: sep - cls),
        (  # other heads in each replicate
            lambda t: t.heads_of(t.clark_positions(target="sep"), above(t, 0.1, "cls")).attention.mean(),
            lambda sep, cls: sep[cls > 0.1].mean(),
        ),
        (lambda t: in_layer(t, 2).max() - in_layer(t, 1).max(), lambda sep, cls: sep[2:].max() - sep[:2].max()),
    ],
)
def test_a_function_has_the_interval_of_the_same_function_of_the_cells(of_tables, of_cells):
    replicates = Replicates(HEADS, varied())
    expected = interval(lambda table: of_cells(*table["attention"].to_numpy().reshape(2, 4)), replicates)
    result = interval_of(found(of_tables, replicates.left_out))
    assert np.ptp([expected.low, expected.high]) > 0
    for name in ("value", "low", "high"):
        np.testing.assert_allclose(np.ravel(getattr(result, name)), np.ravel(getattr(expected, name)))


def layers_above(t, limit=0.25):
    rows = t.clark_positions(target="sep")
    return list_above(rows.layer, rows.attention, limit)


def test_a_list_is_sorted_and_has_an_interval_if_it_keeps_its_length():
    changed = varied()
    same = found(layers_above, changed)
    assert (same.is_list, same.is_single, same.numbers.to_list()) == (True, False, [2, 2])
    assert interval_of(same).low.tolist() == interval_of(same).high.tolist() == [2, 2]
    changed[3:5] = [HEADS, HEADS.assign(attention=1.0)]
    assert np.isnan(interval_of(found(layers_above, changed)).low).all()
    assert found(lambda t: layers_above(t, 2)).numbers.empty


def test_a_list_has_a_count_of_its_cells():
    result = found(layers_above, within(HEADS, attention=0.05).left_out)
    assert result.entries == [1, 1, 2, 2]
    assert result.count.bounds() == (1, 3)
    assert [entry for entry, is_in in zip(result.entries, result.count.counted, strict=True) if is_in] == [2, 2]


@pytest.mark.parametrize(
    ("function", "bounds"),
    [
        (lambda t: count_above(on(t), 0.25), (1, 3)),  # .8 is surely beyond the limit, .3 and .2 possibly
        (lambda t: share_below(on(t), 0.25), (1 / 4, 3 / 4)),
        # the common part of two numbers does not vary their difference
        (lambda t: count_above(on(t) - on(t, "cls"), 0), (3, 3)),
        (lambda t: share_within(on(t) - on(t, "cls"), 0.25), (0.5, 0.5)),
        (lambda t: share_within(on(t), 0.25), (1 / 4, 3 / 4)),
        (lambda t: share_above(in_layer(t, 2), 0.25) - share_above(in_layer(t, 1), 0.25), (0, 1)),
        (lambda t: on(t).mean(), None),
    ],
)
def test_a_count_has_bounds_from_the_cells_that_are_surely_and_possibly_beyond_the_limit(function, bounds):
    count = found(function, within(HEADS, attention=0.05).left_out).count
    assert (count and count.bounds()) == bounds


@pytest.mark.parametrize(
    ("function", "expected"),
    [
        (lambda t: above(t, 0.25).attention.mean(), 2),
        (lambda t: t.heads_of(t.clark_positions(target="sep"), t.clark_positions(target="cls")).attention.mean(), 4),
        # the smaller part of a difference
        (lambda t: above(t, 0.25).attention.mean() - above(t, 0.5).attention.mean(), 1),
        (lambda t: above(t, 0.25).attention.mean() - above(t, 0.0).attention.mean(), 2),
        (lambda t: above(t, 0.05, ["sep", "cls"]).attention.mean(), 4),  # of seven rows
        (lambda t: t.only(on(t).to_frame(), on(t) > 0.25).attention.mean(), 2),  # rows without a head
        (lambda t: count_above(on(t), 0.25), None),  # a count of heads is not an aggregate of the heads
        (lambda t: on(t).mean(), None),
    ],
)
def test_the_number_of_heads_beyond_a_limit_is_known(function, expected):
    assert found(function).rows_within_limit == expected


def test_intervals_are_clipped_to_the_limits():
    table = within(HEADS, attention=0.15)
    result = found(on, table.left_out, limits=(0, 1))
    assert result.interval().low.tolist() == pytest.approx([0, 0.05, 0.15, 0.65])
    assert np.ravel(result.at(result.numbers.index[[3]]).interval()) == pytest.approx([0.8, 0.65, 0.95])
    # bounds of intervals do not vary
    wide = measure(
        lambda t: (t.with_bounds("clark_positions", target="sep").low > 0.04).sum(), TableReader(lambda _: table)
    )
    assert (wide.numbers.item(), wide.varies) == (3, False)


def test_some_numbers_have_no_interval():
    head = found(lambda t: t.clark_positions(target="sep", layer=2, head=1)["head"].item(), varied(), is_exact=True)
    assert (head.varies, np.isnan(interval_of(head).low).all()) == (False, True)
    empty_cells = [*varied(), HEADS.assign(attention=HEADS["attention"].where(HEADS["layer"] == 1))]
    of_all, of_first = (
        found(lambda t, layers=layers: t.clark_positions(target="sep", layer=layers).attention.to_numpy().mean(), cells)
        for layers, cells in (([1, 2], empty_cells), ([1], empty_cells))
    )
    assert np.isnan(interval_of(of_all).low).all()
    assert not np.isnan(interval_of(of_first).low).any()
    assert found(lambda t: count_above(on(t), 0.25)).count is None  # without replicates
    # The only such head falls below the limit in some replicates.
    assert np.isnan(interval_of(found(lambda t: above(t, 0.795).attention.mean(), varied())).low).all()


def test_numbers_of_two_tables_are_paired():
    heads = Replicates(HEADS, varied())
    categories = heads.map(lambda table: table.assign(value=table["attention"] - 0.1))
    reader = TableReader({"clark_positions": heads, "kobayashi_categories": categories}.__getitem__)
    t = ResultTables(reader)
    result = measure(lambda t: on(t).mean() - t.kobayashi_categories(target="sep").value.mean(), t)
    assert np.ravel(interval_of(result)) == pytest.approx([0.1, 0.1, 0.1])
    assert list(t.asked) == ["clark_positions", "kobayashi_categories"]


@pytest.mark.parametrize(("blocks", "freedom"), [(20, 19), (8, 7), (7, None)])
def test_a_number_has_the_degrees_of_freedom_of_the_smallest_corpus(blocks, freedom):
    """Also if a table is only asked for a choice, such as that of the resting token, and its replicates are equal."""
    heads = Replicates(HEADS, varied())
    reader = TableReader({"clark_positions": heads, "clark_no_op": Replicates(HEADS, [HEADS] * blocks)}.__getitem__)
    result = measure(lambda t: on(t).mean() + 0 * t.clark_no_op(target="sep").attention.max(), reader)
    found = estimate(np.asarray, result.replicates)
    assert found.freedom.item() == freedom if freedom else np.isnan(found.error).all()


def test_tables_say_which_layers_were_asked_for():
    t = tables(depth=12)
    measure(lambda t: t.layers(t.clark_positions(), 7, 12).attention.mean(), t)
    assert (list(t.ranges), t.deepest) == ([(7, 12)], 2)


@pytest.mark.parametrize(
    ("function", "error", "message"),
    [
        (lambda t: t.clark_positions(targets="sep"), InputError, r"has no column targets\n.*did you mean target"),
        (lambda t: t.clark_positions(target="spe"), InputError, "clark_positions has no rows with target: spe"),
        (lambda t: on(t) * np.nan, EmptyCellError, "a cell is empty or not a number"),
        (lambda t: count_above(on(t).where(on(t) > 0.1), 0.25), EmptyCellError, "a cell is empty or not a number"),
        (lambda t: above(t, 1).attention.mean(), NoneWithinLimitsError, "no row is within the limit"),
        (
            lambda t: t.heads_of(t.clark_positions(target="sep"), t.clark_positions().iloc[:0]).attention.mean(),
            NoneWithinLimitsError,
            "no row is within the limit",
        ),
    ],
)
def test_a_function_without_a_result_is_an_error(function, error, message):
    with pytest.raises(error, match=message):
        found(function)


@pytest.mark.parametrize("depth", [1, 2, 6, 12])
def test_a_range_of_depth_has_the_layers_whose_middle_lies_in_it(depth):
    for layers in (*range(1, 14), 24, 97):
        numbers = pd.Series(range(1, layers + 1))
        for first, last in itertools.combinations_with_replacement(range(1, depth + 1), 2):
            expected = [
                Fraction(first - 1, depth) <= Fraction(2 * n - 1, 2 * layers) < Fraction(last, depth) for n in numbers
            ]
            assert at_relative_depth(numbers, first, last, depth, layers).tolist() == expected
    numbers = pd.Series(range(1, 7))  # layers 5 to 9 of 12 are layers 3 and 4 of 6
    assert numbers[at_relative_depth(numbers, 5, 9, 12, 6)].tolist() == [3, 4]
