"""Do frequent tokens get less attention? By weight and by norm (Kobayashi et al. 2020, section 4.3)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import numpy as np
import pandas as pd
from scipy.stats import spearmanr

from bert_attention.attention.store import StoredSequence
from bert_attention.kobayashi.column_values import TOKENS

MEASURES = ("norm", "weight")

_RANK_BINS, _VALUE_BINS = 40, 48


def frequency(sequences: Iterable[StoredSequence], ranks: np.ndarray) -> dict[str, pd.DataFrame]:
    """Tables ``kobayashi_frequency`` and ``kobayashi_frequency_bins``: frequency rank against attention received.

    The first holds Spearman's correlations. A point is an occurrence of a token. ``weight`` is the mean ``alpha`` that
    it receives over queries and heads, ``norm`` its mean ``||f_h(x_j)||`` over heads; ``layer`` 0 averages them over
    layers, as in the released ``relation_with_freq.py``. ``tokens`` tells whether [CLS] and [SEP] are among the points;
    we take the paper's value to be without. ``n`` counts the points.

    The second counts the points of ``layer`` 0, without specials, by ranges. Ranges of rank hold whole ranks
    from ``rank_low`` up to, not including, ``rank_high``; ranges of ``value`` have equal width on a logarithmic scale.
    Only ranges with points have rows.

    Parameters
    ----------
    ranks
        :func:`bert_attention.corpora.token_frequency.token_ranks`.
    """
    points = token_points(sequences, ranks)
    return {
        "kobayashi_frequency": rank_correlations(points, MEASURES, "measure"),
        "kobayashi_frequency_bins": rank_bins(points, MEASURES, "measure", ranks.max(), np.geomspace),
    }


class TokenPoints:
    """Rank and values of every occurrence of a token, in corpus order.

    They are not binned. A token takes a few numbers for each layer, a five-hundredth of what it takes in the store;
    binned counts would need as much memory from the start and yield only approximate ranks.
    """

    def __init__(self) -> None:
        self._parts: list[tuple[np.ndarray, np.ndarray, np.ndarray]] = []

    def add(self, values: np.ndarray, ranks: np.ndarray, special: np.ndarray) -> None:
        """Add the tokens of one sequence: values ``[measure, layer, token]``, ranks and a mask ``[token]``."""
        self._parts.append((values.astype(np.float32), ranks.astype(np.int32), special))

    @property
    def values(self) -> np.ndarray:
        """``[measure, layer, token]``."""
        return np.concatenate([values for values, _, _ in self._parts], axis=-1)

    @property
    def ranks(self) -> np.ndarray:
        """``[token]``."""
        return np.concatenate([ranks for _, ranks, _ in self._parts])

    @property
    def special(self) -> np.ndarray:
        """Which tokens are [CLS] or [SEP], ``[token]``."""
        return np.concatenate([special for _, _, special in self._parts])


def token_points(sequences: Iterable[StoredSequence], ranks: np.ndarray) -> TokenPoints:
    """Norm and weight (``MEASURES``) of every token of all sequences."""
    points = TokenPoints()
    for sequence in sequences:
        values = np.stack([sequence.value_norms.mean(1), sequence.attention.mean((1, 2))])
        points.add(values, ranks[sequence.token_ids], sequence.categories["cls"] | sequence.categories["sep"])
    return points


def rank_correlations(points: TokenPoints, names: Sequence[str], column: str) -> pd.DataFrame:
    """Spearman's correlation of rank with each kind of value, which ``column`` names, for layer 0 and each layer."""
    values, ranks, special = points.values, points.ranks, points.special
    values = np.concatenate([values.mean(1, keepdims=True, dtype=np.float64), values], axis=1)
    masks = dict(zip(TOKENS, (~special, np.ones_like(special)), strict=True))
    rows = [
        (layer, name, tokens, float(spearmanr(ranks[mask], values[place, layer, mask]).statistic), int(mask.sum()))
        for tokens, mask in masks.items()
        for place, name in enumerate(names)
        for layer in range(values.shape[1])
    ]
    return pd.DataFrame(rows, columns=["layer", column, "tokens", "spearman", "n"])


def rank_bins(
    points: TokenPoints, names: Sequence[str], column: str, last_rank: int, spaced: Callable[..., np.ndarray]
) -> pd.DataFrame:
    """Count points by ranges of rank and of each kind of value, which ``column`` names; without [CLS] and [SEP].

    Values are averaged over layers.

    Parameters
    ----------
    spaced
        ``np.geomspace`` for ranges of values of equal width on a logarithmic scale; ``np.linspace`` for equal width.
    """
    chosen = ~points.special
    rank_edges = np.unique(np.geomspace(1, last_rank + 1, _RANK_BINS + 1).round().astype(int))
    tables = []
    for name, values in zip(names, points.values.mean(1, dtype=np.float64)[:, chosen], strict=True):
        lowest, highest = values[values > 0].min(), np.nextafter(values.max(), np.inf)
        value_edges = spaced(lowest, highest, _VALUE_BINS + 1)
        counts, *_ = np.histogram2d(points.ranks[chosen], values, (rank_edges, value_edges))
        rank, value = np.nonzero(counts)
        ranges = {
            "rank_low": rank_edges[rank],
            "rank_high": rank_edges[rank + 1],
            "value_low": value_edges[value],
            "value_high": value_edges[value + 1],
        }
        tables.append(pd.DataFrame({column: name, **ranges, "n": counts[rank, value].astype(int)}))
    return pd.concat(tables, ignore_index=True)
