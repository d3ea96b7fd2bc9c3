"""Means over the examples that count, before and after fine-tuning, for several analyses."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from bert_attention.statistics.sums import Sums, ratio


def counted(scores: Sequence[np.ndarray], counts: np.ndarray | bool) -> dict[str, np.ndarray]:
    """Return an example's contribution to means of scores.

    Parameters
    ----------
    scores
        Scores by the pretrained and by the fine-tuned encoder, ``[..., layer, head]`` each.
    counts
        ``[...]``: True if the example counts in each mean. A score that does not count can be anything.
    """
    counts = np.asarray(counts)[..., None, None]
    return {"scores": np.where(counts, scores, 0), "n": counts}


def means(sums: Sums) -> Mapping[str, np.ndarray]:
    """Return the means ``[model, ..., layer, head]``, NaN if no example counts; ``n`` is the number that count."""
    return {"attention": ratio(sums["scores"], sums["n"]), "n": sums["n"]}
