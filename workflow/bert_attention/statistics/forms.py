"""Forms of numbers in prose: shares in percent, points, counts and decimals, alone or with their 95% intervals."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pandas as pd

from bert_attention.statistics.measures import (
    EmptyCellError,
    Function,
    NothingFoundError,
    NotMadeError,
    ResultTables,
    measure,
    numbers_of,
)
from bert_attention.statistics.tables import FLOAT_FORMAT
from bert_attention.tables import bounds_text

NO_VALUE = "\N{EM DASH}"

# A function of result tables that returns a text, or None if there is nothing to say.
Text = Callable[[ResultTables], str | None]


@dataclass(frozen=True)
class Form:
    """A form of numbers in prose.

    A fractional number is first rounded to the digits of the result tables, so that text and tables agree.
    """

    write: Callable[[float], str]  # formats a number without its unit
    unit: str = ""  # the sign that follows a number
    limits: tuple[float, float] = (-math.inf, math.inf)  # the lowest and highest possible numbers, for intervals

    def __call__(self, number: float) -> str:
        """Return a number as text; raise EmptyCellError if the number is NaN."""
        if pd.isna(number):
            raise EmptyCellError("result tables", "a cell is empty or not a number", "leave out such rows")
        return self._bare(number) + self.unit

    def of(self, function: Function) -> Text:
        """Return the function that says the number, or the lowest and the highest of several numbers."""

        def text(t: ResultTables) -> str:
            numbers = numbers_of(function(t))
            low, high = self._bare(numbers.min()), self._bare(numbers.max())
            return (low if low == high else f"{low} to {high}") + self.unit

        return text

    def interval(self, function: Function) -> Text:
        """Return the function that says the number, or several numbers, with intervals: ``65.1% (63.0–67.2)``."""

        def text(t: ResultTables) -> str:
            found = zip(*map(np.atleast_1d, measure(function, t, self.limits).interval()), strict=True)
            return ", ".join(
                self(value) + ("" if pd.isna(low) else f" ({self._bounds(low, high)})") for value, low, high in found
            )

        return text

    def bounds(self, t: ResultTables, function: Function) -> str:
        """Return the interval of a number as text: ``63.0–67.2``."""
        _, low, high = (float(np.squeeze(part)) for part in measure(function, t, self.limits).interval())
        return "" if pd.isna(low) else self._bounds(low, high)

    def _bounds(self, low: float, high: float) -> str:
        return bounds_text(self._bare(low), self._bare(high))

    def _bare(self, number: float) -> str:
        return self.write(number if float(number).is_integer() else float(FLOAT_FORMAT % number))


def decimal(places: int) -> Callable[[float], str]:
    """Return a function that formats a number with some decimal places, such as ``−0.34``, and NaN as a dash."""
    return lambda value: NO_VALUE if pd.isna(value) else f"{value:z.{places}f}".replace("-", "\N{MINUS SIGN}")


def percent(fraction: float) -> str:
    """Format a fraction in percent without the sign, such as ``65.1``, and NaN as a dash."""
    return NO_VALUE if pd.isna(fraction) else decimal(1)(100 * fraction)


def decimal_form(places: int, limits: tuple[float, float] = (-math.inf, math.inf)) -> Form:
    """Return the form with some decimal places, such as ``−0.34``."""
    return Form(decimal(places), limits=limits)


def if_any(text: Text, otherwise: str | None = None) -> Text:
    """Return the text function that says something else, or nothing, if there is no such row or number."""

    def found(t: ResultTables) -> str | None:
        try:
            return text(t)
        except NotMadeError:
            raise
        except NothingFoundError:
            return otherwise

    return found


def head_name(row: pd.Series) -> str:
    """Return the name of the head in a row, such as ``4-10``."""
    return f"{row['layer']:.0f}-{row['head']:.0f}"


def head_or_none(row: pd.Series, numbers: str, stands_out: bool) -> str:
    """Return a head's name with its numbers, or that no head stands out: ``none (at most 0.8%)``."""
    return f"{head_name(row)} ({numbers})" if stands_out else f"none (at most {numbers})"


count = Form("{:,.0f}".format)
share = Form(percent, "%", (0.0, 1.0))
points = Form(percent)
lost_points = Form(lambda fraction: percent(-fraction))
p_value = Form(lambda p: f"p = {p:.3f}" if p >= 0.0005 else "p < 0.001")
