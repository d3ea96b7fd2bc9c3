"""What a claim asks of the result tables: which table, which rows, and how they become a number."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd

from bert_attention.errors import InputError, nearest
from bert_attention.heads import relative_depth

_AGGREGATIONS: dict[str, Callable[[pd.Series], float]] = {
    "mean": lambda numbers: numbers.mean(),
    "median": lambda numbers: numbers.median(),
    "smallest": lambda numbers: numbers.min(),
    "largest": lambda numbers: numbers.max(),
    "sum": lambda numbers: numbers.sum(),
    "count": lambda numbers: float(len(numbers)),
}
_AGGREGATIONS_WITH_LIMIT: dict[str, Callable[[pd.Series, float], float]] = {
    "share_above": lambda numbers, limit: (numbers > limit).mean(),
    "share_below": lambda numbers, limit: (numbers < limit).mean(),
    "number_above": lambda numbers, limit: float((numbers > limit).sum()),
    "number_below": lambda numbers, limit: float((numbers < limit).sum()),
}
# Of a column of names.
_AGGREGATIONS_OF_NAMES: dict[str, Callable[[pd.Series, str], float]] = {
    "share_of": lambda names, name: (names == name).mean(),
    "number_of": lambda names, name: float((names == name).sum()),
}
# What may be asked of no rows at all: how many there are, and which.
_OF_NOTHING = ("count", "list")


class NothingFoundError(InputError):
    """A query whose filter leaves no row of its table, or an empty cell."""


class NoneWithinLimitsError(NothingFoundError):
    """A query whose rows are there, but none of them is above or below what it asks: a finding, not a mistake."""


@dataclass(frozen=True)
class Measured:
    """What a query finds.

    Attributes
    ----------
    numbers
        One number without name, or one for each value of the columns under ``by``, which are then the index; or the
        sorted numbers of a list, counted from 0.
    low, high
        Its 95 % interval, of a single number; NaN if the query names none.
    """

    numbers: pd.Series
    low: float = np.nan
    high: float = np.nan

    @property
    def is_single(self) -> bool:
        """Whether it is one number."""
        return list(self.numbers.index) == ["value"]

    @property
    def is_list(self) -> bool:
        """Whether it is a list of numbers without keys."""
        return isinstance(self.numbers.index, pd.RangeIndex)


def measure(query: Mapping, tables: Callable[[str], pd.DataFrame], depth: int, claim: str) -> Measured:
    """What a query finds in the result tables.

    Parameters
    ----------
    query
        As ``publication.schema.yaml`` describes it: ``table``, ``where``, ``column``, ``take``, ...
    tables
        A result table by its name.
    depth
        How many layers the encoder has that ``layers`` speak of.
    claim
        What messages call it.

    Raises
    ------
    NothingFoundError
        If a filter leaves no row, where a number is asked for, or a cell is empty.
    InputError
        If a column does not exist, or several rows are left and the query does not say how they become
        one.
    """
    numbers, rows = _numbers(query, tables, depth, claim)
    if "minus" in query:
        other, _ = _numbers(_changed(query), tables, depth, claim)
        numbers = _difference(numbers, other, claim)
    if "over" in query:
        numbers = _aggregated(numbers, query["over"])
    return Measured(numbers, *_interval(query, rows, numbers, claim))


def at_relative_depth(layers: pd.Series, first: int, last: int, depth: int) -> pd.Series:
    """Which layers, from 1, are at the relative depth of ``first`` to ``last`` of an encoder of ``depth`` layers.

    In an encoder of the same depth they are those very layers. The encoder that ``layers`` are of is as deep as its
    highest layer.
    """
    found = relative_depth(layers, layers.max())
    tolerance = 1e-9
    return ((first - 1) / depth - tolerance <= found) & (found <= last / depth + tolerance)


def _numbers(query: Mapping, tables: Callable, depth: int, claim: str) -> tuple[pd.Series, pd.DataFrame]:
    """The numbers of a query before anything is subtracted, and the rows behind them."""
    table = tables(query["table"])
    used = [*query.get("where", {}), query["column"], *query.get("by", []), *_listed(query, "each")]
    _check_columns(table, [*used, *query.get("interval", []), *_listed(query, "standard_error")], query, claim)
    rows = _filtered(table, query, depth, claim)
    if rows[query["column"]].isna().any():
        raise NothingFoundError(
            claim,
            f"a cell of {query['table']}.{query['column']} is empty or not a number",
            "see which rows `where` takes",
        )
    if "each" in query:
        keys = [*query.get("by", []), query["each"]]
        rows = rows.groupby(keys, sort=True, dropna=False)[query["column"]].mean().reset_index()
    if "by" in query:
        # An empty cell is a key like any other: models whose seed is not known have an empty seed.
        groups = rows.groupby(query["by"], sort=True, dropna=False)
        numbers = {key: _one(group[query["column"]], query, claim) for key, group in groups}
        index = pd.MultiIndex.from_tuples(list(numbers), names=query["by"])
        return pd.Series(list(numbers.values()), index=index, dtype=float), rows
    if query.get("take") == "list":
        return pd.Series(sorted(map(float, rows[query["column"]])), dtype=float), rows
    return pd.Series({"value": _one(rows[query["column"]], query, claim)}, dtype=float), rows


def _listed(query: Mapping, key: str) -> list[str]:
    return [query[key]] if key in query else []


def _check_columns(table: pd.DataFrame, columns: list[str], query: Mapping, claim: str) -> None:
    for column in columns:
        if column not in table:
            guess = nearest(column, table.columns)
            raise InputError(
                claim,
                f"{query['table']} has no column {column}",
                f"did you mean {guess}?" if guess else f"its columns are {', '.join(table.columns)}",
            )


def _filtered(table: pd.DataFrame, query: Mapping, depth: int, claim: str) -> pd.DataFrame:
    """The rows that ``where`` and ``layers`` leave; limits, unlike values, may leave none where rows are counted."""
    rows = table
    if "layers" in query:
        rows = rows[at_relative_depth(rows["layer"].where(rows["layer"] > 0), *query["layers"], depth)]
    limits = {}
    for column, wanted in query.get("where", {}).items():
        if isinstance(wanted, Mapping) and ("above" in wanted or "below" in wanted):
            limits[column] = wanted
            continue
        rows = rows[_matches(rows[column], wanted)]
        if rows.empty:
            raise NothingFoundError(
                claim,
                f"{query['table']} has no rows with {column}: {wanted} (and what `where` asks before)",
                "mend the claim",
            )
    for column, limit in limits.items():
        rows = rows[rows[column] > limit["above"] if "above" in limit else rows[column] < limit["below"]]
    if rows.empty and query.get("take") not in _OF_NOTHING:
        wanted = ", ".join(
            f"{column} {word} {bound}" for column, limit in limits.items() for word, bound in limit.items()
        )
        raise NoneWithinLimitsError(claim, f"{query['table']} has no rows with {wanted}", "ask for rows that there are")
    return rows


def _matches(column: pd.Series, wanted: object) -> pd.Series:
    if wanted is None:
        return column.isna()
    if not isinstance(wanted, Mapping):
        return column == wanted
    return column.isin(_names(wanted["in"], column)) if "in" in wanted else column != wanted["not"]


def _names(wanted: list, column: pd.Series) -> list:
    """The values that ``in`` asks for: of a list in it, the first that the column has."""
    found = set(column)
    chosen = [[name for name in entry if name in found][:1] if isinstance(entry, list) else [entry] for entry in wanted]
    return [name for names in chosen for name in names]


def _one(numbers: pd.Series, query: Mapping, claim: str) -> float:
    if "take" in query or (len(numbers) > 1 and "each" in query):
        return _aggregate(numbers, query.get("take", "mean"))
    if len(numbers) != 1:
        raise InputError(
            claim,
            f"{len(numbers)} rows of {query['table']} match",
            "narrow `where`, or say by `take` how they become one",
        )
    return float(numbers.iloc[0])


def _aggregate(numbers: pd.Series, aggregation: str | Mapping) -> float:
    if isinstance(aggregation, str):
        return float(_AGGREGATIONS[aggregation](numbers.astype(float)))
    ((name, limit),) = aggregation.items()
    if name in _AGGREGATIONS_OF_NAMES:
        return float(_AGGREGATIONS_OF_NAMES[name](numbers, limit))
    return float(_AGGREGATIONS_WITH_LIMIT[name](numbers.astype(float), limit))


def _aggregated(numbers: pd.Series, aggregation: str | Mapping) -> pd.Series:
    if aggregation == "list":
        return pd.Series(sorted(numbers), dtype=float)
    return pd.Series({"value": _aggregate(numbers, aggregation)})


def _changed(query: Mapping) -> dict:
    """The query that ``minus`` describes by what differs."""
    changes = query["minus"]
    plain = {key: value for key, value in query.items() if key not in ("minus", "over", "interval", "standard_error")}
    return {**plain, **changes, "where": {**query.get("where", {}), **changes.get("where", {})}}


def _difference(numbers: pd.Series, other: pd.Series, claim: str) -> pd.Series:
    shared = numbers.index.intersection(other.index)
    if shared.empty:
        raise InputError(claim, "what `minus` subtracts has other values of `by`", "mend the claim")
    return numbers[shared] - other[shared]


def _interval(query: Mapping, rows: pd.DataFrame, numbers: pd.Series, claim: str) -> tuple[float, float]:
    """The 95 % interval of a number that is one cell of a table, or the difference of two cells of one row.

    The mean of one model's seeds has none.
    """
    if "interval" not in query and "standard_error" not in query:
        return np.nan, np.nan
    if "minus" not in query and len(rows) > 1 and "seed" in rows and rows["seed"].is_unique:
        return np.nan, np.nan
    if len(rows) != 1 or set(query.get("minus", ())) - {"column"}:
        raise InputError(
            claim, "only a single cell of a table has an interval", "leave out interval and standard_error"
        )
    if "interval" in query:
        low, high = (float(rows[column].iloc[0]) for column in query["interval"])
        return low, high
    margin = 1.96 * float(rows[query["standard_error"]].iloc[0])
    return float(numbers.iloc[0]) - margin, float(numbers.iloc[0]) + margin
