"""Attention to token categories, by weight and by norm (Kobayashi et al. 2020, section 4.2, main figure)."""

from __future__ import annotations

import numpy as np
import pandas as pd

from bert_attention.attention.store import StoredSequence
from bert_attention.heads import head_table
from bert_attention.papers.kobayashi.columns import CATEGORIES
from bert_attention.statistics.sums import Sums, ratio


def sums(sequence: StoredSequence) -> dict[str, np.ndarray | int]:
    """Return a sequence's sums: measures ``[layer, head, category]``, and of the heads' sum ``[layer, category]``.

    ``n/transformed`` is True for the categories of which the sequence has tokens.
    """
    masks = np.stack([sequence.categories[category] for category in CATEGORIES])
    measures = attention_to_categories(sequence, masks)
    return {
        **measures,
        "transformed": sequence.value_norms @ masks.T / np.maximum(masks.sum(1), 1),  # 0 for a category without tokens
        **{f"n/{measure}": np.ones(len(CATEGORIES), dtype=int) for measure in measures},
        "n/transformed": masks.any(1),
    }


def table(sums: Sums) -> pd.DataFrame:
    """Return table ``kobayashi_categories``: the measures of each head and each layer for each category.

    Measures are averaged over sequences with equal weight. ``transformed`` is the mean ``||f_h(x_j)||`` of a category's
    tokens, over the sequences that have such tokens (the released average is undefined as soon as one sequence has
    none). :func:`attention_to_categories` defines the other measures.

    An empty ``head`` stands for the layer. For a layer, a measure of heads is the mean over heads, as in the paper's
    curves. A measure of the sum of the heads' vectors has a name that ends in ``_of_sum``, and only layers have it.
    """
    counts, ever = sums.within("n/"), sums.of_all.within("n/")
    tables = []
    for measure in counts:
        kept = np.flatnonzero(ever[measure])
        values = np.moveaxis(ratio(sums[measure], counts[measure])[..., kept], -1, 0)  # [category, layer(, head)]
        labels, columns = {"category": [CATEGORIES[index] for index in kept]}, {"measure": measure}
        columns["n"] = counts[measure][kept, None, None]
        if values.ndim == 3:
            tables.append(head_table(labels, value=values, **columns))
            values = values.mean(-1)
        tables.append(head_table(labels, value=values[..., None], **columns).assign(head=pd.NA))
    return pd.concat(tables, ignore_index=True).astype({"head": "Int64"})


def attention_to_categories(sequence: StoredSequence, masks: np.ndarray) -> dict[str, np.ndarray]:
    """Return measures of an average token's attention to each category, summed over the category's tokens.

    For each head, ``weight`` sums ``alpha``, and ``norm`` sums ``||alpha f_h(x_j)||``. ``share_of_norm`` is the share
    of ``norm`` in its sum over categories. ``projection`` sums ``<alpha f_h(x_j), y_i> / ||y_i||``, to which vectors
    that cancel each other add nothing.

    For the heads' sum, ``norm_of_sum`` sums ``||sum_h alpha f_h(x_j)||``, and ``projection_of_sum`` sums the projection
    of the heads' sum. Their shares are of their sums over categories, which for projections is the mean ``||y_i||``.
    Masks are ``[category, token]``, and together cover all tokens. Measures of each head are
    ``[layer, head, category]``, and measures of the heads' sum are ``[layer, category]``.
    """
    columns = masks.T / masks.shape[1]  # sums over a category's keys, means over queries
    received = sequence.attention.sum(2)
    weight, norm = received @ columns, (received * sequence.value_norms) @ columns
    projection = sequence.projections @ columns
    norm_of_sum, projection_of_sum = sequence.summed_norms.sum(1) @ columns, projection.sum(1)
    return {
        "weight": weight,
        "norm": norm,
        "share_of_norm": _shares(norm),
        "projection": projection,
        "norm_of_sum": norm_of_sum,
        "share_of_norm_of_sum": _shares(norm_of_sum),
        "projection_of_sum": projection_of_sum,
        "share_of_projection_of_sum": _shares(projection_of_sum),
    }


def _shares(values: np.ndarray) -> np.ndarray:
    return values / values.sum(-1, keepdims=True)
