"""Cross-attention maps of one sentence pair, from the target in a translation model's decoder to the source."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class CrossAttentionMaps:
    """Cross-attention between the subwords of a sentence and of its translation, by weights and by norms.

    In row t, the decoder reads the target's subword t - 1 (in row 0 the start symbol) and predicts subword t.

    Attributes
    ----------
    attention
        ``alpha``, ``[layer, head, target, source]`` float32.
    value_norms
        ``||f_h(x_j)||``, ``[layer, head, source]`` float32, of the encoder's outputs x.
    summed_norms
        ``||sum_h alpha f_h(x_j)||``, ``[layer, target, source]`` float32.
    source_words, target_words
        The word index of each subword, from 0; negative for special tokens. Row t predicts word ``target_words[t]``.
    source_tokens
        The source's subwords, special tokens included.
    """

    attention: np.ndarray
    value_norms: np.ndarray
    summed_norms: np.ndarray
    source_words: np.ndarray
    target_words: np.ndarray
    source_tokens: tuple[str, ...]
