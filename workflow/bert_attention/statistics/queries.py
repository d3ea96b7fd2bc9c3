"""Queries of the result tables: which table, which rows, which column, and how the cells become a number.

The scoreboard, the facts of the paper, and the comparison of models all find their numbers by :func:`measure`. A query
is a mapping, which ``publication.schema.yaml`` describes.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
from pandas.api.typing import SeriesGroupBy

from bert_attention.errors import InputError, nearest
from bert_attention.results import results
from bert_attention.statistics.counts import Count, count_of
from bert_attention.statistics.jackknife import Interval, Replicates, interval, of_tables
from bert_attention.statistics.tables import with_intervals
from bert_attention.tables import columns_of

# By their names in pandas.
_AGGREGATIONS = {
    "mean": "mean",
    "median": "median",
    "smallest": "min",
    "largest": "max",
    "sum": "sum",
    "count": "size",
}
_AGGREGATIONS_WITH_LIMIT: dict[str, Callable[[pd.Series, float], float]] = {
    "share_above": lambda numbers, limit: (numbers > limit).mean(),
    "share_below": lambda numbers, limit: (numbers < limit).mean(),
    "number_above": lambda numbers, limit: (numbers > limit).sum(),
    "number_below": lambda numbers, limit: (numbers < limit).sum(),
    # Of a column of names.
    "share_of": lambda names, name: (names == name).mean(),
}
# Counts of numbers beyond a limit: whether of those above it, and whether as a share.
_COUNTS = {
    "share_above": (True, True),
    "share_below": (False, True),
    "number_above": (True, False),
    "number_below": (False, False),
}
# Keys of a query that name a second query by its changes: what is done with the numbers of both.
_TWO_QUERIES = {"minus": operator.sub, "divided_by": operator.truediv}
# What may be asked of no rows at all: how many there are, and which.
_OF_NOTHING = ("count", "list")
# What leaves a column's numbers between the limits that they have.
_WITHIN_LIMITS = (None, "mean", "median", "smallest", "largest")
# The index of a single number.
_SINGLE = pd.Index(["value"])


class NothingFoundError(InputError):
    """A query whose filter leaves no row of its table, or an empty cell."""


class EmptyCellError(NothingFoundError):
    """A query whose rows are there, but have no number."""


class NoneWithinLimitsError(NothingFoundError):
    """A query whose rows are there, but none of them is above or below what it asks: a finding, not a mistake."""


@dataclass(frozen=True)
class Measured:
    """What a query finds.

    Attributes
    ----------
    numbers
        One number, indexed by ``value``; or one for each value of the columns under ``by``, which are then the index;
        or the sorted numbers of a list, counted from 0.
    left_out, of_seeds
        The same without each block of units, and of each seed of what was trained, as :class:`Replicates` has them; NaN
        where a query finds nothing there, or a list of another length. There are none if nothing that is asked is a
        statistic of its table.
    limits
        Between which the numbers are by their nature.
    count
        The same number as a count of cells, which has an interval of its own; None if it is no count, or if the counted
        rows change with the units. Of a list of what is beyond a limit, how long the list is.
    entries
        What each cell of such a list's ``count`` adds to the list.
    """

    numbers: pd.Series
    left_out: Sequence[pd.Series] = ()
    of_seeds: Sequence[pd.Series] = ()
    limits: tuple[float, float] = (-math.inf, math.inf)
    count: Count | None = None
    entries: Sequence[float] = ()

    @property
    def is_single(self) -> bool:
        """Whether it is one number."""
        return self.numbers.index.equals(_SINGLE)

    @property
    def varies(self) -> bool:
        """Whether the numbers vary with units or seeds."""
        return bool(len(self.left_out) or len(self.of_seeds))

    @property
    def is_list(self) -> bool:
        """Whether it is a list of numbers without keys."""
        return isinstance(self.numbers.index, pd.RangeIndex)

    @property
    def replicates(self) -> Replicates:
        """The numbers with their replicates."""
        return Replicates(self.numbers, self.left_out, self.of_seeds)

    def interval(self) -> Interval:
        """Return the numbers with their 95 % intervals, which end at the limits; NaN where nothing varies."""
        found = interval(np.asarray, self.replicates)
        return Interval(found.value, found.low.clip(*self.limits), found.high.clip(*self.limits))

    def at(self, keys: pd.Index) -> Measured:
        """Return the numbers of some keys."""
        kept = self.replicates.made_into(lambda numbers: numbers.reindex(keys))
        return replace(self, numbers=kept.whole, left_out=kept.left_out, of_seeds=kept.of_seeds, count=None)


def measure(query: Mapping, tables: Callable[[str], Replicates], depth: int, place: object) -> Measured:
    """What a query finds in the result tables, and in each of their replicates.

    Parameters
    ----------
    query
        As ``publication.schema.yaml`` describes it: ``table``, ``where``, ``column``, ``take``, ...
    tables
        A result table by its name. Bounds of intervals are columns, too, which do not vary.
    depth
        How many layers the encoder has that ``layers`` speak of; 0 if no query does.
    place
        Where the query stands, for messages.

    Raises
    ------
    NothingFoundError
        If a filter leaves no row, where a number is asked for, or a cell is empty.
    InputError
        If a column does not exist, or several rows are left and the query does not say how they become one.
    """
    query = _counting_beyond_limit(query)
    parts = {"rows": query, "other": other} if (other := _other(query)) else {"rows": query}
    rows = {name: _filtered(tables(part["table"]), part, depth, place) for name, part in parts.items()}
    numbers = _found(query, place, **{name: found.whole for name, found in rows.items()})

    def replicate(**rows: pd.DataFrame) -> pd.Series:
        try:
            found = _found(query, place, **rows)
        except InputError:
            return numbers * np.nan
        if isinstance(found.index, pd.RangeIndex) and len(found) != len(numbers):
            return numbers * np.nan
        return found.reindex(numbers.index)

    found: Any = of_tables(replicate, _varies(parts), **rows)
    as_it_is = query.get("take") in _WITHIN_LIMITS and {*_TWO_QUERIES, "over"}.isdisjoint(query)
    limits = results().limits(query["table"], query["column"]) if as_it_is else Measured.limits
    counting = _counting_beyond_limit({**query, "take": "count"}) if query.get("take") == "list" else query
    if counting["column"] == query["column"]:
        count = _counted_cells(query, parts, rows, lambda asked: measure(asked, tables, depth, place))
        return Measured(numbers, found.left_out, found.of_seeds, limits, count)
    count = measure(counting, tables, depth, place).count
    candidates = _filtered(tables(query["table"]), {**counting, "column": query["column"]}, depth, place)
    entries = candidates.whole[query["column"]].to_list()
    return Measured(numbers, found.left_out, found.of_seeds, limits, count, entries)


def at_relative_depth(layers: pd.Series, first: int, last: int, depth: int) -> pd.Series:
    """Return True for the layers at the relative depth of ``first`` to ``last`` of an encoder of ``depth`` layers.

    A layer is where the middle of its slice of the encoder is (see :func:`bert_attention.heads.relative_depth`). A
    range begins at the start of its first layer's slice, which belongs to it, and ends before the end of its last
    one's. So ranges that follow each other share no layer and leave none out, whatever the depth; and in an encoder of
    the same depth, a range has the very layers that it names. The encoder that ``layers`` are of is as deep as its
    highest layer.
    """
    middle = (2 * layers - 1) * depth  # in units that make all three whole numbers: no rounding at the ends
    return (2 * (first - 1) * layers.max() <= middle) & (middle < 2 * last * layers.max())


def _counting_beyond_limit(query: Mapping) -> Mapping:
    """The query; one that counts the rows beyond a limit asks for the number of cells beyond it."""
    limits = [(column, limit) for column, limit in query.get("where", {}).items() if _is_limit(limit)]
    if query.get("take") != "count" or len(limits) != 1 or _other(query):
        return query
    ((column, limit),) = limits
    ((side, bound),) = limit.items()
    where = {key: value for key, value in query["where"].items() if key != column}
    return {**query, "where": where, "column": column, "take": {f"number_{side}": bound}}


def _counted_cells(
    query: Mapping, parts: Mapping[str, Mapping], rows: Mapping[str, Replicates], before: Callable[[Mapping], Measured]
) -> Count | None:
    """The number that a query finds, as a count; None if it counts nothing, or other rows in each replicate.

    Parameters
    ----------
    before
        Measures the query without its last step.
    """
    last = "over" if "over" in query else "take"
    if not isinstance(query.get(last), Mapping) or not _varies(parts) or ("by" in query) != (last == "over"):
        return None
    ((name, limit),) = query[last].items()
    if name not in _COUNTS or "each" in query or "take" in query.get("minus", {}) or "divided_by" in query:
        return None
    if last == "over":
        found = before({key: value for key, value in query.items() if key != "over"})
        cells = [(1.0, Replicates(found.numbers, found.left_out, found.of_seeds))]
    else:
        columns = [rows[part].made_into(operator.itemgetter(asked["column"])) for part, asked in parts.items()]
        cells = list(zip((1.0, -query.get("minus", {}).get("times", 1)), columns, strict=False))
    same = all(len(replicate) == len(part.whole) for _, part in cells for replicate in (*part.left_out, *part.of_seeds))
    return count_of(cells, limit, *_COUNTS[name]) if same else None


def _varies(parts: Mapping[str, Mapping]) -> bool:
    return any(map(_asks_of_statistics, parts.values()))


def _asks_of_statistics(query: Mapping) -> bool:
    """Whether a query asks of what varies with the units; of what else its table has, nobody can tell an interval."""
    limited = [column for column, _ in _limits(query)]
    return not {query["column"], *limited}.isdisjoint(results().tables[query["table"]].statistics)


def _limits(query: Mapping) -> list[tuple[str, Mapping]]:
    """The columns that must be above or below something, each with what it must be."""
    wanted = [*query.get("where", {}).items(), *query.get("heads", {}).items()]
    return [(column, limit) for column, limit in wanted if _is_limit(limit)]


def _is_limit(wanted: object) -> bool:
    return isinstance(wanted, Mapping) and not {"above", "below"}.isdisjoint(wanted)


def _found(query: Mapping, place: object, rows: pd.DataFrame, other: pd.DataFrame | None = None) -> pd.Series:
    """The numbers of a query, indexed as :class:`Measured` says, from the rows that it is about."""
    numbers = _numbers(query, rows, place)
    if other is not None:
        numbers = _of_both(query, numbers, _numbers(_other(query) or {}, other, place), place)
    return _aggregated(numbers, query["over"]) if "over" in query else numbers


def _numbers(query: Mapping, rows: pd.DataFrame, place: object) -> pd.Series:
    """The numbers of a query before anything is subtracted."""
    if rows.empty and query.get("take") not in _OF_NOTHING:
        wanted = [f"{column} {word} {bound}" for column, limit in _limits(query) for word, bound in limit.items()]
        problem = f"{query['table']} has no rows with {', '.join(wanted)}"
        raise NoneWithinLimitsError(place, problem, "ask for rows that there are")
    if "task" in query.get("by", []):  # of a task that is not measured nothing is asked, unless none is
        lacking = rows.loc[rows[query["column"]].isna(), "task"]
        rows = rows if set(lacking) == set(rows["task"]) else rows[~rows["task"].isin(lacking)]
    if rows[query["column"]].isna().any():
        raise EmptyCellError(
            place,
            f"a cell of {query['table']}.{query['column']} is empty or not a number",
            "see which rows `where` takes",
        )
    by, column = query.get("by", []), query["column"]
    # An empty cell is a key like any other: models whose seed is not known have an empty seed.
    if "each" in query:
        rows = rows.groupby([*by, query["each"]], dropna=False)[column].mean().reset_index()
    if by:
        numbers = pd.Series(_one(rows.groupby(by, dropna=False)[column], query, place)).astype(float)
        return numbers if len(by) > 1 else numbers.set_axis(pd.MultiIndex.from_arrays([numbers.index], names=by))
    if query.get("take") == "list":
        return pd.Series(sorted(map(float, rows[column])), dtype=float)
    return pd.Series([_one(rows[column], query, place)], _SINGLE, dtype=float)


def _filtered(table: Replicates, query: Mapping, depth: int, place: object) -> Replicates:
    """The rows that ``where``, ``layers`` and ``heads`` leave; limits, unlike values, may leave none to count."""
    asked = [query["column"], *query.get("by", []), *([query["each"]] if "each" in query else [])]
    named = [*query.get("where", {}), *query.get("heads", {}), *asked]
    if {*named}.difference(table.whole) & {*columns_of(query["table"])}:
        table = Replicates(with_intervals(table, query["table"]))
    rows = table.all_rows
    for column in named:
        if column not in rows:
            guess = nearest(column, rows.columns)
            raise InputError(
                place,
                f"{query['table']} has no column {column}",
                f"did you mean {guess}?" if guess else f"its columns are {', '.join(rows.columns)}",
            )
    if "layers" in query:
        first, last = query["layers"]
        rows = rows[at_relative_depth(rows["layer"].where(rows["layer"] > 0), first, last, depth)]
    found = _that_match(rows, query, "where", place)
    if "heads" in query:
        of_heads = _that_match(rows, query, "heads", place)
        places, wanted = (
            pd.MultiIndex.from_arrays([part.index // len(table.whole), part["layer"], part["head"]])
            for part in (found, of_heads)
        )
        found = found[places.isin(wanted)]
    return table.split(found[[*dict.fromkeys(asked)]])  # each cut takes all columns


def _that_match(rows: pd.DataFrame, query: Mapping, part: str, place: object) -> pd.DataFrame:
    """The rows that fit a filter, ``where`` or ``heads``."""
    for column, wanted in sorted(query.get(part, {}).items(), key=lambda item: _is_limit(item[1])):
        rows = rows[matches(rows, column, wanted)]
        if rows.empty and not _is_limit(wanted):
            raise NothingFoundError(
                place,
                f"{query['table']} has no rows with {column}: {wanted} (and what `{part}` asks before)",
                "change `where` or `heads`",
            )
    return rows


def select(rows: pd.DataFrame, where: Mapping) -> pd.DataFrame:
    """Return the rows of a table that fit the filter of a query."""
    for column, wanted in where.items():
        rows = rows[matches(rows, column, wanted)]
    return rows


def matches(rows: pd.DataFrame, column: str, wanted: object) -> pd.Series:
    """Return True for the rows whose cell in a column is as a filter wants it."""
    cells = rows[column]
    if wanted is None:
        return cells.isna()
    if not isinstance(wanted, Mapping):
        return cells == wanted
    ((kind, value),) = wanted.items()
    match kind:
        case "above":
            return cells > value
        case "below":
            return cells < value
        case "in":
            return cells.isin(_names(value, cells))
        case "not_as":
            return cells != rows[value]
        case _ if value is None:
            return cells.notna()
        case _:
            return ~cells.isin(value) if isinstance(value, list) else cells != value


def _names(wanted: list, column: pd.Series) -> list:
    """The values that ``in`` asks for: of a list in it, the first that the column has."""
    found = set(column.unique()) if any(isinstance(entry, list) for entry in wanted) else ()
    chosen = [[name for name in entry if name in found][:1] if isinstance(entry, list) else [entry] for entry in wanted]
    return [name for names in chosen for name in names]


def _one(numbers: pd.Series | SeriesGroupBy, query: Mapping, place: object) -> pd.Series | float:
    """The one number that the rows become, or those of each group."""
    if "take" in query or "each" in query:
        return _aggregate(numbers, query.get("take", "mean"))
    rows = np.max(numbers.agg("size"))
    if rows != 1:
        raise InputError(
            place,
            f"{rows} rows of {query['table']} match",
            "narrow `where`, or say by `take` how they become one",
        )
    return numbers.agg("max")


def _aggregate(numbers: pd.Series | SeriesGroupBy, aggregation: str | Mapping) -> pd.Series | float:
    if isinstance(aggregation, str):
        return numbers.agg(_AGGREGATIONS[aggregation])
    ((name, limit),) = aggregation.items()
    function = _AGGREGATIONS_WITH_LIMIT[name]
    return function(numbers, limit) if isinstance(numbers, pd.Series) else numbers.agg(function, limit)


def _aggregated(numbers: pd.Series, aggregation: str | Mapping) -> pd.Series:
    if aggregation == "list":
        return pd.Series(sorted(numbers), dtype=float)
    return pd.Series([_aggregate(numbers, aggregation)], _SINGLE, dtype=float)


def _other(query: Mapping) -> dict | None:
    """Return the second query, which ``minus`` or ``divided_by`` describes by what differs; None if there is none."""
    changes = next((query[key] for key in _TWO_QUERIES if key in query), None)
    if changes is None:
        return None
    plain = {key: value for key, value in query.items() if key not in (*_TWO_QUERIES, "over")}
    return {**plain, **changes, "where": {**query.get("where", {}), **changes.get("where", {})}}


def _of_both(query: Mapping, numbers: pd.Series, other: pd.Series, place: object) -> pd.Series:
    """Return the differences, or the ratios, of two queries; one with fewer keys is used for all that have them."""
    (key,) = (key for key in _TWO_QUERIES if key in query)
    if other.index.names != numbers.index.names:
        places = pd.MultiIndex.from_arrays(list(map(numbers.index.get_level_values, other.index.names)))
        other = other.reindex(places).set_axis(numbers.index)
    found = _TWO_QUERIES[key](numbers, other * query[key].get("times", 1)).dropna()
    if found.empty:
        raise InputError(place, f"the query under `{key}` has other values of `by`", "change `by` or `where`")
    return found
