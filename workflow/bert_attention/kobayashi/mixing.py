"""How much of a token's new vector comes from other tokens (Kobayashi et al. 2021, tables 1 and 2)."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import pandas as pd

from bert_attention.kobayashi.frequency import TokenPoints, rank_correlations
from bert_attention.kobayashi.spread import Spread
from bert_attention.mixing_methods import MIXING_METHODS
from bert_attention.store import StoredSequence


def mixing(sequences: Iterable[StoredSequence]) -> pd.DataFrame:
    """Table ``kobayashi_mixing``: mean mixing ratio, its standard deviation and extremes, over all tokens.

    ``layer`` 0 pools the layers, as the paper's table does. The paper masks 12 % of the tokens first; here the text is
    whole.
    """
    by_layer, pooled = Spread(), Spread()
    for sequence in sequences:
        ratios = sequence.mixing
        by_layer.add(ratios)
        pooled.add(ratios.reshape(len(ratios), 1, -1))
    tables = [_rows(pooled, first_layer=0), _rows(by_layer, first_layer=1)]
    return pd.concat(tables, ignore_index=True)


def _rows(spread: Spread, first_layer: int) -> pd.DataFrame:
    method, layer = np.indices(spread.mean.shape)
    columns = {"mixing_ratio": spread.mean, "sd": spread.sd, "min": spread.min, "max": spread.max}
    return pd.DataFrame(
        {
            "layer": layer.ravel() + first_layer,
            "method": np.take(MIXING_METHODS, method.ravel()),
            **{name: values.ravel() for name, values in columns.items()},
            "n": spread.n,
        }
    )


def mixing_frequency(sequences: Iterable[StoredSequence], ranks: np.ndarray) -> pd.DataFrame:
    """Table ``kobayashi_mixing_frequency``: Spearman's correlation of frequency rank with mixing ratio.

    Layers and tokens as in :func:`bert_attention.kobayashi.frequency.frequency`.
    """
    points = TokenPoints()
    for sequence in sequences:
        special = sequence.categories["cls"] | sequence.categories["sep"]
        points.add(sequence.mixing, ranks[sequence.token_ids], special)
    return rank_correlations(points, MIXING_METHODS, "method")
