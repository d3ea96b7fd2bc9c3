"""Attention to token categories, by weight and by norm (Kobayashi et al. 2020, section 4.2, main figure)."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import pandas as pd

from bert_attention.attention.store import StoredSequence
from bert_attention.heads import head_table
from bert_attention.kobayashi.column_values import CATEGORIES
from bert_attention.statistics.moments import Moments


def categories(sequences: Iterable[StoredSequence]) -> pd.DataFrame:
    """Table ``kobayashi_categories``: what each head, and all heads of a layer together, take from each category.

    Measures are those of :func:`attention_to_categories`, averaged over sequences with equal weight, and
    ``transformed``, the mean ``||f_h(x_j)||`` of a category's tokens, over the sequences that have such tokens (the
    released average is undefined as soon as one sequence has none). An empty ``head`` stands for all heads together.
    """
    moments: dict[tuple[str, bool], Moments] = {}
    transformed = {category: Moments() for category in CATEGORIES}
    for sequence in sequences:
        masks = np.stack([sequence.categories[category] for category in CATEGORIES])
        norms = sequence.value_norms
        by_head, together = attention_to_categories(
            sequence.attention, norms, sequence.summed_norms, sequence.projections, masks
        )
        for is_head, measures in ((True, by_head), (False, together)):
            for measure, value in measures.items():
                moments.setdefault((measure, is_head), Moments()).add(value)
        for category, mask in zip(CATEGORIES, masks, strict=True):
            if mask.any():
                transformed[category].add(norms[..., mask].mean(-1))
    tables = [
        _rows(measure, category, m.mean[..., place], m.standard_error[..., place], m.n, is_head)
        for (measure, is_head), m in moments.items()
        for place, category in enumerate(CATEGORIES)
    ]
    tables += [
        _rows("transformed", category, m.mean, m.standard_error, m.n, is_head=True)
        for category, m in transformed.items()
        if m.n
    ]
    return pd.concat(tables, ignore_index=True).astype({"head": "Int64"})


def attention_to_categories(
    attention: np.ndarray,
    value_norms: np.ndarray,
    summed_norms: np.ndarray,
    projections: np.ndarray,
    masks: np.ndarray,
) -> tuple[dict[str, np.ndarray], dict[str, np.ndarray]]:
    """What an average token of one sequence takes from each category: the sum over the category's tokens.

    ``weight`` sums ``alpha``; ``norm`` sums ``||alpha f_h(x_j)||``; ``share_of_norm`` is the latter's share of its sum
    over categories; ``projection`` sums ``<alpha f_h(x_j), y_i> / ||y_i||``, in which vectors that cancel each other
    do not count. For all heads together, ``weight`` is the mean over heads (as released), ``norm`` sums
    ``||sum_h alpha f_h(x_j)||``, ``projection`` adds the heads up, and ``share_of_projection`` is its share of the
    sum over categories, which is the mean ``||y_i||``.

    Parameters
    ----------
    attention
        ``[layer, head, query, key]``.
    value_norms
        ``||f_h(x_j)||``, ``[layer, head, key]``.
    summed_norms
        ``||sum_h alpha f_h(x_j)||``, ``[layer, query, key]``.
    projections
        Summed over queries, ``[layer, head, key]``.
    masks
        ``[category, token]``; they cover all tokens.

    Returns
    -------
    By measure, arrays ``[layer, head, category]``, and for all heads together ``[layer, category]``.
    """
    columns = masks.T / masks.shape[1]  # sums over a category's keys, means over queries
    received = attention.sum(2)
    weight, norm, projection = received @ columns, (received * value_norms) @ columns, projections @ columns
    norm_together, projection_together = summed_norms.sum(1) @ columns, projection.sum(1)
    by_head = {"weight": weight, "norm": norm, "share_of_norm": _shares(norm), "projection": projection}
    together = {
        "weight": weight.mean(1),
        "norm": norm_together,
        "share_of_norm": _shares(norm_together),
        "projection": projection_together,
        "share_of_projection": _shares(projection_together),
    }
    return by_head, together


def _shares(values: np.ndarray) -> np.ndarray:
    return values / values.sum(-1, keepdims=True)


def _rows(
    measure: str, category: str, value: np.ndarray, standard_error: np.ndarray, n: int, is_head: bool
) -> pd.DataFrame:
    columns = {"value": value, "n": n, "standard_error": standard_error}
    if is_head:
        return head_table(category=category, measure=measure, **columns)
    layers = np.arange(len(value)) + 1
    return pd.DataFrame({"layer": layers, "head": pd.NA, "category": category, "measure": measure, **columns})
