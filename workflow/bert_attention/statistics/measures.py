"""Functions of the result tables, with intervals: the claims, the numbers in prose and the comparison of models.

A function gets :class:`ResultTables` and returns a number, a series of numbers, a count of cells or a list.
:func:`measure` evaluates it on all texts, without each block of texts and for each seed of training. These replicates
are all that an interval needs.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Any, TypeAlias

import numpy as np
import pandas as pd

from bert_attention.errors import InputError, nearest
from bert_attention.statistics.counts import Count, count_beyond
from bert_attention.statistics.jackknife import Interval, Replicates, fewest_blocks, interval
from bert_attention.statistics.tables import with_intervals

# What stands for a value of a choice in an alternative analysis, such as {"selection": {"held_out": "same_data"}}.
Choices: TypeAlias = Mapping[str, Mapping]

# How layers of the paper's encoder are found in another: at the same relative depth.
RELATIVE = "relative_depth"
# The columns that name a head.
_HEAD_KEYS = ["layer", "head"]
# The index of a result that is a single number.
_SINGLE = pd.Index(["value"])


class NothingFoundError(InputError):
    """Error of a function that finds no number: its tables have no such row, or an empty cell."""


class NotMadeError(NothingFoundError):
    """Error of a function that asks for a table which an edition does not make."""


class EmptyCellError(NothingFoundError):
    """Error of a function that finds rows, but no number in them."""


class NoneWithinLimitsError(NothingFoundError):
    """Error of a function that finds no row beyond a limit. This is a finding, not a mistake in the function."""


class TableReader:
    """Reads the result tables of a model, and keeps the rows that functions have asked for."""

    def __init__(self, read: Callable[[str], Replicates], choices: Choices | None = None) -> None:
        """Remember how to read a table by its name, and the choices of an alternative analysis."""
        self._read, self.choices = read, choices or {}
        self._tables: dict[str, Replicates] = {}
        self._rows: dict[Hashable, Replicates] = {}

    def table(self, name: str) -> Replicates:
        """Return a table with its replicates."""
        if name not in self._tables:
            self._tables[name] = self._read(name)
        return self._tables[name]

    def rows(self, name: str, where: Mapping[str, object], with_bounds: bool = False) -> Replicates:
        """Return the rows of a table that have some values. For the filter, see :meth:`ResultTables.rows`."""
        key = (name, with_bounds, *((column, _hashable(wanted)) for column, wanted in where.items()))
        if key not in self._rows:
            table = self.table(name)
            if with_bounds and not any(column.endswith("low") for column in table.whole):
                table = Replicates(with_intervals(table, name))
            self._rows[key] = table.split(_matching(table.all_rows, where, name)) if where else table
        return self._rows[key]


def _hashable(wanted: object) -> Hashable:
    return tuple(wanted) if isinstance(wanted, list) else wanted


def _matching(rows: pd.DataFrame, where: Mapping[str, object], name: str) -> pd.DataFrame:
    """Return the rows that have the wanted values."""
    for column, wanted in where.items():
        if column not in rows:
            guess = nearest(column, rows.columns)
            remedy = f"did you mean {guess}?" if guess else f"its columns are {', '.join(rows.columns)}"
            raise InputError(f"table {name}", f"has no column {column}", remedy)
        cells = rows[column]
        if wanted is None:
            rows = rows[cells.isna()]
        else:
            rows = rows[cells.isin(wanted) if isinstance(wanted, list) else cells == wanted]
        if rows.empty:
            asked = ", ".join(f"{key}: {value}" for key, value in where.items())
            raise NothingFoundError(f"table {name}", f"{name} has no rows with {asked}", "change the values")
    return rows


@dataclass
class ResultTables:
    """The result tables of a model, as a function of them sees them: made of all texts, or of a part of the texts.

    A table is called like a method: ``t.clark_positions(target="sep")`` returns the rows of ``clark_positions`` with
    this target (see :meth:`rows`).
    """

    reader: TableReader
    depth: int = 0  # the number of layers of the paper's encoder, for :meth:`layers`
    part: Callable[[Replicates], pd.DataFrame] = lambda table: table.whole  # returns the wanted replicate of a table
    asked: dict[str, Replicates] = field(default_factory=dict)  # the tables asked for, by name
    returned: list[Replicates] = field(default_factory=list)  # the rows of them that were returned
    ranges: dict[tuple[int, int], None] = field(default_factory=dict)  # the ranges of layers asked for, in order
    selected: list[int] = field(default_factory=list)  # the numbers of heads that passed a limit (see :meth:`only`)

    def __getattr__(self, name: str) -> Callable[..., pd.DataFrame]:
        """Return the method that returns rows of the table of this name."""
        if name.startswith("_"):
            raise AttributeError(name)
        return partial(self.rows, name)

    def rows(self, table: str, /, **where: object) -> pd.DataFrame:
        """Return the rows of a table that have these values in their columns.

        A list stands for any of its values, and None for an empty cell. In each replicate, the same rows are found.
        pandas leaves empty cells out of means and extremes; :func:`full` refuses them. Raise NothingFoundError if there
        are no such rows, and InputError if the table has no such column. Each value can be another in an alternative
        analysis (see :meth:`chosen`).
        """
        self.asked[table] = self.reader.table(table)
        chosen = {column: self.chosen(column, value) for column, value in where.items()}
        self.returned.append(self.reader.rows(table, chosen))
        return self.part(self.returned[-1])

    def chosen(self, choice: str, value: Any) -> Any:
        """Return the value of a choice that an analysis makes, or what an alternative analysis takes instead.

        ``choice`` is a column of a table, or a name that the claim gives. Of a list, each value is replaced.
        """
        others = self.reader.choices.get(choice, {})
        return [others.get(each, each) for each in value] if isinstance(value, list) else others.get(value, value)

    def with_bounds(self, table: str, /, **where: object) -> pd.DataFrame:
        """Return the rows with the bounds of each statistic, such as ``gain_low``; the same in each replicate."""
        return self.reader.rows(table, where, with_bounds=True).whole

    def layers(self, rows: pd.DataFrame, first: int, last: int) -> pd.DataFrame:
        """Return the rows of the layers at the relative depth of layers ``first`` to ``last`` of the paper's encoder.

        Layer 0, which stands for all layers, is not among them. An alternative takes the layers of the same numbers.
        """
        self.ranges[first, last] = None
        depth = self.depth if self.chosen("layers", RELATIVE) == RELATIVE else self.deepest
        layers = rows["layer"].where(rows["layer"] > 0)
        return rows[at_relative_depth(layers, first, last, depth, self.deepest)]

    @property
    def last_early(self) -> int:
        """The last early layer of the paper's encoder. Papers do not define "early": here, it is the first third."""
        return self.depth // self.chosen("early", 3)

    @property
    def deepest(self) -> float:
        """The number of layers of the encoder: the highest layer in the tables that the function has asked for."""
        return max(table.whole["layer"].max() for table in self.asked.values() if "layer" in table.whole)

    def only(self, rows: pd.DataFrame, within: pd.Series) -> pd.DataFrame:
        """Return the rows beyond a limit, for which ``within`` is True. A statement needs several such heads.

        A head with several rows, such as one per task, counts once. Rows without a head count each. Raise
        NoneWithinLimitsError if there is no such row.
        """
        found = rows[within]
        if found.empty:
            raise NoneWithinLimitsError("result tables", "no row is within the limit", "change the limit")
        has_heads = {*_HEAD_KEYS} <= {*found}
        self.selected.append(len(found.drop_duplicates(_HEAD_KEYS) if has_heads else found))
        return found

    def heads_of(self, rows: pd.DataFrame, heads: pd.DataFrame) -> pd.DataFrame:
        """Return the rows whose layer and head are among those of other rows.

        Raise NoneWithinLimitsError if there is no such row.
        """
        own, wanted = (pd.MultiIndex.from_frame(table[_HEAD_KEYS]) for table in (rows, heads))
        return self.only(rows, own.isin(wanted))


@dataclass(frozen=True)
class Counted:
    """The number, or the share, of cells beyond a limit, or a difference of such numbers.

    It is as uncertain as its cells, so that it keeps them (see :class:`bert_attention.statistics.counts.Count`).
    """

    parts: Sequence[tuple[float, np.ndarray]]  # the weight of each number in the sum, and its cells ``[cell]``
    limit: float
    is_above: bool  # True for cells above the limit
    is_share: bool

    def __float__(self) -> float:
        """Return the number, or NaN for a share of no cells."""
        return float(sum(weight * self._value(cells) for weight, cells in self.parts))

    def __sub__(self, other: Counted) -> Counted:
        """Return the difference of two numbers with the same limit."""
        return replace(self, parts=[*self.parts, *((-weight, cells) for weight, cells in other.parts)])

    def _value(self, cells: np.ndarray) -> float:
        beyond = cells > self.limit if self.is_above else cells < self.limit
        if not self.is_share:
            return beyond.sum()
        return beyond.mean() if len(cells) else math.nan


def count_above(cells: pd.Series, limit: float) -> Counted:
    """Return the number of cells above a limit; raise EmptyCellError if a cell is NaN, as for shares and lists."""
    return Counted([(1.0, full(cells).to_numpy())], limit, is_above=True, is_share=False)


def share_above(cells: pd.Series, limit: float) -> Counted:
    """Return the share of cells above a limit."""
    return Counted([(1.0, full(cells).to_numpy())], limit, is_above=True, is_share=True)


def share_below(cells: pd.Series, limit: float) -> Counted:
    """Return the share of cells below a limit."""
    return Counted([(1.0, full(cells).to_numpy())], limit, is_above=False, is_share=True)


def share_within(cells: pd.Series, limit: float) -> Counted:
    """Return the share of cells between ``-limit`` and ``limit``."""
    return share_below(cells.abs(), limit)


def full(cells: pd.Series) -> pd.Series:
    """Return cells, or raise EmptyCellError if a cell is NaN. pandas leaves NaN out of means, extremes and counts."""
    if cells.isna().any():
        raise EmptyCellError("result tables", "a cell is empty or not a number", "leave out such rows")
    return cells


@dataclass(frozen=True)
class Listed:
    """A list to compare with another list: the entries of the cells above a limit, such as the layers of heads."""

    entries: np.ndarray  # an entry for each cell
    cells: np.ndarray
    limit: float

    @property
    def found(self) -> list[float]:
        """Return the entries of the cells above the limit, sorted."""
        return sorted(map(float, self.entries[self.cells > self.limit]))


def list_above(entries: pd.Series, cells: pd.Series, limit: float) -> Listed:
    """Return the list of the entries whose cells are above a limit."""
    return Listed(entries.to_numpy(), full(cells).to_numpy(), limit)


@dataclass(frozen=True)
class Measured:
    """The numbers that a function of the result tables found.

    A single number has the index ``value``. The numbers of a series are indexed by their keys. A list is sorted and
    indexed from 0. The numbers without each block of units (``left_out``) and of each seed of training (``of_seeds``)
    are NaN if the function finds nothing there, or a list of another length. Both are empty if the numbers do not vary
    with texts.

    ``count`` is the number as a count of cells, which has an interval of its own, or the number of a list's entries.
    None means that the number is not a count, or that the counted rows change with the units. ``rows_within_limit`` is
    the number of heads within a limit, or of rows without a head, that make up a number. If several limits select rows,
    the smallest number counts. Without a limit, the number is None.
    """

    numbers: pd.Series
    left_out: Sequence[pd.Series] = ()
    of_seeds: Sequence[pd.Series] = ()
    blocks: int | None = None  # the number of blocks of the smallest corpus behind the numbers
    limits: tuple[float, float] = (-math.inf, math.inf)  # the lowest and highest possible numbers
    count: Count | None = None
    entries: Sequence[float] = ()  # for a list, the entry of each cell of ``count``
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
        return Replicates(self.numbers, self.left_out, self.of_seeds, self.blocks)

    def interval(self) -> Interval:
        """Return the numbers with their 95% intervals, clipped to the limits; NaN if nothing varies."""
        found = interval(np.asarray, self.replicates)
        return Interval(found.value, found.low.clip(*self.limits), found.high.clip(*self.limits))

    def at(self, keys: pd.Index) -> Measured:
        """Return the numbers of some keys of the index."""
        kept = self.replicates.map(lambda numbers: numbers.reindex(keys))
        return replace(self, numbers=kept.whole, left_out=kept.left_out, of_seeds=kept.of_seeds, count=None)


Found: TypeAlias = float | pd.Series | Counted | Listed
Function: TypeAlias = Callable[[ResultTables], Found]


@dataclass(frozen=True)
class _Evaluations:
    """The results of a function for all texts, and for each replicate of the tables that it asks for."""

    function: Function
    t: ResultTables
    whole: Found

    @cached_property
    def left_out(self) -> list[Found | None]:
        """Return the results without each block; None where the function finds nothing."""
        blocks = max((len(table.left_out) for table in self.t.returned), default=0)
        return [self._part("left_out", number) for number in range(blocks)]

    @cached_property
    def fewest_blocks(self) -> int:
        """The number of blocks of the corpus with the fewest, of those that the function asks for."""
        return fewest_blocks(self.t.returned)

    @cached_property
    def of_seeds(self) -> list[Found | None]:
        """Return the results of each seed of training."""
        seeds = [len(table.of_seeds) for table in self.t.returned if table.of_seeds]
        return [self._part("of_seeds", number) for number in range(min(seeds, default=0))]

    def _part(self, kind: str, number: int) -> Found | None:
        def part(table: Replicates) -> pd.DataFrame:
            replicates = getattr(table, kind)
            return replicates[number] if number < len(replicates) else table.whole

        try:
            return self.function(ResultTables(self.t.reader, self.t.depth, part))
        except NothingFoundError:
            return None

    def each(self, change: Callable[[Any], Any]) -> Replicates | None:
        """Apply a function to all results; None if one of them is missing."""
        results = (self.whole, *self.left_out, *self.of_seeds)
        if any(result is None for result in results):
            return None
        return Replicates(self.whole, self.left_out, self.of_seeds, self.fewest_blocks).map(change)


def measure(
    function: Function,
    tables: TableReader | ResultTables,
    limits: tuple[float, float] = (-math.inf, math.inf),
    is_exact: bool = False,
) -> Measured:
    """Evaluate a function of result tables on all texts, without each block, and for each seed of training.

    The function returns a number, a series of numbers with keys as its index, :class:`Counted` or :class:`Listed`. If
    ``tables`` are :class:`ResultTables`, they tell afterwards what the function asked for. ``limits`` are the lowest
    and highest possible numbers. ``is_exact`` is True for a number that does not vary with the texts, such as the
    number of labeled maps. Raise NothingFoundError if the function finds no row, or an empty cell.
    """
    t = tables if isinstance(tables, ResultTables) else ResultTables(tables)
    found = _Evaluations(function, t, function(t))
    numbers = numbers_of(found.whole)
    within = min(t.selected, default=None)
    if is_exact:
        return Measured(numbers, limits=limits, rows_within_limit=within)
    left_out, of_seeds = ([_like(numbers, part) for part in parts] for parts in (found.left_out, found.of_seeds))
    entries = found.whole.entries.tolist() if isinstance(found.whole, Listed) else ()
    return Measured(numbers, left_out, of_seeds, found.fewest_blocks, limits, _count(found), entries, within)


def numbers_of(found: Found) -> pd.Series:
    """Return what a function found as numbers, indexed as in :class:`Measured`; raise EmptyCellError for NaN."""
    numbers = _numbers(found)
    if numbers.isna().any():
        raise EmptyCellError("result tables", "a cell is empty or not a number", "leave out such rows")
    return numbers


def _numbers(found: Found) -> pd.Series:
    if isinstance(found, Listed):
        return pd.Series(found.found, dtype=float)
    if not isinstance(found, pd.Series):
        return pd.Series([float(found)], _SINGLE)
    if isinstance(found.index, pd.MultiIndex):
        return found.astype(float)
    return found.astype(float).set_axis(pd.MultiIndex.from_arrays([found.index], names=[found.index.name]))


def _like(numbers: pd.Series, found: Found | None) -> pd.Series:
    """Return the numbers of a replicate with the index of ``numbers``; NaN for a list of another length."""
    if found is None:
        return numbers * np.nan
    own = _numbers(found)
    if isinstance(own.index, pd.RangeIndex) and len(own) != len(numbers):
        return numbers * np.nan
    return own.reindex(numbers.index)


def _count(found: _Evaluations) -> Count | None:
    """Return the count behind a result, or None if there is none or the replicates differ in their numbers of cells."""
    if not isinstance(found.whole, Counted | Listed) or not (found.left_out or found.of_seeds):
        return None
    if isinstance(found.whole, Listed):
        listed = found.each(lambda result: result.cells)
        return count_beyond([(1.0, listed)], found.whole.limit, True, False) if listed else None
    parts = []
    for number, (weight, cells) in enumerate(found.whole.parts):
        replicates = found.each(partial(_cells, number))
        if not replicates:
            return None
        if any(len(part) != len(cells) for part in (*replicates.left_out, *replicates.of_seeds)):
            return None
        parts.append((weight, replicates))
    return count_beyond(parts, found.whole.limit, found.whole.is_above, found.whole.is_share)


def _cells(number: int, counted: Counted) -> np.ndarray:
    return counted.parts[number][1]


def at_relative_depth(layers: pd.Series, first: int, last: int, depth: float, deepest: float) -> pd.Series:
    """Return True for the layers at the relative depth of ``first`` to ``last`` in an encoder of ``depth`` layers.

    The encoder of ``layers`` has ``deepest`` layers. A layer is at the middle of its slice of the encoder (see
    :func:`bert_attention.heads.relative_depth`). A range includes the start of its first layer's slice, but not the end
    of its last layer's slice. So consecutive ranges share no layer, and leave out no layer, at any depth. In an
    encoder of ``depth`` layers, a range has exactly the layers that it names.
    """
    # All numbers are multiplied to be integers, because rounding could move a layer across an end.
    middle = (2 * layers - 1) * depth
    return (2 * (first - 1) * deepest <= middle) & (middle < 2 * last * deepest)
