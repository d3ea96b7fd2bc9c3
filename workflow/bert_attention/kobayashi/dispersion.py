"""How much attention weights and transformed vectors vary (Kobayashi et al. 2020, section 4.1, table 1)."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import pandas as pd

from bert_attention.attention.store import StoredSequence
from bert_attention.heads import head_table
from bert_attention.statistics.moments import Moments

VECTORS = ("input", "transformed", "weight", "weighted")


def dispersion(sequences: Iterable[StoredSequence]) -> pd.DataFrame:
    """Table ``kobayashi_dispersion``: mean, standard deviation, their ratio ``cv``, and extremes of four lengths.

    ``input`` is ``||x_j||``, one list per layer (``head`` is empty); ``transformed`` is ``||f_h(x_j)||``, one list per
    head; both over all tokens of all sequences, as in the released ``check_dispersion.py``. ``weight`` is ``alpha`` and
    ``weighted`` is ``||alpha f_h(x_j)||``, over all pairs of tokens; the released code does not have them.

    Rows with ``layer`` 0 hold the averages that the paper prints: each statistic averaged over the lists of a vector;
    their ``n`` is the number of lists. Elsewhere ``n`` is the length of the list.
    """
    moments = {vector: Moments() for vector in VECTORS}
    for sequence in sequences:
        for vector, lengths in vector_lengths(sequence).items():
            moments[vector].add_all(lengths)
    rows = pd.concat([_rows(vector, of_vector) for vector, of_vector in moments.items()], ignore_index=True)
    table = pd.concat([_averages(rows), rows], ignore_index=True)
    return table.astype({"head": "Int64"})


def vector_lengths(sequence: StoredSequence) -> dict[str, np.ndarray]:
    """The four lengths of one sequence: ``[layer, token]``, ``[layer, head, token]``, ``[layer, head, pair]`` twice."""
    attention, transformed = sequence.attention, sequence.value_norms
    weighted = attention * transformed[:, :, None, :]
    return {
        "input": sequence.input_norms,
        "transformed": transformed,
        "weight": attention.reshape(*transformed.shape[:2], -1),
        "weighted": weighted.reshape(*transformed.shape[:2], -1),
    }


def _rows(vector: str, moments: Moments) -> pd.DataFrame:
    mean, sd = moments.mean, moments.sd
    values = {"mean": mean, "sd": sd, "cv": sd / mean, "min": moments.min, "max": moments.max}
    if vector == "input":
        table = head_table(**{name: value[:, None] for name, value in values.items()}).assign(head=pd.NA)
    else:
        table = head_table(**values)
    table.insert(0, "vector", vector)
    return table.assign(n=moments.n)


def _averages(rows: pd.DataFrame) -> pd.DataFrame:
    by_vector = rows.groupby("vector", sort=False)
    averages = by_vector[["mean", "sd", "cv", "min", "max"]].mean().assign(n=by_vector.size())
    return averages.reset_index().assign(layer=0, head=pd.NA)
