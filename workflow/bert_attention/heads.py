"""Layers and heads: 0-based in arrays, 1-based in tables, figures and names, as in the papers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd


def head_name(layer: float, head: float) -> str:
    """Return the papers' name of a head, ``<layer>-<head>``, both from 1. A NaN head gives the layer, ``<layer>``."""
    return f"{layer:.0f}" if pd.isna(head) else f"{layer:.0f}-{head:.0f}"


def cell_table(
    axes: Mapping[str, Sequence[object] | int], /, **columns: np.ndarray | float | str | Sequence[str]
) -> pd.DataFrame:
    """Return a table with one row per cell of the arrays, which are broadcast against each other.

    ``axes`` maps the column of each axis, in order, to the labels of its indices or to the number of its first index.
    """
    return pd.DataFrame(_cells(axes, columns))


def _cells(axes: Mapping[str, Sequence[object] | int], columns: Mapping[str, Any]) -> dict[str, Any]:
    """Return the columns of :func:`cell_table` by name."""
    shape = np.broadcast_shapes(*(np.shape(value) for value in columns.values()))
    indices = np.indices(shape).reshape(len(shape), -1)
    named = {
        name: names + index if isinstance(names, int) else np.array(names)[index]
        for (name, names), index in zip(axes.items(), indices, strict=True)
    }
    values = {
        name: np.broadcast_to(value, shape).ravel() if np.ndim(value) else value for name, value in columns.items()
    }
    return {**named, **values}


def head_table(
    labels: Mapping[str, Sequence[object]] | None = None, /, **columns: np.ndarray | float | str
) -> pd.DataFrame:
    """Return a table with one row per head, with 1-based ``layer`` and ``head``, from arrays ``[layer, head]``.

    With labels, there is one row per combination of labels and head, and the arrays have an axis per label before the
    layers. See :func:`cell_table`.
    """
    labels = labels or {}
    cells = _cells({**labels, "layer": 1, "head": 1}, columns)
    return pd.DataFrame({name: cells[name] for name in ("layer", "head", *labels, *columns)})


def relative_depth(layer: pd.Series | np.ndarray, layers: int) -> pd.Series | np.ndarray:
    """Return the relative depth of layers (from 1): the middle of each layer's slice, ``(layer - 1/2) / layers``.

    An encoder of L layers is L slices of equal width between 0, its input, and 1, its output. So the area under a curve
    is the mean over layers for any L, and a single layer also has a depth. Layer k of 6 lies between layers 2k - 1 and
    2k of 12, which cover the same part of the encoder.
    """
    return (layer - 0.5) / layers
