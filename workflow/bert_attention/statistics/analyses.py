"""How an analysis of ``results.yaml`` becomes sums and tables, whoever reads its input: a job, or a notebook."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import TypeAlias

import numpy as np
import pandas as pd

from bert_attention.statistics.jackknife import Replicates, of_tables
from bert_attention.statistics.sums import sum_up

Tables: TypeAlias = pd.DataFrame | Mapping[str, pd.DataFrame]


def added_up(
    function: Callable[..., Mapping[str, np.ndarray | float]],
    units: Mapping[str, Iterable],
    whole: Mapping[str, object],
    blocks: Sequence[range],
    show: Callable[[Iterable], Iterable] = iter,
) -> dict[str, np.ndarray]:
    """What all units add to an analysis, by block: :func:`.sum_up` of its function ``sums``.

    Parameters
    ----------
    function
        ``sums`` of the analysis.
    units
        What it is given of each unit, by its arguments: the units of one corpus, in the same order.
    whole
        What it is given with every unit.
    blocks
        The places of the units in blocks.
    show
        What the units pass through: a progress bar.
    """
    of_each = show(zip(*units.values(), strict=True))
    return sum_up((function(**dict(zip(units, unit, strict=True)), **whole) for unit in of_each), blocks)


def made_of(
    function: Callable[..., Tables], arguments: Mapping[str, object], replicated: bool
) -> Replicates | dict[str, Replicates]:
    """The table of an analysis that is not a sum, or its tables by name.

    Parameters
    ----------
    arguments
        What the function is given. It is called anew with each replicate of those that are tables.
    replicated
        Whether the table has statistics, which need replicates.
    """
    tables = {name: value for name, value in arguments.items() if isinstance(value, Replicates)}
    others = {name: value for name, value in arguments.items() if name not in tables}
    return of_tables(partial(function, **others), replicated, **tables)
