"""Patterns of self-attention by rules from their definitions (Kovaleva et al. 2019, section 4.1), without training.

Measures of a map:

special     the share of attention that goes to [CLS] and the two [SEP], as the mean over tokens that attend (queries)
mainly      the share of queries that give these tokens more than half of their attention
diagonal    the share of attention to the previous token, the token itself and the next token, from queries that are no
            special tokens (the paper names only neighbors; a line on the main diagonal looks the same in a map)
within      the share of attention between ordinary tokens that stays in the query's own sentence
flatness    the evenness of attention within the own sentence: its entropy, as a fraction of the highest possible

Small maps have high shares by chance: of 10 tokens, 3 are special, so uniform attention gives these 30 %. Special,
diagonal and within are therefore rescaled: 0 is the share of uniform attention, 1 is all.

The rules, in this order:

- *vertical + diagonal*, if special and diagonal are each at least 0.2;
- *vertical*, if mainly is more than a half, so that most tokens attend mainly to special tokens;
- *diagonal*, if diagonal is at least 0.3;
- *block*, for two sentences, if within is at least 0.4 and flatness at least 0.8;
- *heterogeneous* otherwise.

A vertical line at an ordinary token does not count, because the paper's vertical pattern is attention to special
tokens. The thresholds were set from the definitions, and are not fitted to labels.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from bert_attention.corpora.types import PATTERNS
from bert_attention.statistics.sums import ratio

_EITHER_OF_BOTH = 0.2
_MOST = 0.5
_DIAGONAL = 0.3
_WITHIN = 0.4
_FLAT = 0.8


def patterns_by_rules(attention: np.ndarray, separator: int, separators: int = 1) -> np.ndarray:
    """Return the pattern of each map of one input, as its index in :data:`PATTERNS`.

    Parameters
    ----------
    attention
        ``[..., query, key]``.
    separator
        Index of the first [SEP], from 0; the last token is a [SEP], too.
    separators
        Number of [SEP] side by side at this index: RoBERTa and its kin have two between sentences.

    Returns
    -------
    ``[...]`` int64.
    """
    found = pattern_measures(attention, separator, separators)
    conditions = {
        "vertical_diagonal": np.minimum(found.special, found.diagonal) >= _EITHER_OF_BOTH,
        "vertical": found.mainly > _MOST,
        "diagonal": found.diagonal >= _DIAGONAL,
        "block": (found.within >= _WITHIN) & (found.flatness >= _FLAT),
    }
    places = [PATTERNS.index(name) for name in conditions]
    return np.select(list(conditions.values()), places, PATTERNS.index("heterogeneous"))


class Measures(NamedTuple):
    """The measures of each map, ``[...]`` each; ``within`` and ``flatness`` are 0 for a single sentence."""

    special: np.ndarray
    mainly: np.ndarray
    diagonal: np.ndarray
    within: np.ndarray
    flatness: np.ndarray

    @property
    def block(self) -> np.ndarray:
        """The share and evenness of all attention that stays in the own sentence; 0 for uniform attention."""
        return (1 - self.special) * self.within * self.flatness


def pattern_measures(attention: np.ndarray, separator: int, separators: int = 1) -> Measures:
    """Return the measures of each map; arguments as for :func:`patterns_by_rules`."""
    attention = np.asarray(attention, dtype=np.float64)
    tokens = attention.shape[-1]
    is_special = np.zeros(tokens, dtype=bool)
    is_special[[0, tokens - 1]] = True
    is_special[separator : separator + separators] = True
    to_special = attention[..., is_special].sum(-1)  # [..., query]
    special, mainly = _beyond(to_special.mean(-1), is_special.sum() / tokens), (to_special > 0.5).mean(-1)
    place = np.arange(tokens)
    is_neighbor = (np.abs(place[:, None] - place) <= 1)[~is_special]  # [ordinary query, key]
    to_neighbors = (attention[..., ~is_special, :] * is_neighbor).sum(-1).mean(-1)
    diagonal = _beyond(to_neighbors, is_neighbor.mean())
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
    kept = shares * same
    stay = kept.sum(-1, keepdims=True)
    own = np.nan_to_num(ratio(kept, stay))
    entropy = -(own * np.log(np.where(own > 0, own, 1))).sum(-1)
    highest = np.log(same.sum(-1))
    several = highest > 0
    flatness = (entropy[..., several] / highest[several]).mean(-1) if several.any() else np.zeros(ordinary.shape[:-2])
    return _beyond(stay[..., 0].mean(-1), same.mean()), flatness


def _beyond(share: np.ndarray, uniform: float) -> np.ndarray:
    """Rescale a share of attention to 0 for uniform attention and 1 for all; negative below uniform attention."""
    return (share - uniform) / (1 - uniform) if uniform < 1 else np.zeros_like(share)
