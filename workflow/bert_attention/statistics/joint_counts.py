"""Joint counts in fixed bins: rank correlations and densities of any number of points, as sums over units."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from bert_attention.statistics.sums import ratio

_MANTISSA_BITS, _EXPONENT_BIAS = 23, 127


@dataclass(frozen=True)
class FloatBins:
    """Bins of equal width within each octave, read off the bits of a float32, without a logarithm.

    Bin 0 holds zero and all values below ``2**lowest``; the last bin holds all from ``2**highest`` on.
    """

    lowest: int
    highest: int
    bits: int  # an octave has 2**bits bins

    def __len__(self) -> int:
        return ((self.highest - self.lowest) << self.bits) + 2

    def __call__(self, values: np.ndarray) -> np.ndarray:
        """The bin of each value; values must not be negative."""
        leading = np.ascontiguousarray(values, dtype=np.float32).view(np.int32) >> (_MANTISSA_BITS - self.bits)
        return np.clip(leading - ((_EXPONENT_BIAS + self.lowest) << self.bits) + 1, 0, len(self) - 1)

    def edges(self) -> np.ndarray:
        """Lower edge of each bin, and an end of the last, so that it can be drawn: an octave above its lower edge."""
        octaves, steps = np.divmod(np.arange(len(self) - 1), 1 << self.bits)
        edges = np.ldexp(1 + steps / (1 << self.bits), octaves + self.lowest)
        return np.concatenate([[0.0], edges, [2 * edges[-1]]])


@dataclass(frozen=True)
class OctaveBins:
    """Fine bins over all octaves, of which only those that hold points take memory.

    An octave n has ``2**bits`` bins of equal width from ``2**n`` on; zero is in octave -127. Use them for values whose
    scale is not known: many points may crowd within a few per cent of one value, which no fixed range foresees.
    Densities are drawn in ``2**drawn_bits`` bins an octave.
    """

    bits: int
    drawn_bits: int

    def counts(self, values: np.ndarray, rows: np.ndarray, size: int) -> dict[int, np.ndarray]:
        """Count points by their row, of ``size`` rows, and their value, which must not be negative.

        Returns
        -------
        By octave ``[row, bin]``.
        """
        octaves, bins = self.places(values)
        shape = (size, 1 << self.bits)
        found = {octave: octaves == octave for octave in np.unique(octaves).tolist()}
        return {octave: joint_counts(shape, rows[here], bins[here]) for octave, here in found.items()}

    def places(self, values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The octave of each value, and its bin in this octave."""
        leading = np.ascontiguousarray(values, dtype=np.float32).view(np.int32) >> (_MANTISSA_BITS - self.bits)
        return (leading >> self.bits) - _EXPONENT_BIAS, leading & ((1 << self.bits) - 1)

    def drawn(self, counts: np.ndarray) -> np.ndarray:
        """The counts of an octave in the bins that are drawn: ``[row, drawn bin]`` from ``[row, bin]``."""
        return counts.reshape(len(counts), 1 << self.drawn_bits, -1).sum(-1)

    def edges(self, octave: int) -> np.ndarray:
        """The edges of the bins of an octave that are drawn, its end included."""
        steps = np.arange((1 << self.drawn_bits) + 1) / (1 << self.drawn_bits)
        return np.ldexp(1 + steps, octave) if octave > -_EXPONENT_BIAS else np.ldexp(steps, 1 - _EXPONENT_BIAS)


def joint_counts(shape: tuple[int, ...], *places: np.ndarray) -> np.ndarray:
    """How many points are in each cell of a grid, of this shape; their places along each axis, broadcast together."""
    cells = np.zeros((), dtype=int)
    for size, along_axis in zip(shape, places, strict=True):
        cells = cells * size + along_axis
    return np.bincount(cells.ravel(), minlength=np.prod(shape)).reshape(shape)


def spearman(counts: np.ndarray) -> np.ndarray:
    """Spearman's correlation of points counted in ``[..., x, y]``: ``[...]``; NaN if all x or all y are in one bin.

    It is Pearson's correlation of mid-ranks; points in a bin are ties.
    """
    in_x, in_y = counts.sum(-1), counts.sum(-2)
    x, y = (np.cumsum(margin, -1) - margin / 2 - margin.sum(-1, keepdims=True) / 2 for margin in (in_x, in_y))
    covariance = (x * (counts @ y[..., None])[..., 0]).sum(-1)
    return ratio(covariance, np.sqrt((in_x * x**2).sum(-1)) * np.sqrt((in_y * y**2).sum(-1)))


def coarser(counts: np.ndarray, fine: FloatBins, coarse: FloatBins, axis: int = -1) -> np.ndarray:
    """The same counts in wider bins along an axis; the wide bins must begin where narrow ones do."""
    membership = np.eye(len(coarse), dtype=int)[coarse(fine.edges()[:-1])]  # [fine, coarse]
    return np.moveaxis(np.moveaxis(counts, axis, -1) @ membership, -1, axis)


def cells(counts: np.ndarray, **edges: np.ndarray) -> pd.DataFrame:
    """A row for each cell that is not empty: its bounds ``<name>_low`` and ``<name>_high`` on each axis, and ``n``."""
    places = np.nonzero(counts)
    bounds = {
        f"{name}_{bound}": of_axis[place + step]
        for (name, of_axis), place in zip(edges.items(), places, strict=True)
        for step, bound in enumerate(("low", "high"))
    }
    return pd.DataFrame({**bounds, "n": counts[places]})
