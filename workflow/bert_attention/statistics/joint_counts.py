"""Joint counts of points in fixed bins. They are sums over units, and give rank correlations and densities."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from bert_attention.statistics.sums import ratio

_MANTISSA_BITS, _EXPONENT_BIAS = 23, 127


@dataclass(frozen=True)
class FloatBins:
    """Bins of equal width within each octave, read from the bits of a float32, without a logarithm.

    Bin 0 holds zero and all values below ``2**lowest``. The last bin holds all values from ``2**highest`` on.
    """

    lowest: int
    highest: int
    bits: int  # an octave has 2**bits bins

    def __len__(self) -> int:
        return ((self.highest - self.lowest) << self.bits) + 2

    def __call__(self, values: np.ndarray) -> np.ndarray:
        """Return the bin of each value; values must not be negative."""
        leading = np.ascontiguousarray(values, dtype=np.float32).view(np.int32) >> (_MANTISSA_BITS - self.bits)
        return np.clip(leading - ((_EXPONENT_BIAS + self.lowest) << self.bits) + 1, 0, len(self) - 1)

    def edges(self) -> np.ndarray:
        """Return the lower edge of each bin, and an upper edge of the last bin for plots: twice its lower edge."""
        octaves, steps = np.divmod(np.arange(len(self) - 1), 1 << self.bits)
        edges = np.ldexp(1 + steps / (1 << self.bits), octaves + self.lowest)
        return np.concatenate([[0.0], edges, [2 * edges[-1]]])


@dataclass(frozen=True)
class OctaveBins:
    """Fine bins over all octaves. Only octaves with points take memory.

    An octave n has ``2**bits`` bins of equal width from ``2**n`` on. Zero is in octave -127. These bins suit values of
    unknown scale, because many points can crowd within a few percent of one value. Densities are drawn in
    ``2**drawn_bits`` bins per octave.
    """

    bits: int
    drawn_bits: int

    def counts(self, values: np.ndarray, rows: np.ndarray, size: int) -> dict[int, np.ndarray]:
        """Count points by their row, of ``size`` rows, and their value, which must not be negative.

        Return the counts ``[row, bin]`` by octave.
        """
        octaves, bins = self.octaves_and_bins(values)
        shape = (size, 1 << self.bits)
        masks = {octave: octaves == octave for octave in np.unique(octaves).tolist()}
        return {octave: joint_counts(shape, rows[mask], bins[mask]) for octave, mask in masks.items()}

    def octaves_and_bins(self, values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the octave of each value, and the bin in this octave."""
        leading = np.ascontiguousarray(values, dtype=np.float32).view(np.int32) >> (_MANTISSA_BITS - self.bits)
        return (leading >> self.bits) - _EXPONENT_BIAS, leading & ((1 << self.bits) - 1)

    def drawn(self, counts: np.ndarray) -> np.ndarray:
        """Merge the counts of an octave, ``[row, bin]``, into the bins that are drawn, ``[row, drawn bin]``."""
        return counts.reshape(len(counts), 1 << self.drawn_bits, -1).sum(-1)

    def edges(self, octave: int) -> np.ndarray:
        """Return the edges of an octave's drawn bins, including the last upper edge."""
        steps = np.arange((1 << self.drawn_bits) + 1) / (1 << self.drawn_bits)
        return np.ldexp(1 + steps, octave) if octave > -_EXPONENT_BIAS else np.ldexp(steps, 1 - _EXPONENT_BIAS)


def joint_counts(shape: tuple[int, ...], *indices: np.ndarray) -> np.ndarray:
    """Count the points in each cell of a grid of this shape. Indices along the axes are broadcast together."""
    cells = np.zeros((), dtype=int)
    for size, along_axis in zip(shape, indices, strict=True):
        cells = cells * size + along_axis
    return np.bincount(cells.ravel(), minlength=np.prod(shape)).reshape(shape)


def spearman(counts: np.ndarray) -> np.ndarray:
    """Return Spearman's correlation, ``[...]``, of points counted in ``[..., x, y]``; NaN if x or y is in one bin.

    This is Pearson's correlation of mid-ranks, where points in the same bin are ties.
    """
    in_x, in_y = counts.sum(-1), counts.sum(-2)
    x, y = (np.cumsum(margin, -1) - margin / 2 - margin.sum(-1, keepdims=True) / 2 for margin in (in_x, in_y))
    covariance = (x * (counts @ y[..., None])[..., 0]).sum(-1)
    return ratio(covariance, np.sqrt((in_x * x**2).sum(-1)) * np.sqrt((in_y * y**2).sum(-1)))


def coarser(counts: np.ndarray, fine: FloatBins, coarse: FloatBins, axis: int = -1) -> np.ndarray:
    """Merge counts into wider bins along an axis. Each wide bin must begin where a narrow bin begins."""
    wide = coarse(fine.edges()[:-1])  # the wide bin of each narrow bin
    return np.add.reduceat(counts, np.searchsorted(wide, np.arange(len(coarse))), axis)


def cells(counts: np.ndarray, **edges: np.ndarray) -> pd.DataFrame:
    """Return a row for each nonempty cell: its bounds ``<name>_low`` and ``<name>_high`` on each axis, and ``n``."""
    nonempty = np.nonzero(counts)
    bounds = {
        f"{name}_{bound}": of_axis[index + step]
        for (name, of_axis), index in zip(edges.items(), nonempty, strict=True)
        for step, bound in enumerate(("low", "high"))
    }
    return pd.DataFrame({**bounds, "n": counts[nonempty]})
