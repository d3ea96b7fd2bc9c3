"""The requirements of claims, as columns of the scoreboard: the bounds of numbers, and the layers."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
import pandas as pd

from bert_attention.statistics.jackknife import Replicates
from bert_attention.statistics.queries import at_relative_depth


def needed_bounds(condition: Mapping) -> dict[str, float]:
    """Return the bounds between which a statement needs its number; NaN for conditions on correlations and lists."""
    low = high = np.nan
    match condition:
        case {"above": bound}:
            low = bound
        case {"below": bound}:
            high = bound
        case {"between": [first, last]}:
            low, high = first, last
        case {"equals": int() | float() as value}:
            low = high = value
    return {"needed_low": low, "needed_high": high}


def layers_here(query: Mapping, depth: int, tables: Callable[[str], Replicates | None]) -> str:
    """Return the layers that stand for the query's layers in an encoder of another depth, such as ``3 to 5``.

    A comparison of layers names both: ``1 to 2, against 3 to 6``. The text is empty for an encoder of the same depth.

    Parameters
    ----------
    depth
        Number of layers of the encoder that the query's layers refer to.
    tables
        Function that returns a result table, or None if it is not made.
    """
    made = tables(query["table"]) if "layers" in query else None
    deepest = np.nan if made is None else made.whole["layer"].max()  # NaN, too, if the table has no rows
    if np.isnan(deepest) or deepest == depth:
        return ""
    layers = pd.Series(range(1, int(deepest) + 1))
    others = (query.get(key, {}) for key in ("minus", "divided_by"))
    ranges = [query["layers"], *(other["layers"] for other in others if "layers" in other)]
    return ", against ".join(_range_text(layers[at_relative_depth(layers, *asked, depth)]) for asked in ranges)


def _range_text(layers: pd.Series) -> str:
    if layers.empty:
        return "none"
    return f"{layers.min()} to {layers.max()}" if len(layers) > 1 else f"{layers.min()}"
