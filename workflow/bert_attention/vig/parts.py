"""The two parts ("sentences") of a model input."""

from __future__ import annotations

import numpy as np

NO_PART = -1


def parts(is_text: np.ndarray) -> np.ndarray:
    """Part of each token, ``[n]``: 0 and 1 for text before and after the special tokens in the middle.

    ``NO_PART`` for special tokens. ``is_text`` is a mask ``[n]``.
    """
    begins = np.diff(is_text.astype(int), prepend=0) == 1
    return np.where(is_text, np.cumsum(begins) - 1, NO_PART)
