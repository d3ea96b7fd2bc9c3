"""Means over the examples that count, before and after fine-tuning, for several analyses."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from bert_attention.statistics.sums import Sums, ratio


def mean_terms(scores: Sequence[np.ndarray], counts: np.ndarray | bool) -> dict[str, np.ndarray]:
    """Return an example's terms of the sums that :func:`means` divides: its scores, and 1 or 0 if it counts or not.

    The scores are ``[..., layer, head]``, of the pretrained and of the fine-tuned encoder. ``counts`` is ``[...]``.
    Scores that do not count are ignored, so they can be NaN.
    """
    counts = np.asarray(counts)[..., None, None]
    return {"scores": np.where(counts, scores, 0), "n": counts}


def means(sums: Sums) -> Mapping[str, np.ndarray]:
    """Return the means ``[model, ..., layer, head]``, NaN if no example counts, and the number of examples ``n``."""
    return {"attention": ratio(sums["scores"], sums["n"]), "n": sums["n"]}
