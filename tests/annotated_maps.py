"""A few small attention maps to be labelled."""

from __future__ import annotations

import numpy as np

from bert_attention.corpora.types import PatternMap


def small_maps(count: int, tokens: int = 6) -> list[PatternMap]:
    """Maps of two sentences with random attention, numbered from 1."""
    random = np.random.default_rng(count)
    return [
        PatternMap(
            number, "m", "pretrained", "rte", number, 1, number, tokens // 2, random.dirichlet(np.ones(tokens), tokens)
        )
        for number in range(1, count + 1)
    ]
