"""How much of a token's new vector comes from other tokens (Kobayashi et al. 2021, tables 1 and 2)."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import pandas as pd

from bert_attention.attention.mixing_methods import MIXING_METHODS
from bert_attention.attention.store import StoredSequence
from bert_attention.kobayashi.frequency import TokenPoints, rank_correlations
from bert_attention.statistics.moments import Moments


def mixing(sequences: Iterable[StoredSequence], ranks: np.ndarray) -> dict[str, pd.DataFrame]:
    """Tables ``kobayashi_mixing`` and ``kobayashi_mixing_frequency``: mixing ratios, and how they vary with frequency.

    The first holds the mean ratio, its standard deviation and extremes, over all tokens. ``layer`` 0 pools the layers,
    as the paper's table does. The paper masks 12 % of the tokens first; here nothing is masked.

    The second holds Spearman's correlation of frequency rank with mixing ratio; layers and tokens as in
    :func:`bert_attention.kobayashi.frequency.frequency`.
    """
    by_layer, pooled = Moments(), Moments()
    points = TokenPoints()
    for sequence in sequences:
        ratios = sequence.mixing
        by_layer.add_all(ratios)
        pooled.add_all(ratios.reshape(len(ratios), 1, -1))
        special = sequence.categories["cls"] | sequence.categories["sep"]
        points.add(ratios, ranks[sequence.token_ids], special)
    tables = [_rows(pooled, first_layer=0), _rows(by_layer, first_layer=1)]
    return {
        "kobayashi_mixing": pd.concat(tables, ignore_index=True),
        "kobayashi_mixing_frequency": rank_correlations(points, MIXING_METHODS, "method"),
    }


def _rows(moments: Moments, first_layer: int) -> pd.DataFrame:
    method, layer = np.indices(moments.mean.shape)
    columns = {"mixing_ratio": moments.mean, "sd": moments.sd, "min": moments.min, "max": moments.max}
    return pd.DataFrame(
        {
            "layer": layer.ravel() + first_layer,
            "method": np.take(MIXING_METHODS, method.ravel()),
            **{name: values.ravel() for name, values in columns.items()},
            "n": moments.n,
        }
    )
