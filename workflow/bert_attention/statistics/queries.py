"""Queries of the result tables. A query names a table, some rows, a column, and an aggregation of the cells.

The scoreboard, the facts of the paper, and the comparison of models all find their numbers by :func:`measure`.
``publication.schema.yaml`` describes the keys of a query.
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
from bert_attention.statistics.counts import Count, count_beyond
from bert_attention.statistics.jackknife import Interval, Replicates, analyze_tables, interval
from bert_attention.statistics.tables import with_intervals
from bert_attention.tables import columns_of

# The names of aggregations in pandas.
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
    # for differences in either direction
    "share_within": lambda numbers, limit: (numbers.abs() < limit).mean(),
    # for a column of names
    "share_of": lambda names, name: (names == name).mean(),
}
# Counts of numbers beyond a limit: True for numbers above the limit, and True for a share instead of a number.
_COUNTS = {
    "share_above": (True, True),
    "share_below": (False, True),
    "number_above": (True, False),
    "number_below": (False, False),
    "share_within": (False, True),
}
# Keys of a query that describe a second query by its changes, and the operation on the numbers of both queries.
_OPERATORS = {"minus": operator.sub, "divided_by": operator.truediv}
# Aggregations that work without any rows.
_WITHOUT_ROWS = ("count", "list")
# Aggregations whose result lies within the limits of the column's numbers.
_WITHIN_LIMITS = (None, "mean", "median", "smallest", "largest")
# The index of a result that is a single number.
_SINGLE = pd.Index(["value"])


class NothingFoundError(InputError):
    """Error of a query that finds nothing: no row passes its filter, or the cell is empty."""


class EmptyCellError(NothingFoundError):
    """Error of a query that finds rows, but no number in them."""


class NoneWithinLimitsError(NothingFoundError):
    """Error of a query that finds no row above or below its limit. This is a finding, not a mistake in the query."""


@dataclass(frozen=True)
class Measured:
    """The result of a query.

    Attributes
    ----------
    numbers
        A single number has the index ``value``. With ``by``, there is a number for each value of these columns, which
        are the index. A list is sorted and indexed from 0.
    left_out, of_seeds
        The numbers without each block of units, and the numbers of each seed of training, as in :class:`Replicates`.
        They are NaN if the query finds nothing there, or a list of another length. Both are empty if the query involves
        no statistic of its table.
    limits
        The lowest and highest possible numbers.
    count
        The number as a count of cells, which has an interval of its own. For a list of numbers beyond a limit, the
        length of the list. None if the number is not a count, or if the counted rows change with the units.
    entries
        For a list of numbers beyond a limit, the list entry that belongs to each cell of ``count``.
    rows_within_limit
        The number of rows, such as heads above a limit, that are aggregated to a number. If the query subtracts or
        divides by rows within a limit, the smaller number. None if no limit selects the aggregated rows.
    """

    numbers: pd.Series
    left_out: Sequence[pd.Series] = ()
    of_seeds: Sequence[pd.Series] = ()
    limits: tuple[float, float] = (-math.inf, math.inf)
    count: Count | None = None
    entries: Sequence[float] = ()
    rows_within_limit: int | None = None

    @property
    def is_single(self) -> bool:
        """True for a single number."""
        return self.numbers.index.equals(_SINGLE)

    @property
    def varies(self) -> bool:
        """True if the numbers vary with units or seeds."""
        return bool(len(self.left_out) or len(self.of_seeds))

    @property
    def is_list(self) -> bool:
        """True for a list."""
        return isinstance(self.numbers.index, pd.RangeIndex)

    @property
    def replicates(self) -> Replicates:
        """The numbers with their replicates."""
        return Replicates(self.numbers, self.left_out, self.of_seeds)

    def interval(self) -> Interval:
        """Return the numbers with their 95% intervals, clipped to the limits; NaN if nothing varies."""
        found = interval(np.asarray, self.replicates)
        return Interval(found.value, found.low.clip(*self.limits), found.high.clip(*self.limits))

    def at(self, keys: pd.Index) -> Measured:
        """Return the numbers of some keys of the index."""
        kept = self.replicates.map(lambda numbers: numbers.reindex(keys))
        return replace(self, numbers=kept.whole, left_out=kept.left_out, of_seeds=kept.of_seeds, count=None)


def measure(query: Mapping, tables: Callable[[str], Replicates], depth: int, location: object) -> Measured:
    """Find the numbers of a query in the result tables, and in each of their replicates.

    Parameters
    ----------
    query
        Mapping with the keys in ``publication.schema.yaml``: ``table``, ``where``, ``column``, ``take``, ...
    tables
        Function that returns a result table by its name. A query can also use the columns with the bounds of
        intervals, which have no intervals themselves.
    depth
        Number of layers of the encoder that ``layers`` refers to, or 0 if the query has no ``layers``.
    location
        Location of the query, for messages.

    Raises
    ------
    NothingFoundError
        If no row passes the filter of a query for a number, or if a cell is empty.
    InputError
        If a column does not exist, or if several rows pass the filter and the query does not say how to combine them.
    """
    query = _counting_beyond_limit(query)
    parts = {"rows": query, "other": other} if (other := _second_query(query)) else {"rows": query}
    rows = {name: _filtered(tables(part["table"]), part, depth, location) for name, part in parts.items()}
    numbers = _evaluate(query, location, **{name: found.whole for name, found in rows.items()})

    def replicate(**rows: pd.DataFrame) -> pd.Series:
        try:
            found = _evaluate(query, location, **rows)
        except InputError:
            return numbers * np.nan
        if isinstance(found.index, pd.RangeIndex) and len(found) != len(numbers):
            return numbers * np.nan
        return found.reindex(numbers.index)

    found: Any = analyze_tables(replicate, _varies(parts), **rows)
    is_within_limits = query.get("take") in _WITHIN_LIMITS and {*_OPERATORS, "over"}.isdisjoint(query)
    limits = results().limits(query["table"], query["column"]) if is_within_limits else Measured.limits
    counting = _counting_beyond_limit({**query, "take": "count"}) if query.get("take") == "list" else query
    if counting["column"] == query["column"]:
        count = _counted_cells(query, parts, rows, lambda changed: measure(changed, tables, depth, location))
        selected = [len(rows[name].whole) for name, part in parts.items() if _limits(part) and "take" in part]
        within = min(selected, default=None)
        return Measured(numbers, found.left_out, found.of_seeds, limits, count, rows_within_limit=within)
    count = measure(counting, tables, depth, location).count
    candidates = _filtered(tables(query["table"]), {**counting, "column": query["column"]}, depth, location)
    entries = candidates.whole[query["column"]].to_list()
    return Measured(numbers, found.left_out, found.of_seeds, limits, count, entries)


def at_relative_depth(layers: pd.Series, first: int, last: int, depth: int) -> pd.Series:
    """Return True for the layers at the relative depth of ``first`` to ``last`` in an encoder of ``depth`` layers.

    The encoder of ``layers`` has as many layers as the highest of them. A layer is at the middle of its slice of the
    encoder (see :func:`bert_attention.heads.relative_depth`). A range includes the start of its first layer's slice,
    but not the end of its last layer's slice. So consecutive ranges share no layer, and leave out no layer, at any
    depth. In an encoder of ``depth`` layers, a range has exactly the layers that it names.
    """
    # All numbers are multiplied to be integers, because rounding could move a layer across an end.
    middle = (2 * layers - 1) * depth
    return (2 * (first - 1) * layers.max() <= middle) & (middle < 2 * last * layers.max())


def _counting_beyond_limit(query: Mapping) -> Mapping:
    """Rewrite a query that counts rows beyond a limit to count cells instead; return other queries unchanged."""
    limits = [(column, limit) for column, limit in query.get("where", {}).items() if _is_limit(limit)]
    if query.get("take") != "count" or len(limits) != 1 or _second_query(query):
        return query
    ((column, limit),) = limits
    ((side, bound),) = limit.items()
    where = {key: value for key, value in query["where"].items() if key != column}
    return {**query, "where": where, "column": column, "take": {f"number_{side}": bound}}


def _counted_cells(
    query: Mapping, parts: Mapping[str, Mapping], rows: Mapping[str, Replicates], before: Callable[[Mapping], Measured]
) -> Count | None:
    """Return a query's number as a count, or None if it counts nothing or replicates differ in the number of rows.

    Parameters
    ----------
    before
        Function that measures the query without its last step.
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
        columns = [rows[key].map(operator.itemgetter(part["column"])) for key, part in parts.items()]
        cells = list(zip((1.0, -query.get("minus", {}).get("times", 1)), columns, strict=False))
    if name == "share_within":
        cells = [(weight, part.map(abs)) for weight, part in cells]
    same = all(len(replicate) == len(part.whole) for _, part in cells for replicate in (*part.left_out, *part.of_seeds))
    return count_beyond(cells, limit, *_COUNTS[name]) if same else None


def _varies(parts: Mapping[str, Mapping]) -> bool:
    return any(map(_asks_of_statistics, parts.values()))


def _asks_of_statistics(query: Mapping) -> bool:
    """Return True if a query involves columns that vary with the units and therefore have intervals."""
    limited = [column for column, _ in _limits(query)]
    return not {query["column"], *limited}.isdisjoint(results().tables[query["table"]].statistics)


def _limits(query: Mapping) -> list[tuple[str, Mapping]]:
    """Return the columns whose cells must be above or below a limit, with their limits."""
    wanted = [*query.get("where", {}).items(), *query.get("heads", {}).items()]
    return [(column, limit) for column, limit in wanted if _is_limit(limit)]


def _is_limit(wanted: object) -> bool:
    return isinstance(wanted, Mapping) and not {"above", "below"}.isdisjoint(wanted)


def _evaluate(query: Mapping, location: object, rows: pd.DataFrame, other: pd.DataFrame | None = None) -> pd.Series:
    """Return the numbers of a query, indexed as in :class:`Measured`, from the filtered rows."""
    numbers = _numbers(query, rows, location)
    if other is not None:
        numbers = _combined(query, numbers, _numbers(_second_query(query) or {}, other, location), location)
    return _aggregate_over(numbers, query["over"]) if "over" in query else numbers


def _numbers(query: Mapping, rows: pd.DataFrame, location: object) -> pd.Series:
    """Return the numbers of a query, without its second query under ``minus`` or ``divided_by``."""
    if rows.empty and query.get("take") not in _WITHOUT_ROWS:
        wanted = [f"{column} {word} {bound}" for column, limit in _limits(query) for word, bound in limit.items()]
        problem = f"{query['table']} has no rows with {', '.join(wanted)}"
        raise NoneWithinLimitsError(location, problem, "change the limit")
    if "task" in (*query.get("by", []), query.get("each")):  # skip tasks that were not measured, unless no task was
        lacking = rows.loc[rows[query["column"]].isna(), "task"]
        rows = rows if set(lacking) == set(rows["task"]) else rows[~rows["task"].isin(lacking)]
    if rows[query["column"]].isna().any():
        raise EmptyCellError(
            location,
            f"a cell of {query['table']}.{query['column']} is empty or not a number",
            "exclude such rows by `where`",
        )
    by, column = query.get("by", []), query["column"]
    # Empty cells are keys, too (dropna=False), because models with an unknown seed have an empty seed.
    if "each" in query:
        rows = rows.groupby([*by, query["each"]], dropna=False)[column].mean().reset_index()
    if by:
        numbers = pd.Series(_one_number(rows.groupby(by, dropna=False)[column], query, location)).astype(float)
        return numbers if len(by) > 1 else numbers.set_axis(pd.MultiIndex.from_arrays([numbers.index], names=by))
    if query.get("take") == "list":
        return pd.Series(sorted(map(float, rows[column])), dtype=float)
    return pd.Series([_one_number(rows[column], query, location)], _SINGLE, dtype=float)


def _filtered(table: Replicates, query: Mapping, depth: int, location: object) -> Replicates:
    """Return the rows that match ``where``, ``layers`` and ``heads``. Only a limit can leave no rows."""
    columns = [query["column"], *query.get("by", []), *([query["each"]] if "each" in query else [])]
    named = [*query.get("where", {}), *query.get("heads", {}), *columns]
    if {*named}.difference(table.whole) & {*columns_of(query["table"])}:
        table = Replicates(with_intervals(table, query["table"]))
    rows = table.all_rows
    for column in named:
        if column not in rows:
            guess = nearest(column, rows.columns)
            raise InputError(
                location,
                f"{query['table']} has no column {column}",
                f"did you mean {guess}?" if guess else f"its columns are {', '.join(rows.columns)}",
            )
    if "layers" in query:
        first, last = query["layers"]
        rows = rows[at_relative_depth(rows["layer"].where(rows["layer"] > 0), first, last, depth)]
    found = _matching(rows, query, "where", location)
    if "heads" in query:
        matching_heads = _matching(rows, query, "heads", location)
        own, wanted = (
            pd.MultiIndex.from_arrays([part.index // len(table.whole), part["layer"], part["head"]])
            for part in (found, matching_heads)
        )
        found = found[own.isin(wanted)]
    return table.split(found[[*dict.fromkeys(columns)]])  # drop other columns first, because the split copies the rest


def _matching(rows: pd.DataFrame, query: Mapping, part: str, location: object) -> pd.DataFrame:
    """Return the rows that match a filter, ``where`` or ``heads``."""
    for column, wanted in sorted(query.get(part, {}).items(), key=lambda item: _is_limit(item[1])):
        rows = rows[matches(rows, column, wanted)]
        if rows.empty and not _is_limit(wanted):
            raise NothingFoundError(
                location,
                f"{query['table']} has no rows with {column}: {wanted} (after the earlier keys of `{part}`)",
                "change `where` or `heads`",
            )
    return rows


def select(rows: pd.DataFrame, where: Mapping) -> pd.DataFrame:
    """Return the rows of a table that match the filter of a query."""
    for column, wanted in where.items():
        rows = rows[matches(rows, column, wanted)]
    return rows


def matches(rows: pd.DataFrame, column: str, wanted: object) -> pd.Series:
    """Return True for the rows whose cell in a column matches a filter's value."""
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
    """Return the values under ``in``, with each nested list replaced by its first value that the column has."""
    found = set(column.unique()) if any(isinstance(entry, list) for entry in wanted) else ()
    chosen = [[name for name in entry if name in found][:1] if isinstance(entry, list) else [entry] for entry in wanted]
    return [name for names in chosen for name in names]


def _one_number(numbers: pd.Series | SeriesGroupBy, query: Mapping, location: object) -> pd.Series | float:
    """Aggregate the rows, or the rows of each group, to one number."""
    if "take" in query or "each" in query:
        return _aggregate(numbers, query.get("take", "mean"))
    rows = np.max(numbers.agg("size"))
    if rows != 1:
        raise InputError(
            location,
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


def _aggregate_over(numbers: pd.Series, aggregation: str | Mapping) -> pd.Series:
    if aggregation == "list":
        return pd.Series(sorted(numbers), dtype=float)
    return pd.Series([_aggregate(numbers, aggregation)], _SINGLE, dtype=float)


def _second_query(query: Mapping) -> dict | None:
    """Return the second query, whose changes are under ``minus`` or ``divided_by``, or None if there is none."""
    changes = next((query[key] for key in _OPERATORS if key in query), None)
    if changes is None:
        return None
    plain = {key: value for key, value in query.items() if key not in (*_OPERATORS, "over")}
    return {**plain, **changes, "where": {**query.get("where", {}), **changes.get("where", {})}}


def _combined(query: Mapping, numbers: pd.Series, other: pd.Series, location: object) -> pd.Series:
    """Return the differences or ratios of two queries. If the second has fewer keys, its numbers are repeated."""
    (key,) = (key for key in _OPERATORS if key in query)
    if other.index.names != numbers.index.names:
        shared = pd.MultiIndex.from_arrays(list(map(numbers.index.get_level_values, other.index.names)))
        other = other.reindex(shared).set_axis(numbers.index)
    found = _OPERATORS[key](numbers, other * query[key].get("times", 1)).dropna()
    if found.empty:
        raise InputError(location, f"the query under `{key}` has other values of `by`", "change `by` or `where`")
    return found
