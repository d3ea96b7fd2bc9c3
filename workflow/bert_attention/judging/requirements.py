"""The requirements of claims, as columns of the scoreboard: the bounds of numbers, and the layers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np
import pandas as pd

from bert_attention.statistics.measures import at_relative_depth


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


def layers_here(ranges: Iterable[tuple[int, int]], depth: int, deepest: int) -> str:
    """Return the layers that stand for ranges of layers in an encoder of another depth, such as ``3 to 5``.

    A comparison of layers names both: ``1 to 2, against 3 to 6``. The text is empty for an encoder of the same depth.
    The ranges refer to the paper's encoder of ``depth`` layers. This encoder has ``deepest`` layers.
    """
    if deepest == depth:
        return ""
    layers = pd.Series(range(1, deepest + 1))
    return ", against ".join(_range_text(layers[at_relative_depth(layers, *asked, depth, deepest)]) for asked in ranges)


def _range_text(layers: pd.Series) -> str:
    if layers.empty:
        return "none"
    return f"{layers.min()} to {layers.max()}" if len(layers) > 1 else f"{layers.min()}"
