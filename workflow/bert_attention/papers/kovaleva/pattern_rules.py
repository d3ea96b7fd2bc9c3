"""Patterns of self-attention by rules from their definitions (Kovaleva et al. 2019, section 4.1), without training.

Measures of a map:

special     the share of attention that goes to [CLS] and the two [SEP], as the mean over queries (attending tokens)
mainly      the share of queries that give these tokens more than half of their attention
diagonal    the share of attention to the previous token, the token itself and the next token, from queries that are not
            special tokens (the paper names only neighbors; a line on the main diagonal looks the same in a map)
within      the share of attention between ordinary tokens that stays in the query's own sentence
flatness    the entropy of attention within the query's own sentence, as a fraction of its maximum

Small maps have high shares by chance: of 10 tokens, 3 are special, so uniform attention gives them 30%. Measures
special, diagonal and within are therefore rescaled: 0 is the share of uniform attention, and 1 is all attention.

The first rule that holds gives the pattern:

- *vertical + diagonal*, if special and diagonal are each at least 0.2;
- *vertical*, if mainly is more than 0.5;
- *diagonal*, if diagonal is at least 0.3;
- *block*, for two sentences, if within is at least 0.4 and flatness at least 0.8;
- *heterogeneous* otherwise.

A vertical line at an ordinary token is not *vertical*, because the paper's vertical pattern is attention to special
tokens. The thresholds follow from the definitions and were not fitted to labels.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from bert_attention.corpora.types import PATTERNS
from bert_attention.statistics.sums import ratio

_SPECIAL_AND_DIAGONAL = 0.2
_MAINLY = 0.5
_DIAGONAL = 0.3
_WITHIN = 0.4
_FLATNESS = 0.8


def patterns_by_rules(attention: np.ndarray, separator: int, separators: int = 1) -> np.ndarray:
    """Return the pattern of each map of one input, as its index in :data:`PATTERNS`: ``[...]`` int64.

    The attention is ``[..., query, key]``. ``separator`` is the index of the first [SEP], from 0, and the last token is
    also a [SEP]. ``separators`` is the number of [SEP] in a row from this index on: RoBERTa has two between sentences.
    """
    found = pattern_measures(attention, separator, separators)
    conditions = {
        "vertical_diagonal": np.minimum(found.special, found.diagonal) >= _SPECIAL_AND_DIAGONAL,
        "vertical": found.mainly > _MAINLY,
        "diagonal": found.diagonal >= _DIAGONAL,
        "block": (found.within >= _WITHIN) & (found.flatness >= _FLATNESS),
    }
    indices = [PATTERNS.index(name) for name in conditions]
    return np.select(list(conditions.values()), indices, PATTERNS.index("heterogeneous"))


class Measures(NamedTuple):
    """The measures of each map, ``[...]`` each; ``within`` and ``flatness`` are 0 for a single sentence."""

    special: np.ndarray
    mainly: np.ndarray
    diagonal: np.ndarray
    within: np.ndarray
    flatness: np.ndarray

    @property
    def block(self) -> np.ndarray:
        """The amount and evenness of attention within the query's sentence; 0 for uniform attention."""
        return (1 - self.special) * self.within * self.flatness


def pattern_measures(attention: np.ndarray, separator: int, separators: int = 1) -> Measures:
    """Return the measures of each map; arguments as for :func:`patterns_by_rules`."""
    attention = np.asarray(attention, dtype=np.float64)
    tokens = attention.shape[-1]
    is_special = np.zeros(tokens, dtype=bool)
    is_special[[0, tokens - 1]] = True
    is_special[separator : separator + separators] = True
    to_special = attention[..., is_special].sum(-1)  # [..., query]
    special, mainly = _rescale(to_special.mean(-1), is_special.sum() / tokens), (to_special > 0.5).mean(-1)
    positions = np.arange(tokens)
    is_neighbor = (np.abs(positions[:, None] - positions) <= 1)[~is_special]  # [ordinary query, key]
    to_neighbors = (attention[..., ~is_special, :] * is_neighbor).sum(-1).mean(-1)
    diagonal = _rescale(to_neighbors, is_neighbor.mean())
    if separator == tokens - 1:
        return Measures(special, mainly, diagonal, np.zeros_like(special), np.zeros_like(special))
    ordinary = attention[..., ~is_special, :][..., ~is_special]
    return Measures(special, mainly, diagonal, *_within_sentences(ordinary, separator - 1))


def _within_sentences(ordinary: np.ndarray, first: int) -> tuple[np.ndarray, np.ndarray]:
    """Return ``within`` and ``flatness`` of attention between ordinary tokens, ``first`` of them in sentence 1."""
    in_first = np.arange(ordinary.shape[-1]) < first
    same = in_first[:, None] == in_first  # [query, key]
    total = ordinary.sum(-1, keepdims=True)
    shares = np.nan_to_num(ratio(ordinary, total))
    shares_within = shares * same
    within = shares_within.sum(-1, keepdims=True)
    weights = np.nan_to_num(ratio(shares_within, within))
    entropy = -(weights * np.log(np.where(weights > 0, weights, 1))).sum(-1)
    maximum = np.log(same.sum(-1))
    several = maximum > 0
    flatness = (entropy[..., several] / maximum[several]).mean(-1) if several.any() else np.zeros(ordinary.shape[:-2])
    return _rescale(within[..., 0].mean(-1), same.mean()), flatness


def _rescale(share: np.ndarray, uniform: float) -> np.ndarray:
    """Rescale a share of attention to 0 for uniform attention and 1 for all attention. It can become negative."""
    return (share - uniform) / (1 - uniform) if uniform < 1 else np.zeros_like(share)
