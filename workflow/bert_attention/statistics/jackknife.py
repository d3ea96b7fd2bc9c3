"""Intervals by the delete-a-group jackknife, for every number of a table and every query on tables.

A table is made from all blocks, and again without each block. A block holds whole articles or documents, so the changes
of a number estimate its variation over other articles or documents of the same kind (Quenouille 1956, Tukey 1958;
Busing, Meijer and van der Leeden 1999, Statistics and Computing 9). The jackknife needs no formula for the number: it
treats a mean of heads, a difference of layers and a correlation of two curves alike. Numbers from the same blocks are
paired.

In simulations of 100 to 500 units, intervals of means, ratios, correlations and differences cover the truth in 93 to
96% of corpora. Some numbers jump: counts of heads above a limit, medians and the highest of many heads. Their
intervals are wider than necessary: for 144 heads with independent errors, they cover such a number's mean in 99% of
corpora. The intervals do not correct the luck of the highest of many (see
:mod:`bert_attention.statistics.held_out`).

Trained models also vary by their seed. Their tables are means over seeds. The variance between seeds, divided by the
number of seeds, is added to the variance between units. The degrees of freedom are combined as in Welch (1947) and
Satterthwaite (1946). If seeds vary far more than the units, such an interval covers the truth in 88 to 90% of cases
with two seeds, and in 93% with three.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from scipy.special import stdtr, stdtrit

from bert_attention.errors import InputError
from bert_attention.statistics.sums import FEWEST_BLOCKS, Sums

COVERAGE = 0.95
# A smaller standard error is rounding noise.
_ROUNDING = 1e-12


@dataclass(frozen=True)
class Replicates:
    """A table from all units, and the same table without some of the units.

    All tables have the same rows in the same order. Rows can be about corpora with fewer blocks than other rows.
    Without the blocks that their corpus lacks, they are as in the whole table. What was made from several rows has the
    number of blocks of the smallest corpus.
    """

    whole: pd.DataFrame  # the table from all blocks, or the mean of the tables of several seeds
    left_out: Sequence[pd.DataFrame] = ()  # the table without each block
    of_seeds: Sequence[pd.DataFrame] = ()  # the table of each seed of training, if there are several
    blocks: np.ndarray | int | None = (
        None  # the number of blocks of each row's corpus, or of all; None: all of left_out
    )

    @property
    def fewest_blocks(self) -> int:
        """The number of blocks of the corpus with the fewest."""
        most = len(self.left_out)
        return most if self.blocks is None else int(np.min(self.blocks, initial=most))

    @cached_property
    def all_rows(self) -> pd.DataFrame:
        """All tables stacked, with consecutive row numbers, so that one filter applies to every table."""
        return pd.concat([self.whole, *self.left_out, *self.of_seeds], ignore_index=True)

    def split(self, rows: pd.DataFrame) -> Replicates:
        """Split some rows of :attr:`all_rows`, in their original order, into the tables that the rows come from."""
        tables = 1 + len(self.left_out) + len(self.of_seeds)
        edges = np.searchsorted(rows.index, np.arange(tables + 1) * len(self.whole))
        whole, *parts = (rows.iloc[first:last] for first, last in pairwise(edges))
        left_out, of_seeds = parts[: len(self.left_out)], parts[len(self.left_out) :]
        blocks = self.blocks[whole.index] if isinstance(self.blocks, np.ndarray) else self.blocks
        return Replicates(whole, left_out, of_seeds, blocks)

    def where(self, matches: Callable[[pd.DataFrame], pd.Series]) -> Replicates:
        """Return the rows for which a function of the table is True, in every table."""
        return self.split(self.all_rows[matches(self.all_rows)]).with_rows(lambda rows: rows.reset_index(drop=True))

    def map(self, change: Callable[[Any], Any]) -> Replicates:
        """Apply a function to every table. What it makes counts as being about the corpus with the fewest blocks."""
        left_out, of_seeds = [*map(change, self.left_out)], [*map(change, self.of_seeds)]
        return Replicates(change(self.whole), left_out, of_seeds, self.fewest_blocks)

    def with_rows(self, change: Callable[[pd.DataFrame], pd.DataFrame]) -> Replicates:
        """Apply a function that keeps rows and their order, such as one that adds a column, to every table."""
        return replace(self.map(change), blocks=self.blocks)


class Interval(NamedTuple):
    """A number, or an array of numbers, with its 95% interval. Bounds are NaN if the data determine no interval."""

    value: np.ndarray
    low: np.ndarray
    high: np.ndarray


class Estimate(NamedTuple):
    """A number, or an array of numbers, with its standard error and the degrees of freedom of Student's t."""

    value: np.ndarray
    error: np.ndarray
    freedom: np.ndarray

    def margin(self, coverage: float = COVERAGE) -> np.ndarray:
        """Return half the width of the interval with this coverage."""
        error = np.array(self.error, dtype=float)
        # A number without variation has an interval of width 0 at any coverage.
        return np.multiply(stdtrit(self.freedom, (1 + coverage) / 2), error, out=error.copy(), where=error > 0)

    def interval(self) -> Interval:
        """Return the 95% interval."""
        return Interval(self.value, self.value - self.margin(), self.value + self.margin())

    def p_value(self, threshold: float | np.ndarray = 0.0) -> np.ndarray:
        """Return the two-sided p-value of a threshold. The interval with the coverage 1 - p ends at the threshold.

        The p-value of a number without variation is 0, or 1 if the number equals the threshold.
        """
        distance = np.abs(self.value - threshold)
        size = np.divide(distance, self.error, out=np.where(distance > 0, np.inf, 0.0), where=~(self.error < _ROUNDING))
        return 2 * stdtr(self.freedom, -size)


def tabulated(
    table: Callable[[Sums], pd.DataFrame | Mapping[str, pd.DataFrame]], sums: Sums
) -> Replicates | dict[str, Replicates]:
    """Make the table of an analysis from sums, with its replicates; a mapping by name if it makes several tables.

    Raise ValueError if a replicate and the table have different rows. The analysis has to choose the rows by
    ``sums.of_all``.
    """
    whole = table(sums)
    if sums.blocks < 2:  # without the only block, nothing is left
        return _collect(whole, [whole] * sums.blocks, [], sums.blocks)
    return _collect(whole, [table(sums.without(block)) for block in range(sums.blocks)], [], sums.blocks)


def analyze_tables(
    function: Callable[..., pd.DataFrame | Mapping[str, pd.DataFrame]], replicated: bool, **arguments: object
) -> Replicates | dict[str, Replicates]:
    """Apply a function to tables and other arguments. Return the table that it makes, or its tables by name.

    If ``replicated``, the function is called again with the tables without each block, and with the tables of each
    seed. If the function returns replicates of its own, these are kept.
    """
    tables = {name: table for name, table in arguments.items() if isinstance(table, Replicates)}
    if not replicated:
        tables = {name: Replicates(table.whole) for name, table in tables.items()}

    def applied(*rows: pd.DataFrame) -> pd.DataFrame | Mapping[str, pd.DataFrame]:
        return function(**arguments | dict(zip(tables, rows, strict=True)))

    whole, left_out, of_seeds = _apply(applied, [*tables.values()])
    return _collect(whole, left_out, of_seeds, fewest_blocks(tables.values()))


def over_seeds(by_seed: Sequence[Replicates]) -> Replicates:
    """Average the float columns of the tables of several seeds, row by row. Keep the first table's other columns."""
    if len(by_seed) == 1:
        return by_seed[0]
    whole, left_out, _ = _apply(_mean, by_seed)
    of_seeds = [table.whole for table in by_seed]
    return replace(by_seed[0], whole=whole, left_out=left_out, of_seeds=of_seeds)


def joined(by_group: Mapping[str, Any]) -> Any:
    """Stack the tables of all groups, with columns ``seed`` and ``task``; a mapping by name if a group has several.

    Groups are tasks (``qnli``), numbers of random encoders (``2``), or both (``2/qnli``). If the only group has an
    empty name, its table is returned unchanged.
    """
    if list(by_group) == [""]:
        return by_group[""]
    first = next(iter(by_group.values()))
    if isinstance(first, Mapping):
        return {name: joined({group: tables[name] for group, tables in by_group.items()}) for name in first}
    return stacked([_labeled(table, group) for group, table in by_group.items()])


def control_rows(table: Replicates, number: str) -> Replicates:
    """Return the rows of random encoder ``number`` in the table of a control, without the column ``seed``."""
    of_encoder = table.where(lambda rows: rows["seed"] == int(number))
    return of_encoder.with_rows(lambda rows: rows.drop(columns="seed"))


def _labeled(table: Replicates, group: str) -> Replicates:
    labels = dict(("seed", int(part)) if part.isdecimal() else ("task", part) for part in group.split("/"))
    return table.with_rows(lambda rows: rows.assign(**labels)[[*labels, *rows.columns.difference(labels, sort=False)]])


def stacked(parts: Sequence[Replicates]) -> Replicates:
    """Stack the rows of several tables in each replicate.

    If one table has enough blocks for intervals and another has too few, the replicates of the second are NaN, so that
    its numbers have no interval.
    """
    if any(len(part.left_out) >= FEWEST_BLOCKS for part in parts):
        parts = [_unknown_without_blocks(part) if _has_too_few_blocks(part) else part for part in parts]
    most = max(len(part.left_out) for part in parts)
    blocks = [_blocks_of_rows(part, most) for part in parts]
    return Replicates(*_apply(lambda *rows: pd.concat(rows, ignore_index=True), parts), np.concatenate(blocks))


def _blocks_of_rows(table: Replicates, most: int) -> np.ndarray:
    """Return the number of blocks of each row. Rows without intervals count as having the most: they limit no other."""
    blocks = len(table.left_out) if table.blocks is None else table.blocks
    return np.where(np.broadcast_to(blocks, len(table.whole)) < FEWEST_BLOCKS, most, blocks)


def _has_too_few_blocks(table: Replicates) -> bool:
    return 0 < table.fewest_blocks < FEWEST_BLOCKS


def fewest_blocks(tables: Iterable[Replicates]) -> int:
    """Return the number of blocks of the row with the fewest, of tables that have blocks; 0 if none has."""
    return min((table.fewest_blocks for table in tables if len(table.left_out)), default=0)


def _unknown_without_blocks(table: Replicates) -> Replicates:
    numbers = table.whole.select_dtypes("float").columns
    unknown = table.whole.assign(**dict.fromkeys(numbers, np.nan))
    return Replicates(table.whole, [unknown] * len(table.left_out), table.of_seeds)


def interval(query: Callable[..., np.ndarray | float], *tables: Replicates) -> Interval:
    """Return the value of any function of tables, with its 95% interval.

    Parameters
    ----------
    query
        Function from one table per :class:`Replicates` to a number, or an array of numbers.

    Returns
    -------
    Value, low and high, as arrays of the shape that the query returns. Low and high are NaN if a replicate has no
    value, or if there are neither blocks nor two seeds. They are also NaN if a table has blocks, but fewer than
    :data:`FEWEST_BLOCKS`.

    Raises
    ------
    InputError
        If the query is no function, or there is no table, or one without its replicates.
    """
    if not callable(query):
        problem = f"the first argument is a {type(query).__name__}, not a function of tables"
        raise InputError("interval", problem, "give a function and then the tables")
    if other := next((type(table).__name__ for table in tables if not isinstance(table, Replicates)), None):
        remedy = "give study.replicates(...), or bert_attention.statistics.tables.read_replicates(...) of a run's table"
        raise InputError("interval", f"gets a {other}, not a table with its replicates", remedy)
    return estimate(query, *tables).interval()


def estimate(query: Callable[..., np.ndarray | float], *tables: Replicates) -> Estimate:
    """Return the value of any function of tables, with the standard error behind :func:`interval`.

    Its degrees of freedom are those of the corpus with the fewest blocks.
    """
    whole, *replicates = _apply(query, tables)
    value = np.asarray(whole, dtype=np.float64)
    left_out, of_seeds = (np.reshape(np.asarray(part, float), (len(part), *value.shape)) for part in replicates)
    variances = []  # each with its degrees of freedom
    if len(left_out) >= FEWEST_BLOCKS:
        blocks = fewest_blocks(tables)
        variances.append(((blocks - 1) / blocks * len(left_out) * left_out.var(0), blocks - 1))
    if len(of_seeds) > 1:
        variances.append((of_seeds.var(0, ddof=1) / len(of_seeds), len(of_seeds) - 1))
    if not variances or any(map(_has_too_few_blocks, tables)):
        return Estimate(value, np.full(value.shape, np.nan), np.full(value.shape, np.nan))
    variance = np.sum([of_one for of_one, _ in variances], axis=0)
    divisor = np.sum([of_one**2 / freedom for of_one, freedom in variances], axis=0)
    freedom = np.divide(variance**2, divisor, out=np.full(value.shape, float(len(left_out))), where=divisor > 0)
    return Estimate(value, np.sqrt(variance), freedom)


def _apply(function: Callable[..., Any], tables: Sequence[Replicates]) -> tuple[Any, list[Any], list[Any]]:
    """Apply a function to the tables, to the tables without each block, and to the tables of each seed.

    A table stands in for the replicates that it lacks. There are as many blocks as in the table with the most blocks,
    but as many seeds as in the table with the fewest, because a table that stands in would hide the variation over
    seeds. Tables without seeds do not count.
    """

    def replicates(kind: str, number: int) -> list[Any]:
        parts = [[*getattr(table, kind), *[table.whole] * number][:number] for table in tables]
        return [function(*rows) for rows in zip(*parts, strict=True)]

    blocks = max((len(table.left_out) for table in tables), default=0)
    seeds = min((len(table.of_seeds) for table in tables if table.of_seeds), default=0)
    whole = function(*(table.whole for table in tables))
    return whole, replicates("left_out", blocks), replicates("of_seeds", seeds)


def _mean(*tables: pd.DataFrame) -> pd.DataFrame:
    first = tables[0]
    numbers = {
        name: np.mean([table[name].to_numpy() for table in tables], axis=0)
        for name in first.columns
        if first[name].dtype == np.float64
    }
    return first.assign(**numbers)


def _collect(whole: Any, left_out: Sequence, of_seeds: Sequence, fewest: int) -> Any:
    """Return a table with its replicates, or a mapping if there are several tables by name."""
    if isinstance(whole, Mapping):
        return {
            name: _collect(whole[name], [each[name] for each in left_out], [each[name] for each in of_seeds], fewest)
            for name in whole
        }
    if isinstance(whole, Replicates):
        return whole
    for replicate in (*left_out, *of_seeds):
        if len(replicate) != len(whole):
            raise ValueError(f"without a block the table has {len(replicate)} rows, with all {len(whole)}")
    return Replicates(whole, left_out, of_seeds, fewest)
