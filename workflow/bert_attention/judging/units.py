"""Units of the numbers of claims: what a claim's number is measured in."""

from __future__ import annotations

from bert_attention.results import POINTS, RANK_CORRELATION, SHARE

NO_VALUE = "\N{EM DASH}"
# Plural nouns of what a number counts.
_COUNTED = ("layers", "heads", "relations", "tasks")
# Units of differences, by the unit of the numbers. Other numbers and their differences have the same unit.
_OF_DIFFERENCES = {SHARE: POINTS, RANK_CORRELATION: ""}


def scale_of(unit: str) -> int:
    """Return the factor between a number and its text in a unit."""
    return 100 if unit == POINTS or unit.startswith(SHARE) else 1


def in_unit(text: str, unit: str, short: bool = False) -> str:
    """Write the unit of a number into its text, such as ``97.2% (97.0–97.4) of heads``; a dash stays a dash.

    The short form leaves out what the number is a share or a count of.
    """
    number, space, interval = text.partition(" (")
    if not unit or text == NO_VALUE:
        return text
    if unit == RANK_CORRELATION:
        return f"{unit} = {text}"
    if unit.startswith(SHARE):
        return f"{number}{SHARE}{space}{interval}" + ("" if short else unit.removeprefix(SHARE))
    if unit in _COUNTED:
        noun = unit.removesuffix("s") if number == "1" else unit
        return text if short else f"{number} {noun}{space}{interval}"
    return f"{text} {unit.removesuffix('s') if text == '1' and unit == POINTS else unit}"


def unit_of_differences(unit: str) -> str:
    """Return the unit of the difference of two numbers in a unit."""
    return _OF_DIFFERENCES.get(unit.partition(" ")[0], unit)
