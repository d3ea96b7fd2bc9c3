"""Layers and heads: 0-based in arrays, 1-based in tables, figures and names, as in the papers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd


def head_name(layer: float, head: float) -> str:
    """The papers' name of a head, ``<layer>-<head>``, both from 1; that of a layer, ``<layer>``, where head is NaN."""
    return f"{layer:.0f}" if pd.isna(head) else f"{layer:.0f}-{head:.0f}"


def cell_table(
    axes: Mapping[str, Sequence[object] | int], /, **columns: np.ndarray | float | str | Sequence[str]
) -> pd.DataFrame:
    """One row per cell of arrays; arrays of fewer axes, or of one place in an axis, and scalars are repeated.

    ``axes`` has a column for each axis, in order: what its places are called, or the number of its first place.
    """
    shape = np.broadcast_shapes(*(np.shape(value) for value in columns.values()))
    places = np.indices(shape).reshape(len(shape), -1)
    named = {
        name: names + at if isinstance(names, int) else np.array(names)[at]
        for (name, names), at in zip(axes.items(), places, strict=True)
    }
    values = {
        name: np.broadcast_to(value, shape).ravel() if np.ndim(value) else value for name, value in columns.items()
    }
    return pd.DataFrame({**named, **values})


def head_table(
    labels: Mapping[str, Sequence[object]] | None = None, /, **columns: np.ndarray | float | str
) -> pd.DataFrame:
    """One row per head, with 1-based ``layer`` and ``head``, from arrays ``[layer, head]``; see :func:`cell_table`.

    With labels, one row per combination of these and a head, from arrays that have an axis for each before the layers.
    """
    labels = labels or {}
    table = cell_table({**labels, "layer": 1, "head": 1}, **columns)
    return table[["layer", "head", *labels, *columns]]


def relative_depth(layer: pd.Series | np.ndarray, layers: int) -> pd.Series | np.ndarray:
    """Where layers (from 1) are in an encoder: the middle of each one's slice, ``(layer - 1/2) / layers``.

    An encoder of L layers is L slices of equal width between 0, its input, and 1, its output. So the area under a curve
    is the mean over layers at any L; an encoder of one layer has a place, too; and layer k of 6 is between layers
    2k - 1 and 2k of 12, which do the same part of the way.
    """
    return (layer - 0.5) / layers
