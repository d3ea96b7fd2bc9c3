"""Overlap of the heads that tasks depend on (Kovaleva et al. 2019, section 5, for STS-B and RTE).

The paper names the two heads whose removal hurts both tasks most. Here the agreement of every two tasks is compared
with chance. Each task is also compared with itself, on two halves of its examples. There, only sampling noise lowers
the agreement.
"""

from __future__ import annotations

from functools import cache
from itertools import combinations_with_replacement

import numpy as np
import pandas as pd
from scipy import stats

from bert_attention.corpora.task_names import main_metric

_WORST = (2, 10)  # the paper's number, and a larger number
_PERMUTATIONS = 2_000


def shared_heads(kovaleva_disabled_heads: pd.DataFrame, seed: int) -> pd.DataFrame:
    """Return the agreement of each pair of tasks on the heads without which the model's main metric is lowest.

    If both tasks are the same, the odd blocks of its examples are compared with the even blocks. ``overlap`` is the
    number of heads among the ``worst`` heads of both tasks; heads that tie for the last rank count in part. ``chance``
    is the expected overlap if the heads of one task are permuted, and ``p`` the share of permutations with at least the
    overlap. ``chance_in_layer`` and ``p_in_layer`` permute heads only within their layers. A larger overlap is
    agreement on heads, not only on layers. ``spearman`` is the rank correlation of the values of all ``n`` heads.
    """
    table = kovaleva_disabled_heads
    main = table[table["metric"] == table["task"].map(main_metric)]
    by_task = {task: rows.set_index(["layer", "head"]) for task, rows in main.groupby("task", sort=False)}
    rows = []
    for task_a, task_b in combinations_with_replacement(by_task, 2):
        parts = ("value", "value") if task_a != task_b else ("odd_blocks", "even_blocks")
        a, b = (by_task[task][part].unstack().to_numpy() for task, part in zip((task_a, task_b), parts, strict=True))
        for worst in _WORST:
            agreement = _agreement(a, b, worst, seed)
            rows.append({"task_a": task_a, "task_b": task_b, "worst": worst, **agreement})
    return pd.DataFrame(rows)


def _agreement(a: np.ndarray, b: np.ndarray, worst: int, seed: int) -> dict[str, float]:
    """Return the columns from ``overlap`` on, for values ``[layer, head]`` of two tasks."""
    worst_a, worst_b = _membership(a, worst), _membership(b, worst)
    overlap = (worst_a * worst_b).sum()
    permuted, in_layer = (worst_b.ravel()[heads] @ worst_a.ravel() for heads in _permutations(*a.shape, seed))
    varies = np.ptp(a) > 0 and np.ptp(b) > 0
    return {
        "overlap": overlap,
        "chance": worst_a.sum() * worst_b.sum() / a.size,
        "p": _p_value(overlap, permuted),
        "chance_in_layer": (worst_a.sum(1) * worst_b.sum(1)).sum() / a.shape[1],
        "p_in_layer": _p_value(overlap, in_layer),
        "spearman": stats.spearmanr(a.ravel(), b.ravel()).statistic if varies else np.nan,
        "n": a.size,
    }


@cache
def _permutations(layers: int, heads: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Return permutations of head indices, of all heads and within layers: ``[permutation, head]`` each."""
    random = np.random.default_rng(seed)
    indices = np.tile(np.arange(layers * heads), (_PERMUTATIONS, 1))
    in_layer = random.permuted(indices.reshape(_PERMUTATIONS, layers, heads), axis=2)
    return random.permuted(indices, axis=1), in_layer.reshape(indices.shape)


def _membership(values: np.ndarray, worst: int) -> np.ndarray:
    """Return each head's membership in the ``worst`` heads, 0 to 1: heads that tie for the last ranks share them."""
    bound = np.sort(values, axis=None)[min(worst, values.size) - 1]
    below, tied = values < bound, values == bound
    return below + tied * (min(worst, values.size) - below.sum()) / tied.sum()


def _p_value(observed: float, permuted: np.ndarray) -> float:
    """Return the share of permutations with at least the observed value, counting the observation as one of them."""
    return (1 + (permuted >= observed - 1e-9).sum()) / (1 + len(permuted))
