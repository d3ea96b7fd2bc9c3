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
from typing import NamedTuple

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


class Scores(NamedTuple):
    """The scores of systems for each question on all blocks, and on both halves of each split of the blocks."""

    on_all: np.ndarray  # [1, question, system, ...]
    on_one: np.ndarray  # [split, question, system, ...]
    on_other: np.ndarray  # [split, question, system, ...]


def best(sums: Sums, score: Callable[[Sums], np.ndarray]) -> dict[str, Choice]:
    """Return the best system by each selection: ``same_data`` and ``held_out``.

    ``score`` is a function from sums ``[split, ...]`` to the score of each system, ``[split, system]``. Higher is
    better, and NaN means that there is nothing to score. Of several scores per system, ``[split, system, ...]``, the
    first decides. Ties go to the system with the lowest index.
    """
    scores = on_halves(sums, lambda part: score(part)[:, None])
    deciding = Scores(*(part.reshape(*part.shape[:3], -1)[..., 0] for part in scores))
    return {selection: choices[0] for selection, choices in best_of_each(deciding, reported=scores).items()}


def on_halves(sums: Sums, score: Callable[[Sums], np.ndarray]) -> Scores:
    """Return the scores that a function gives systems on all blocks and on halves of them.

    ``score`` is called once, with the sums ``[part, ...]`` of all these parts, and returns scores ``[part, ...]``.
    """
    everything, splits = np.ones((1, sums.blocks), dtype=bool), halves(sums.blocks)
    scores = score(sums.weighted(np.concatenate([everything, splits, ~splits])))
    return Scores(*np.split(scores, [1, 1 + len(splits)]))


def best_of_each(
    scores: Scores, preference: np.ndarray | None = None, reported: Scores | None = None
) -> dict[str, list[Choice]]:
    """Return the best system for each question, such as a relation, by each selection, as :func:`best` does for one.

    ``scores``, with one number per system, decide. A choice has its score there, or, if other scores are ``reported``,
    what these have for its system. Ties go to the system that comes first in ``preference``,
    ``[system]``, or has the lowest index.
    """
    reported = reported or scores
    on_all, on_one, on_other = (_best_of(part, preference) for part in scores)
    chosen = np.concatenate([on_one, on_other])  # [choice, question]
    on_both = [_at(scores.on_one, each) + _at(scores.on_other, each) for each in (on_one, on_other)]
    is_scored = ~np.isnan(np.concatenate(on_both))  # both halves have scored items
    tested = np.concatenate([_at(reported.on_other, on_one), _at(reported.on_one, on_other)])
    tested[~is_scored] = np.nan
    means = ratio(np.nansum(tested, axis=0), (~np.isnan(tested)).sum(0))
    counts = np.zeros(scores.on_all.shape[1:], dtype=int)  # [question, system]
    np.add.at(counts, (np.nonzero(is_scored)[1], chosen[is_scored]), 1)
    often = np.where(counts.any(-1), _best_of(counts, preference), on_all[0])
    shares = ratio(counts.max(-1), counts.sum(-1))
    on_same = zip(on_all[0].tolist(), _at(reported.on_all, on_all)[0], strict=True)
    return {
        "same_data": [Choice(system, score, 1.0) for system, score in on_same],
        "held_out": list(map(Choice, often.tolist(), means, shares.tolist())),
    }


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


def _best_of(scores: np.ndarray, order: np.ndarray | None) -> np.ndarray:
    """Return the best of ``[..., system]``, or the preferred system if nothing is scored."""
    ordered = scores if order is None else scores[..., order]
    if np.isnan(ordered.min()):
        ordered = np.where(np.isnan(ordered), -np.inf, ordered)
    first = ordered.argmax(-1)
    return first if order is None else order[first]


def _at(scores: np.ndarray, systems: np.ndarray) -> np.ndarray:
    """Return the scores ``[split, question, ...]`` of one system for each split and question."""
    splits, questions = systems.shape
    return scores[(*np.ogrid[:splits, :questions], systems)]
