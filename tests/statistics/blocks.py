"""Simulated corpora: many at a time, as the sums of their blocks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from types import ModuleType

import numpy as np
import pandas as pd

from bert_attention.statistics.held_out import halves
from bert_attention.statistics.jackknife import Interval, interval, tabulated
from bert_attention.statistics.sums import Sums, blocks_of


def sums_of_blocks(**values: np.ndarray) -> Sums:
    """Return the sums of units, ``[unit, ...]`` by name, with their number ``n``."""
    units = len(next(iter(values.values())))
    return Sums.of_arrays(values | {"n": np.ones(units)}, range(units))


def table_of(analysis: ModuleType, *units: Sequence) -> pd.DataFrame:
    """Return the table that an analysis makes from units."""
    return analysis.table(Sums.of(map(analysis.sums, *units), range(len(units[0]))))


def interval_of(number: Callable[[Sums], np.ndarray], sums: Sums) -> Interval:
    """Return the interval of a function of sums: a number, or a number for each of many corpora."""
    table = tabulated(lambda sums: pd.DataFrame({"number": np.atleast_1d(number(sums))}), sums)
    return interval(lambda table: table["number"].to_numpy(), table)


def coverage(found: Interval, truth: np.ndarray | float) -> float:
    """Return the share of corpora in which the interval covers the truth."""
    return float(((found.low <= truth) & (truth <= found.high)).mean())


def halves_of_units(units):
    """Yield masks ``[unit]`` of the units to choose on and to score on, for each split of the blocks in both ways."""
    block_of = np.concatenate([[index] * len(block) for index, block in enumerate(blocks_of(range(units)))])
    for split in halves(block_of.max() + 1):
        yield split[block_of], ~split[block_of]
        yield ~split[block_of], split[block_of]
