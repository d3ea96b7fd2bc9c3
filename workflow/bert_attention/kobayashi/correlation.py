"""Do heads give little weight to large vectors? (Kobayashi et al. 2020, section 4.2, table 2)"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import pandas as pd

from bert_attention.attention.store import StoredSequence
from bert_attention.kobayashi.column_values import CATEGORIES


@dataclass(frozen=True)
class FloatBins:
    """Bins of equal width within each octave, read off the bits of a float32: finer than ranks need, no logarithm.

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
        """Lower edge of each bin, and infinity."""
        octaves, steps = np.divmod(np.arange(len(self) - 1), 1 << self.bits)
        return np.concatenate([[0.0], np.ldexp(1 + steps / (1 << self.bits), octaves + self.lowest), [np.inf]])


_MANTISSA_BITS, _EXPONENT_BIAS = 23, 127
_NO_ROW = -1

# Attention is stored as float16, which has no value between zero and 2**-24, so that zero has a bin of its own. Norms
# of a token that is the same everywhere, such as [CLS], are close together and need the finer bins.
_WEIGHTS = FloatBins(lowest=-24, highest=0, bits=6)
_NORMS = FloatBins(lowest=-16, highest=16, bits=10)
# For figures: octaves of weights, the last one for weights of 1, and eighths of octaves of norms.
_DRAWN_WEIGHTS = FloatBins(lowest=-24, highest=1, bits=0)
_DRAWN_NORMS = FloatBins(lowest=-16, highest=16, bits=3)


def correlation(sequences: Iterable[StoredSequence]) -> dict[str, pd.DataFrame]:
    """Tables ``kobayashi_correlation`` and ``kobayashi_correlation_bins``: ``alpha`` against ``||f_h(x_j)||``.

    The first holds Spearman's correlation of the two, by category of the attended token j. All pairs of tokens, of all
    heads, layers and sequences, are pooled, as in the released ``relation_between_alpha_fx.py``; ``n`` counts them.

    The second counts the pairs by ranges of weight and norm. Weights of zero have a range of their own, up to
    ``2**-24``. Only ranges with pairs have rows.
    """
    pairs = weights_and_norms(sequences)
    rows = [(category, pairs.spearman(place), pairs.size(place)) for place, category in enumerate(CATEGORIES)]
    cells = [pairs.cells(place).assign(category=category) for place, category in enumerate(CATEGORIES)]
    return {
        "kobayashi_correlation": pd.DataFrame(rows, columns=["category", "spearman", "n"]),
        "kobayashi_correlation_bins": pd.concat(cells),
    }


def weights_and_norms(sequences: Iterable[StoredSequence]) -> PairCounts:
    """The counts of all pairs of all sequences."""
    pairs = PairCounts()
    for sequence in sequences:
        masks = sequence.categories
        pairs.add(sequence.attention, sequence.value_norms, np.stack([masks[name] for name in CATEGORIES]))
    return pairs


class PairCounts:
    """Counts of pairs (weight, norm) of each category in a grid, which yields ranks without sorting.

    Pairs in a bin are ties: Spearman's correlation is within 1e-4 of the exact one. Only bins of norms that occur take
    memory, 12 kB each: some hundred MB for a model, however long the corpus.
    """

    def __init__(self) -> None:
        self._row_of = np.full((len(CATEGORIES), len(_NORMS)), _NO_ROW)
        self._rows_taken = 0
        self._counts = np.zeros((0, len(_WEIGHTS)), dtype=np.int64)  # [row, weight], rows in order of appearance

    def add(self, attention: np.ndarray, value_norms: np.ndarray, masks: np.ndarray) -> None:
        """Count all pairs of one sequence.

        Parameters
        ----------
        attention
            ``[layer, head, query, key]``.
        value_norms
            ``[layer, head, key]``.
        masks
            ``[category, key]``; each key is in one category.
        """
        rows = self._rows(masks.argmax(0) * len(_NORMS) + _NORMS(value_norms))
        cells = rows[:, :, None, :] * len(_WEIGHTS) + _WEIGHTS(attention)
        np.add.at(self._counts.reshape(-1), cells.reshape(-1), 1)

    def _rows(self, places: np.ndarray) -> np.ndarray:
        """Rows of the counts for places in the table of categories and norms; new places get new rows."""
        row_of = self._row_of.reshape(-1)
        new = np.unique(places[row_of[places] == _NO_ROW])
        row_of[new] = self._rows_taken + np.arange(len(new))
        self._rows_taken += len(new)
        if self._rows_taken > len(self._counts):
            grown = np.zeros((2 * self._rows_taken, len(_WEIGHTS)), dtype=np.int64)
            grown[: len(self._counts)] = self._counts
            self._counts = grown
        return row_of[places]

    def _category_counts(self, category: int) -> tuple[np.ndarray, np.ndarray]:
        """The norm bins that occur in a category, in ascending order, and their counts ``[norm, weight]``."""
        norms = np.flatnonzero(self._row_of[category] != _NO_ROW)
        return norms, self._counts[self._row_of[category, norms]]

    def size(self, category: int) -> int:
        """Number of pairs of a category, by its place in ``CATEGORIES``."""
        return int(self._category_counts(category)[1].sum())

    def spearman(self, category: int) -> float:
        """Spearman's correlation of a category's pairs; NaN if all weights or all norms are equal."""
        return _spearman(self._category_counts(category)[1])

    def cells(self, category: int) -> pd.DataFrame:
        """Counts of a category's pairs in wider bins: weight_low, weight_high, norm_low, norm_high, n."""
        norms, counts = self._category_counts(category)
        drawn_norms = _DRAWN_NORMS(_NORMS.edges()[norms])
        drawn_weights = _DRAWN_WEIGHTS(_WEIGHTS.edges()[:-1])
        by_norm = np.zeros((len(_DRAWN_NORMS), len(_WEIGHTS)), dtype=np.int64)
        np.add.at(by_norm, drawn_norms, counts)
        by_weight = np.zeros((len(_DRAWN_WEIGHTS), len(_DRAWN_NORMS)), dtype=np.int64)
        np.add.at(by_weight, drawn_weights, by_norm.T)
        weight, norm = np.nonzero(by_weight)
        return pd.DataFrame(
            {
                "weight_low": _DRAWN_WEIGHTS.edges()[weight],
                "weight_high": _DRAWN_WEIGHTS.edges()[weight + 1],
                "norm_low": _DRAWN_NORMS.edges()[norm],
                "norm_high": _DRAWN_NORMS.edges()[norm + 1],
                "n": by_weight[weight, norm],
            }
        )


def _spearman(counts: np.ndarray) -> float:
    """Pearson's correlation of the mid-ranks of rows and columns of a table of counts."""
    in_rows, in_columns = counts.sum(1), counts.sum(0)
    total = in_rows.sum()
    rows, columns = (np.cumsum(margin) - margin / 2 - total / 2 for margin in (in_rows, in_columns))
    variances = in_rows @ rows**2 * (in_columns @ columns**2)
    return float(rows @ (counts @ columns) / np.sqrt(variances)) if variances > 0 else float("nan")
