"""The two parts ("sentences") of a model input."""

from __future__ import annotations

import numpy as np

NO_PART = -1


def parts(is_text: np.ndarray) -> np.ndarray:
    """Return the part of each token, ``[n]``: 0 before and 1 after the special tokens in the middle.

    Special tokens have ``NO_PART``. ``is_text`` is a mask ``[n]`` of the other tokens.
    """
    begins = np.diff(is_text.astype(int), prepend=0) == 1
    return np.where(is_text, np.cumsum(begins) - 1, NO_PART)
