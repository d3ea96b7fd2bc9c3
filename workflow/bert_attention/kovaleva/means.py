"""Means over the examples that count, before and after fine-tuning: what several analyses have in common."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from bert_attention.statistics.sums import Sums, ratio


def counted(scores: Sequence[np.ndarray], counts: np.ndarray | bool) -> dict[str, np.ndarray]:
    """What an example adds to means of scores.

    Parameters
    ----------
    scores
        By the pretrained and by the fine-tuned encoder, ``[..., layer, head]`` each.
    counts
        ``[...]``: whether the example counts in each mean. A score that does not count may be anything.
    """
    counts = np.asarray(counts)[..., None, None]
    return {"scores": np.where(counts, scores, 0), "n": counts}


def means(sums: Sums) -> Mapping[str, np.ndarray]:
    """The means ``[model, ..., layer, head]``, NaN where no example counts; ``n`` is how many count."""
    return {"attention": ratio(sums["scores"], sums["n"]), "n": sums["n"]}
