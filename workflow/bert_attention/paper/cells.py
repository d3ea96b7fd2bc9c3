"""Looking up cells of a result table for the prose of the paper: a cell that is not there is an error that names it."""

from __future__ import annotations

from collections.abc import Callable

import pandas as pd

from bert_attention.heads import head_name
from bert_attention.paper.layout import decimal, percent, percent_with_interval


class MissingCellError(LookupError):
    """A number of the paper has no cell in the table that it is looked up in; the message does not name the table."""


def rows(table: pd.DataFrame, **where: object) -> pd.DataFrame:
    """The rows that have these values in these columns; None is an empty cell.

    Raises
    ------
    MissingCellError
        If no row has the values.
    """
    found = table
    for column, value in where.items():
        found = found[found[column].isna() if value is None else found[column] == value]
    if found.empty:
        raise MissingCellError(f"has no row with {_described(where)}")
    return found


def row(table: pd.DataFrame, **where: object) -> pd.Series:
    """The one row that has these values in these columns.

    Raises
    ------
    MissingCellError
        As :func:`rows`, and if there are several.
    """
    found = rows(table, **where)
    if len(found) > 1:
        raise MissingCellError(f"{len(found)} rows have {_described(where)}, expected one")
    return found.iloc[0]


def cell(table: pd.DataFrame, column: str, **where: object) -> float:
    """The value of a column in the one row that has these values in these columns.

    Raises
    ------
    MissingCellError
        As :func:`row`, and if the cell is empty.
    """
    value = row(table, **where)[column]
    if pd.isna(value):
        raise MissingCellError(f"{column} is empty where {_described(where)}")
    return value


def values(table: pd.DataFrame, column: str) -> pd.Series:
    """A column without an empty cell.

    Raises
    ------
    MissingCellError
        If it has an empty cell, or no cell at all.
    """
    if table.empty:
        raise MissingCellError(f"has no row for {column}")
    if table[column].isna().any():
        raise MissingCellError(f"{column} has an empty cell")
    return table[column]


def layer_means(table: pd.DataFrame, column: str, **where: object) -> pd.Series:
    """The mean of a column over the heads of each layer, by layer from 1.

    Raises
    ------
    MissingCellError
        As :func:`rows` and :func:`values`.
    """
    found = rows(table, **where)
    means = values(found, column).groupby(found["layer"]).mean()
    return means[means.index > 0]


def _described(where: dict) -> str:
    return ", ".join(f"{column} = {'(empty)' if value is None else value}" for column, value in where.items())


def highest(table: pd.DataFrame, column: str) -> pd.Series:
    """The row with the highest value in a column."""
    return table.loc[values(table, column).idxmax()]


def head_of(place: pd.Series) -> str:
    """The head that a row is of, such as ``3-10``."""
    return head_name(place["layer"], place["head"])


def accuracy(place: pd.Series, column: str = "accuracy", bounds: tuple[str, str] = ("low", "high")) -> str:
    """A fraction of a row with its interval, such as ``44.1 % (43.4–44.8)``."""
    text = percent_with_interval(*place[[column, *bounds]])
    return text.replace(" (", "\N{NO-BREAK SPACE}% (", 1)


def share(fraction: float) -> str:
    """A fraction in per cent with the sign, such as ``65.1 %``."""
    return f"{percent(fraction)}\N{NO-BREAK SPACE}%"


def span(numbers: pd.Series, form: Callable[[float], str]) -> str:
    """From the lowest to the highest of some numbers, such as ``12 to 34``; one, if they are the same in print."""
    low, high = form(numbers.min()), form(numbers.max())
    return low if low == high else f"{low} to {high}"


def shares(fractions: pd.Series) -> str:
    """The same of fractions in per cent, such as ``12.0 to 34.5 %``."""
    return f"{span(fractions, percent)}\N{NO-BREAK SPACE}%"


def peak(means: pd.Series) -> str:
    """The highest of the layers' means, and which layer has it."""
    return f"{share(means.max())} in layer {means.idxmax()}"


def points(fraction: float) -> str:
    """A difference of fractions in points, such as ``12.3``."""
    return decimal(100 * fraction, 1)


def count(number: float) -> str:
    """A whole number with commas."""
    return f"{number:,.0f}"


def p_value(p: float) -> str:
    """A p value, such as ``p = 0.012``, or ``p < 0.001`` if it rounds to 0."""
    return f"p = {p:.3f}" if p >= 0.0005 else "p < 0.001"
