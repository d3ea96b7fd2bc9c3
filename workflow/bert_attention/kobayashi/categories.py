"""Attention to token categories, by weight and by norm (Kobayashi et al. 2020, section 4.2, main figure)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np
import pandas as pd

from bert_attention.attention.store import StoredSequence
from bert_attention.heads import head_table
from bert_attention.kobayashi.column_values import CATEGORIES
from bert_attention.statistics.moments import Moments


def categories(sequences: Iterable[StoredSequence]) -> pd.DataFrame:
    """Table ``kobayashi_categories``: what each head, and each layer, takes from each category.

    Measures are averaged over sequences with equal weight. ``transformed`` is the mean ``||f_h(x_j)||`` of a category's
    tokens, over the sequences that have such tokens (the released average is undefined as soon as one sequence has
    none). The others are those of :func:`attention_to_categories`.

    An empty ``head`` stands for the layer. There, a measure of heads is their mean, as the paper's curves have it. What
    is computed from the sum of the heads' vectors is another measure, whose name ends in ``_of_sum``; heads do not have
    it.
    """
    of_heads, of_layers, of_sums = _MomentsByMeasure(), _MomentsByMeasure(), _MomentsByMeasure()
    for sequence in sequences:
        masks = np.stack([sequence.categories[category] for category in CATEGORIES])
        by_head, of_sum = attention_to_categories(
            sequence.attention, sequence.value_norms, sequence.summed_norms, sequence.projections, masks
        )
        transformed = {"transformed": mean_by_category(sequence.value_norms, masks)}
        for measures, some in ((by_head, np.arange(len(masks))), (transformed, np.flatnonzero(masks.any(1)))):
            of_heads.add(measures, some)
            of_layers.add({measure: values.mean(1) for measure, values in measures.items()}, some)
        of_sums.add(of_sum, np.arange(len(masks)))
    tables = [*of_heads.tables(), *of_layers.tables(), *of_sums.tables()]
    return pd.concat(tables, ignore_index=True).astype({"head": "Int64"})


def attention_to_categories(
    attention: np.ndarray,
    value_norms: np.ndarray,
    summed_norms: np.ndarray,
    projections: np.ndarray,
    masks: np.ndarray,
) -> tuple[dict[str, np.ndarray], dict[str, np.ndarray]]:
    """What an average token of one sequence takes from each category: the sum over the category's tokens.

    Of each head: ``weight`` sums ``alpha``; ``norm`` sums ``||alpha f_h(x_j)||``; ``share_of_norm`` is the latter's
    share of its sum over categories; ``projection`` sums ``<alpha f_h(x_j), y_i> / ||y_i||``, in which vectors that
    cancel each other do not count.

    Of the heads' sum: ``norm_of_sum`` sums ``||sum_h alpha f_h(x_j)||``; ``projection_of_sum`` sums its projection; the
    shares of both are of their sums over categories, which for projections is the mean ``||y_i||``.

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
    By measure, arrays ``[layer, head, category]`` of each head, and ``[layer, category]`` of the heads' sum.
    """
    columns = masks.T / masks.shape[1]  # sums over a category's keys, means over queries
    received = attention.sum(2)
    weight, norm, projection = received @ columns, (received * value_norms) @ columns, projections @ columns
    norm_of_sum, projection_of_sum = summed_norms.sum(1) @ columns, projection.sum(1)
    by_head = {"weight": weight, "norm": norm, "share_of_norm": _shares(norm), "projection": projection}
    of_sum = {
        "norm_of_sum": norm_of_sum,
        "share_of_norm_of_sum": _shares(norm_of_sum),
        "projection_of_sum": projection_of_sum,
        "share_of_projection_of_sum": _shares(projection_of_sum),
    }
    return by_head, of_sum


def mean_by_category(value_norms: np.ndarray, masks: np.ndarray) -> np.ndarray:
    """Mean norm of each category's tokens, ``[layer, head, category]``; NaN where a sequence has none of a category.

    Parameters
    ----------
    value_norms
        ``[layer, head, token]``.
    masks
        ``[category, token]``.
    """
    return (value_norms @ masks.T) / np.where(masks.any(1), masks.sum(1), np.nan)


class _MomentsByMeasure:
    """Moments of each measure and category over sequences."""

    def __init__(self) -> None:
        self._moments: dict[tuple[str, str], Moments] = {}

    def add(self, measures: Mapping[str, np.ndarray], some: np.ndarray) -> None:
        """Add the measures of one sequence, ``[layer, (head,) category]`` each, in the categories at some places."""
        for measure, values in measures.items():
            for place in some:
                self._moments.setdefault((measure, CATEGORIES[place]), Moments()).add(values[..., place])

    def tables(self) -> list[pd.DataFrame]:
        """The rows of each measure and category."""
        return [_rows(measure, category, moments) for (measure, category), moments in self._moments.items()]


def _shares(values: np.ndarray) -> np.ndarray:
    return values / values.sum(-1, keepdims=True)


def _rows(measure: str, category: str, moments: Moments) -> pd.DataFrame:
    columns = {"value": moments.mean, "n": moments.n, "standard_error": moments.standard_error}
    if moments.mean.ndim == 2:  # [layer, head]
        return head_table(category=category, measure=measure, **columns)
    layers = np.arange(len(moments.mean)) + 1
    return pd.DataFrame({"layer": layers, "head": pd.NA, "category": category, "measure": measure, **columns})
