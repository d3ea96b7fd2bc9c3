"""Scores of a fine-tuned model without each head and each layer (Kovaleva et al. 2019, section 4.6, figures 8, 9).

The paper reports, for every task, a head whose removal helps. The best of 144 heads can be best by luck. Its removal is
therefore also scored on data on which the head was not chosen. The removal of a layer, which has twelve heads, is
compared with the removal of twelve random heads.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from itertools import pairwise, starmap

import numpy as np
import pandas as pd

from bert_attention.corpora.task_names import main_metric
from bert_attention.corpora.types import metrics_of
from bert_attention.heads import head_name, head_table
from bert_attention.papers.kovaleva.columns import DISABLED
from bert_attention.statistics.held_out import best, chance_of_best
from bert_attention.statistics.metrics import METRICS
from bert_attention.statistics.sums import Sums

_RANDOM_SETS = 10


def ablations(layers: int, heads: int, seed: int) -> np.ndarray:
    """Return the heads that each ablation disables, a mask ``[ablation, layer, head]``.

    The first ablation disables no head. Then come each head, each layer, and random sets of as many heads as a layer
    has.
    """
    each_head = np.eye(layers * heads, dtype=bool).reshape(-1, layers, heads)
    each_layer = np.broadcast_to(np.eye(layers, dtype=bool)[:, :, None], (layers, layers, heads))
    random = np.random.default_rng(seed)
    sets = [random.permutation(layers * heads) < heads for _ in range(_RANDOM_SETS)]
    random_sets = np.reshape(sets, (-1, layers, heads))
    return np.concatenate([np.zeros((1, layers, heads), dtype=bool), each_head, each_layer, random_sets])


def tables(sums: Sums, disabled: np.ndarray, task: str) -> dict[str, pd.DataFrame]:
    """Return the four tables of one task, ``kovaleva_disabled_heads``, ``_layers``, ``_random`` and ``_gains``.

    ``disabled`` has the ablations, a mask ``[ablation, layer, head]`` (:func:`ablations`), and each of them is a system
    of ``sums`` (:func:`bert_attention.statistics.metrics.sums_of`). ``value`` is the metric without a head, a layer, or
    a random set of as many heads as a layer has. ``baseline`` is the metric of the whole model. The table of heads also
    has the metric on the odd and on the even blocks of examples.

    The gains over the whole model are the mean over heads or layers, the gain without the best of them, and the
    held-out gain, whose best head or layer is chosen on the other half of the examples. ``p`` is the probability that
    the best gain is as large by chance if no removal helps. ``main_metric`` is True for the task's metric in figures.
    """
    by_metric = [_tables(sums, disabled, task, metric) for metric in metrics_of(task)]
    return {name: pd.concat([each[name] for each in by_metric], ignore_index=True) for name in by_metric[0]}


def _tables(sums: Sums, disabled: np.ndarray, task: str, metric: str) -> dict[str, pd.DataFrame]:
    """Return the tables of one metric."""
    odd = np.arange(sums.blocks) % 2 == 0  # blocks are numbered from 1
    parts = sums.weighted(np.stack([np.ones_like(odd), odd, ~odd]))
    value, odd_blocks, even_blocks = METRICS[metric].score(parts[metric])
    rows = pd.DataFrame({"difference": value - value[0], "value": value, "baseline": value[0]})
    kinds, (_, *shape) = _kinds(disabled), disabled.shape
    heads, layers, sets = (rows[systems].reset_index(drop=True) for systems in kinds.values())
    halves = {"odd_blocks": odd_blocks[kinds["head"]], "even_blocks": even_blocks[kinds["head"]]}
    head_halves = head_table(**{name: half.reshape(shape) for name, half in halves.items()})
    names = [" ".join(starmap(head_name, np.argwhere(mask) + 1)) for mask in disabled[kinds["random"]]]
    tables = {
        "kovaleva_disabled_heads": heads.join(head_halves),
        "kovaleva_disabled_layers": layers.assign(layer=layers.index + 1),
        "kovaleva_disabled_random": sets.assign(draw=sets.index + 1, heads=shape[1], disabled=names),
        "kovaleva_disabled_gains": _gains(sums, kinds, metric, shape[1]).assign(
            main_metric=metric == main_metric(task)
        ),
    }
    return {name: table.assign(task=task, metric=metric, n=sums["examples"]) for name, table in tables.items()}


def _kinds(disabled: np.ndarray) -> dict[str, slice]:
    """Return the slice of ablations of each kind. The whole model comes before them all."""
    _, layers, heads = disabled.shape
    ends = [1, 1 + layers * heads, 1 + layers * heads + layers, len(disabled)]
    return {kind: slice(*bounds) for kind, bounds in zip(DISABLED, pairwise(ends), strict=True)}


def _gains(sums: Sums, kinds: Mapping[str, slice], metric: str, heads: int) -> pd.DataFrame:
    """Return the mean gain of each kind of ablation, and the gains of the best head and layer by each selection."""
    rows = []
    for kind, systems in kinds.items():
        gain = partial(_gain, metric=metric, systems=systems)
        rows.append({"disabled": kind, "selection": "mean", "gain": gain(sums).mean()})
        for selection, choice in best(sums, gain).items() if kind != "random" else ():
            layer, head = divmod(choice.system, heads) if kind == "head" else (choice.system, np.nan)
            chosen = {"selection": selection, "layer": layer + 1, "head": head + 1, "chosen": choice.share}
            p = chance_of_best(sums, gain) if selection == "same_data" else np.nan
            rows.append({"disabled": kind, **chosen, "p": p, "gain": choice.score})
    return pd.DataFrame(rows).astype({"layer": "Int64", "head": "Int64"})


def _gain(sums: Mapping[str, np.ndarray], metric: str, systems: slice) -> np.ndarray:
    """Return the gain of some ablations over the whole model, ``[..., ablation]``."""
    scores = METRICS[metric].score(sums[metric])
    return scores[..., systems] - scores[..., :1]
