"""How well a fine-tuned model does without each head and each layer (Kovaleva et al. 2019, section 4.6, figures 8, 9).

The paper reports, for every task, a head whose removal helps. But the best of 144 heads may just be the luckiest: it
has to help on data on which it was not chosen, too. And a layer is twelve heads, so that its removal is to be held
against that of twelve heads from anywhere.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise, starmap

import numpy as np
import pandas as pd

from bert_attention.corpora.types import LAYOUTS
from bert_attention.heads import head_name, head_table
from bert_attention.kovaleva.column_values import DISABLED
from bert_attention.statistics.intervals import bootstrap_interval_of
from bert_attention.statistics.old_held_out import choices, second_half
from bert_attention.statistics.weighted_scores import SCORES

_RANDOM_SETS = 10
_CHOSEN = ("layer", "head", "other_layer", "other_head")


def ablations(layers: int, heads: int, seed: int) -> np.ndarray:
    """Which heads each ablation disables, a mask ``[ablation, layer, head]``.

    The first disables none; then each head, each layer, and random sets of as many heads as a layer has.
    """
    each_head = np.eye(layers * heads, dtype=bool).reshape(-1, layers, heads)
    each_layer = np.broadcast_to(np.eye(layers, dtype=bool)[:, :, None], (layers, layers, heads))
    random = np.random.default_rng(seed)
    sets = [random.permutation(layers * heads) < heads for _ in range(_RANDOM_SETS)]
    of_sets = np.reshape(sets, (-1, layers, heads))
    return np.concatenate([np.zeros((1, layers, heads), dtype=bool), each_head, each_layer, of_sets])


def disabled_heads(
    predictions: np.ndarray, labels: Sequence[float], disabled: np.ndarray, *, task: str, seed: int
) -> dict[str, pd.DataFrame]:
    """The tables of one task, from what each ablation predicts for its examples.

    Intervals are of the paired difference from the whole model, over examples.

    Parameters
    ----------
    predictions
        ``[ablation, example]``: class numbers, or scores.
    labels
        ``[example]``.
    disabled
        The ablations, as :func:`ablations` has them: a mask ``[ablation, layer, head]``.
    task
        A task of GLUE, for its metrics.
    seed
        Seed of the halves and of the bootstrap.

    Returns
    -------
    ``kovaleva_disabled_heads``, ``kovaleva_disabled_layers``
        The metric without each head or layer; also on each half of the examples.
    ``kovaleva_disabled_random``
        The same without random sets of as many heads as a layer has.
    ``kovaleva_disabled_gains``
        How much better than the whole model they are: on average, the best, and the best on the other half.
    """
    tables: dict[str, list[pd.DataFrame]] = {}
    for metric in LAYOUTS[task].metrics:
        for name, table in _tables(predictions, np.asarray(labels, float), disabled, metric, seed).items():
            table.insert(0, "metric", metric)
            table.insert(0, "task", task)
            tables.setdefault(name, []).append(table)
    return {name: pd.concat(parts, ignore_index=True) for name, parts in tables.items()}


def _tables(
    predictions: np.ndarray, labels: np.ndarray, disabled: np.ndarray, metric: str, seed: int
) -> dict[str, pd.DataFrame]:
    """The tables of one metric."""
    score, kinds, n = SCORES[metric], _kinds(disabled), len(labels)
    second = second_half(n, seed)
    parts = np.stack([np.ones(n), ~second, second] if second.any() else [np.ones(n)])
    values = score(predictions, labels, parts)  # [all or a half of the examples, ablation]
    names, of_chosen = zip(*_chosen(values, predictions, disabled, second), strict=True)
    scored = np.concatenate([predictions, of_chosen])

    def gains(weights: np.ndarray) -> np.ndarray:
        """Over the whole model: of all ablations, of the chosen, of each kind on average, ``[resample, gain]``."""
        scores = score(scored, labels, weights)
        over_whole = scores - scores[:, :1]
        return np.column_stack([over_whole, *(over_whole[:, rows].mean(1) for rows in kinds.values())])

    low, high = bootstrap_interval_of(gains, n, seed)
    measured = pd.DataFrame({"gain": gains(parts[:1])[0], "low": low, "high": high, "n": n})
    rows = measured[: len(predictions)].assign(value=values[0], baseline=values[0, 0])
    rows[["first_half", "second_half"]] = values[1:].T if second.any() else np.nan
    means = [{"disabled": kind, "selection": "mean"} for kind in kinds]
    return {
        **_tables_of_kinds(rows.drop(columns="gain"), disabled),
        "kovaleva_disabled_gains": _gains([*names, *means], measured[len(predictions) :]),
    }


def _kinds(disabled: np.ndarray) -> dict[str, slice]:
    """Where the ablations of each kind stand, after the whole model."""
    _, layers, heads = disabled.shape
    ends = [1, 1 + layers * heads, 1 + layers * heads + layers, len(disabled)]
    return {kind: slice(*bounds) for kind, bounds in zip(DISABLED, pairwise(ends), strict=True)}


def _chosen(
    values: np.ndarray, predictions: np.ndarray, disabled: np.ndarray, second: np.ndarray
) -> Iterator[tuple[dict[str, object], np.ndarray]]:
    """The best head and the best layer by each selection: the columns that name it, and what it predicts."""
    heads = disabled.shape[2]
    names = {
        "head": lambda place: {"layer": place // heads + 1, "head": place % heads + 1},
        "layer": lambda place: {"layer": place + 1},
    }
    for kind, name in names.items():
        of_kind = _kinds(disabled)[kind]
        on_halves = values[1:, of_kind] if second.any() else (values[0, of_kind], None)
        for selection, choice in choices(values[0, of_kind], *on_halves).items():
            predicted = predictions[of_kind][choice.scored(second), np.arange(len(second))]
            yield {"disabled": kind, "selection": selection, **choice.columns(name)}, predicted


def _tables_of_kinds(rows: pd.DataFrame, disabled: np.ndarray) -> dict[str, pd.DataFrame]:
    """The rows of each kind of ablation, with the columns that say what is disabled."""
    kinds = _kinds(disabled)
    heads, layers, sets = (rows[places].reset_index(drop=True) for places in kinds.values())
    of_head = head_table(n=np.zeros(disabled.shape[1:])).drop(columns="n")
    names = [" ".join(starmap(head_name, np.argwhere(lacking) + 1)) for lacking in disabled[kinds["random"]]]
    return {
        "kovaleva_disabled_heads": heads.assign(**of_head),
        "kovaleva_disabled_layers": layers.assign(layer=layers.index + 1),
        "kovaleva_disabled_random": sets.assign(draw=sets.index + 1, heads=disabled.shape[2], disabled=names),
    }


def _gains(names: Sequence[dict[str, object]], measured: pd.DataFrame) -> pd.DataFrame:
    """Rows of gains: what is disabled, and the gain with its interval."""
    table = pd.DataFrame(names, columns=["disabled", "selection", *_CHOSEN]).astype(dict.fromkeys(_CHOSEN, "Int64"))
    return table.join(measured.reset_index(drop=True))
