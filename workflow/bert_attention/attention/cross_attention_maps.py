"""Cross-attention maps of one sentence pair, from the target in a translation model's decoder to the source."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class CrossAttentionMaps:
    """Cross-attention between the subwords of a sentence and of its translation, by weights and by norms.

    In row t, the decoder reads the target's subword t - 1 (in row 0 the start symbol) and predicts subword t. Word
    indices count from 0 and are negative for special tokens. Row t predicts word ``target_words[t]``.
    """

    attention: np.ndarray  # ``alpha``, ``[layer, head, target, source]`` float32
    value_norms: np.ndarray  # ``||f_h(x_j)||``, ``[layer, head, source]`` float32, of the encoder's outputs x
    summed_norms: np.ndarray  # ``||sum_h alpha f_h(x_j)||``, ``[layer, target, source]`` float32
    source_words: np.ndarray  # the word index of each subword
    target_words: np.ndarray
    source_tokens: tuple[str, ...]  # the source's subwords, special tokens included
