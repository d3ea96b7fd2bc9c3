"""Ranges in the names of a source, such as ``part-{001..005}``."""

from __future__ import annotations

import re
from collections.abc import Sequence

_RANGE = re.compile(r"\{([0-9]+)\.\.([0-9]+)\}")
_LONGEST = 100


def expand_ranges(names: Sequence[str]) -> list[tuple[str, ...]]:
    """Return the names with the first number of every range, then with the second, and so on.

    Raise ValueError if the ranges differ in length, a range descends or is too long, or there are other braces.
    """
    lengths = {int(last) - int(first) + 1 for name in names for first, last in _RANGE.findall(name)}
    if not all(1 <= length <= _LONGEST for length in lengths):
        raise ValueError(f"has a range that descends, or has more than {_LONGEST} numbers")
    if len(lengths) > 1:
        raise ValueError("has ranges of different lengths")
    if re.search("[{}]", "".join(map(without_ranges, names))):
        raise ValueError("has braces that are no range")
    return [tuple(_with_number(name, index) for name in names) for index in range(max(lengths, default=1))]


def _with_number(name: str, index: int) -> str:
    """Replace each range with its number at an index, which has as many digits as the first number."""
    return _RANGE.sub(lambda found: f"{int(found[1]) + index:0{len(found[1])}d}", name)


def without_ranges(name: str) -> str:
    """Return a name without its ranges and the ``.``, ``_`` or ``-`` before each: ``a.zip`` of ``a.zip.{1..3}``."""
    return re.sub(rf"[._-]?{_RANGE.pattern}", "", name)
