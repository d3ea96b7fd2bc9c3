"""Numbering of layers and heads: 0-based in arrays, 1-based in tables, figures and names, as in the papers."""

from __future__ import annotations

import numpy as np
import pandas as pd


def head_name(layer: float, head: float) -> str:
    """The papers' name of a head, ``<layer>-<head>``, both from 1; that of a layer, ``<layer>``, where head is NaN."""
    return f"{layer:.0f}" if pd.isna(head) else f"{layer:.0f}-{head:.0f}"


def head_table(**columns: np.ndarray | float | int | str) -> pd.DataFrame:
    """One row per head, with 1-based ``layer`` and ``head``, from arrays ``[layer, head]``; scalars are repeated."""
    shape = next(value.shape for value in columns.values() if isinstance(value, np.ndarray))
    layer, head = np.indices(shape)
    values = {name: value.ravel() if isinstance(value, np.ndarray) else value for name, value in columns.items()}
    return pd.DataFrame({"layer": layer.ravel() + 1, "head": head.ravel() + 1, **values})
