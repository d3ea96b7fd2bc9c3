"""An encoder's input sequence: token, segment and word ids.

This module does not import PyTorch or transformers, so that jobs that only tokenize start quickly.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

NO_WORD = -1  # word index of special tokens
NO_LABEL = -100  # PyTorch's cross-entropy ignores this label


@dataclass(frozen=True)
class EncodedSequence:
    """Model input of one sequence: token, segment and word ids, ``[n]`` int32 each; special tokens have ``NO_WORD``."""

    token_ids: np.ndarray
    segment_ids: np.ndarray
    word_ids: np.ndarray

    def __len__(self) -> int:
        return len(self.token_ids)
