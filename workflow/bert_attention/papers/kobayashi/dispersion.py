"""Variation of attention weights and transformed vectors (Kobayashi et al. 2020, section 4.1, table 1)."""

from __future__ import annotations

import numpy as np
import pandas as pd

from bert_attention.attention.store import StoredSequence
from bert_attention.heads import head_table
from bert_attention.statistics.sums import Sums, ratio

VECTORS = ("input", "transformed", "weight", "weighted")


def sums(sequence: StoredSequence) -> dict[str, np.ndarray]:
    """Return a sequence's sums: for each of ``VECTORS`` the sums that :func:`spread` needs, ``[layer, head]``.

    The input, which heads share, has a head axis of length 1.
    """
    attention, transformed = sequence.attention, sequence.value_norms
    weighted = attention * transformed[:, :, None, :]
    lengths = {
        "input": sequence.input_norms[:, None],
        "transformed": transformed,
        "weight": attention.reshape(*transformed.shape[:2], -1),
        "weighted": weighted.reshape(*transformed.shape[:2], -1),
    }
    return {f"{vector}/{name}": a for vector, values in lengths.items() for name, a in moment_sums(values).items()}


def table(sums: Sums) -> pd.DataFrame:
    """Return table ``kobayashi_dispersion``: mean, standard deviation, their ratio ``cv``, and extremes of lengths.

    ``input`` is ``||x_j||``, with one list per layer (``head`` is empty). ``transformed`` is ``||f_h(x_j)||``, with one
    list per head. Both are over all tokens of all sequences, as in the released ``check_dispersion.py``. ``weight`` is
    ``alpha`` and ``weighted`` is ``||alpha f_h(x_j)||``, over all pairs of tokens. The released code lacks both.

    Rows with ``layer`` 0 hold the averages that the paper prints: each statistic averaged over the lists of a vector.
    Their ``n`` is the number of lists. Elsewhere ``n`` is the length of the list.
    """
    tables = [head_table(vector=vector, **spread(sums.within(f"{vector}/"))) for vector in VECTORS]
    rows = pd.concat(tables, ignore_index=True).astype({"head": "Int64"})
    rows.loc[rows["vector"] == "input", "head"] = pd.NA
    rows.insert(5, "cv", rows["sd"] / rows["mean"])
    by_vector = rows.groupby("vector", sort=False)
    averages = by_vector[["mean", "sd", "cv", "min", "max"]].mean().assign(n=by_vector.size(), layer=0)
    return pd.concat([averages.reset_index(), rows], ignore_index=True)


def moment_sums(values: np.ndarray) -> dict[str, np.ndarray]:
    """Return a unit's sums for the mean, standard deviation and extremes of values ``[..., item]``, ``[...]`` each.

    There must be at least one value.
    """
    return {
        "n": np.full(values.shape[:-1], values.shape[-1]),
        "sum": values.sum(-1, dtype=np.float64),
        "squares": np.square(values, dtype=np.float64).sum(-1),
        "min": values.min(-1),
        "max": values.max(-1),
    }


def spread(sums: Sums | dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Return mean, standard deviation, extremes and number of values from :func:`moment_sums`; NaN without values."""
    mean = ratio(sums["sum"], sums["n"])
    # rounding can take the variance of equal values below zero
    sd = np.sqrt(np.maximum(ratio(sums["squares"], sums["n"]) - mean**2, 0))
    return {"mean": mean, "sd": sd, "min": sums["min"], "max": sums["max"], "n": sums["n"]}
