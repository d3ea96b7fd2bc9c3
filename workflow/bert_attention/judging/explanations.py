"""Explanations of verdicts: why a statement is not confirmed, in a few words for the reader of the results page."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd

from bert_attention.judging.evidence import INCONCLUSIVE, MET
from bert_attention.judging.scoreboard import HARDLY
from bert_attention.judging.units import in_unit, unit_of_differences
from bert_attention.judging.verdicts import NO_CONTROL, NOT_CONFIRMED, NOT_SPECIFIC, PERHAPS_SPECIFIC, weaknesses
from bert_attention.judging.words import number_text, number_texts, published_outside
from bert_attention.results import RANK_CORRELATION

RANDOM_IS_FARTHER = "random weights lie even farther beyond the threshold"
RANDOM_IS_BEYOND = "random weights lie beyond the threshold, too"
SUCH_HEADS = "random encoders have such heads"
NO_HEAD = "no head does"


def explanation(row: Mapping) -> str:
    """Return why the statement in a row is not confirmed, and whether its interval excludes the published number.

    The text is empty if there is nothing to explain. The row needs a verdict on a statement.
    """
    return "; ".join(filter(None, [_reason(row), published_outside(row)]))


def _reason(row: Mapping) -> str:
    match row["finding"]:
        case verdict if verdict == NOT_CONFIRMED:
            return _shortfall(row)
        case verdict if verdict == NOT_SPECIFIC:
            if row["gain_high"] < 0:
                return RANDOM_IS_FARTHER
            is_near = row["control"] != MET
            return f"random weights differ by less than {_smallest_text(row)}" if is_near else RANDOM_IS_BEYOND
        case verdict if verdict == NO_CONTROL:
            return "; ".join(part for part in _weaknesses_in(row) if part.endswith((SUCH_HEADS, HARDLY)))
        case verdict if verdict == PERHAPS_SPECIFIC:
            gain = number_texts(row)["gain"]
            return f"the difference from random weights, {gain}, is not 0 alone, but may be 0 among so many statements"
        case verdict if verdict == INCONCLUSIVE:
            return _doubt(row)
    return ""


def _shortfall(row: Mapping) -> str:
    """Return what a statement lacks: its effect is too small to be stated, or it needs another number."""
    if row["unit"] == "heads" and row["replicated"] == 0:
        return NO_HEAD
    if row["effect_low"] > 0:
        return f"true, but by less than {_smallest_text(row)}"
    if row["effect_high"] > 0:
        return f"an effect of less than {_smallest_text(row)}, if any"
    return _needs(row)


def _smallest_text(row: Mapping) -> str:
    unit = unit_of_differences(_unit(row))
    return in_unit(number_text(row["smallest"], unit), unit)


def _doubt(row: Mapping) -> str:
    """Return why a statement is inconclusive: its interval, a weakness of its evidence, or the control."""
    weak = "; ".join(_weaknesses_in(row))
    if row["condition"] != INCONCLUSIVE:
        if row["condition"] == MET and row["gain_low"] <= 0 <= row["gain_high"]:
            return f"the difference from random weights, {number_texts(row)['gain']}, may be 0"
        return weak or _needs(row)
    if threshold := _threshold_within(row):
        return f"the interval contains the threshold, {threshold}"
    if 0 < row["effect_low"] < row["smallest"] < row["effect_high"]:
        return f"the interval contains the smallest effect worth stating, {_smallest_text(row)}"
    return weak or _needs(row)


def _weaknesses_in(row: Mapping) -> list[str]:
    return weaknesses(row["reason"] if isinstance(row["reason"], str) else "")


def _threshold_within(row: Mapping) -> str:
    """Return the text of the threshold that a row's interval contains, or an empty text."""
    if pd.notna(row["correlation"]):
        threshold = row["correlation_threshold"]
        return number_text(threshold) if row["correlation_low"] <= threshold <= row["correlation_high"] else ""
    bounds = (row["needed_low"], row["needed_high"])
    return next((_bound_text(row, bound) for bound in bounds if row["low"] <= bound <= row["high"]), "")


def _needs(row: Mapping) -> str:
    """Return what a statement needs of its number; empty for a correlation, whose threshold has its own column."""
    low, high = row["needed_low"], row["needed_high"]
    if pd.isna(low) and pd.isna(high):
        return ""
    if low == high:
        needed = f"exactly {_bound_text(row, low)}"
    elif pd.isna(high):
        needed = f"more than {_bound_text(row, low)}"
    elif pd.isna(low):
        needed = f"less than {_bound_text(row, high)}"
    else:
        needed = f"{_bound_text(row, low)} to {_bound_text(row, high)}"
    return f"needs {needed}" + (f" in all {row['cells']:.0f} cases" if row["cells"] > 1 else "")


def _bound_text(row: Mapping, bound: float) -> str:
    unit = _unit(row)
    return in_unit(number_text(bound, unit), unit, short=True)


def _unit(row: Mapping) -> str:
    return row["unit"] if isinstance(row["unit"], str) and row["unit"] != RANK_CORRELATION else ""
