"""The best of many heads, chosen on one half of the data and scored on the other.

The papers choose the best of 144 heads and score it on the same data (``same_data``). Such a score is partly luck.
The tables add ``held_out``: the blocks of units are split into two halves, and the best head on each half is scored on
the other half. A single split would depend on luck as well, so the score is the mean over many random splits. The head
reported with the score is the head that is chosen most often.

The jackknife repeats the choice without each block. In simulations of 144 heads with binomial hits, its 95% interval
of the held-out score covers:

- the expected score of the head that half the units choose, in 94 to 97% of corpora if one to three heads are best
  by far. If many heads are nearly as good, the interval is too wide and covers the score in 99% of corpora.
- the true score of the head that is best on all units, in 93 to 99% of corpora.
- the true score of the best of all heads, in as few as 89% of corpora, because half the units find this head less
  often.

If many heads are nearly as good, the interval of ``same_data`` covers the true score of its own choice in 0 to 75% of
corpora.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

import numpy as np

from bert_attention.statistics.sums import Sums, ratio

SELECTIONS = ("same_data", "held_out")
_SPLITS = 50
_SIGNS = 5_000


@dataclass(frozen=True)
class Choice:
    """The best of many systems, selected on ``same_data`` or by ``held_out``.

    On ``same_data``, ``system`` is the best on all units, with its score there and the share 1. By ``held_out``,
    ``system`` is the system that is chosen most often, and ``share`` is its share of the choices. Its score is then the
    mean over halves of the score that the best system on one half has on the other half.
    """

    system: int  # index of the system
    score: float | np.ndarray  # an array if a system has several scores
    share: float


def best(sums: Sums, score: Callable[[Sums], np.ndarray], preference: np.ndarray | None = None) -> dict[str, Choice]:
    """Return the best system by each selection: ``same_data`` and ``held_out``.

    ``score`` is a function from sums ``[split, ...]`` to the score of each system, ``[split, system]``. Higher is
    better, and NaN means that there is nothing to score. Of several scores per system, ``[split, system, ...]``, the
    first decides. Ties go to the system that comes first in ``preference``, ``[system]``, or has the lowest index.
    """
    everything, splits = np.ones((1, sums.blocks)), halves(sums.blocks)
    on_all, on_one, on_other = (score(sums.weighted(blocks)) for blocks in (everything, splits, ~splits))
    order = np.arange(on_all.shape[1]) if preference is None else preference
    (system,) = _best_of(on_all, order)
    choosing, testing = np.concatenate([on_one, on_other]), np.concatenate([on_other, on_one])
    systems = _best_of(choosing, order)
    chosen = np.arange(len(systems)), systems
    scored = ~np.isnan(_deciding(choosing)[chosen] + _deciding(testing)[chosen])  # both halves have scored items
    held_out = Choice(int(system), on_all[0, system] * np.nan, np.nan)
    if scored.any():
        scores = testing[chosen][scored]
        mean = ratio(np.nansum(scores, axis=0), (~np.isnan(scores)).sum(0))[()]
        counts = np.bincount(systems[scored], minlength=len(order))
        often = int(order[counts[order].argmax()])
        held_out = Choice(often, mean, float(counts[often] / counts.sum()))
    return {"same_data": Choice(int(system), on_all[0, system], 1.0), "held_out": held_out}


def chance_of_best(sums: Sums, score: Callable[[Sums], np.ndarray]) -> float:
    """Return the probability that the best of many systems scores as high by chance, if all true scores were 0.

    Each block's contribution to the scores of all systems, minus the mean contribution, gets a random sign. This is the
    wild bootstrap of a maximum (Chernozhukov, Chetverikov and Kato 2013, Annals of Statistics 41). Systems with a true
    score below 0 make the probability no smaller. With fewer than two blocks, the probability is NaN. ``score`` is as
    in :func:`best`.
    """
    kept = np.flatnonzero(sums.kept)
    if len(kept) < 2:
        return np.nan
    without = score(sums.weighted(~np.eye(sums.blocks, dtype=bool)[kept]))
    contributed = (len(kept) - 1) * (without.mean(0) - without)  # [block, system]
    signs = np.random.default_rng(0).choice([-1.0, 1.0], (_SIGNS, len(kept)))
    by_chance = (signs @ contributed).max(-1) / np.sqrt(len(kept) * (len(kept) - 1))  # scaled to the jackknife's error
    found = score(sums.weighted(np.ones((1, sums.blocks)))).max()
    return float((1 + (by_chance >= found - 1e-12).sum()) / (1 + _SIGNS))


@cache
def halves(blocks: int) -> np.ndarray:
    """Return random splits of blocks into two halves, ``[split, block]``: True in the first half. The seed is fixed."""
    random = np.random.default_rng(0)
    return np.stack([random.permutation(blocks) < blocks // 2 for _ in range(_SPLITS)])


def _best_of(scores: np.ndarray, order: np.ndarray) -> np.ndarray:
    """Return the best system of each split, ``[split]``, or the preferred system if nothing is scored."""
    return order[np.nan_to_num(_deciding(scores)[:, order], nan=-np.inf).argmax(-1)]


def _deciding(scores: np.ndarray) -> np.ndarray:
    """Return the number by which systems are chosen, ``[split, system]``."""
    return scores.reshape(*scores.shape[:2], -1)[..., 0]
