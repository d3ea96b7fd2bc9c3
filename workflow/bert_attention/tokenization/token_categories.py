"""Token categories of the papers: [CLS], [SEP], periods and commas, and all other tokens."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class TokenCategories:
    """Vocabulary ids of the categories; ``other`` is every remaining token.

    The papers' names also serve for encoders with other special tokens: ``cls`` is the token that opens a sequence
    (RoBERTa: ``<s>``), and ``sep`` the token that closes a span (RoBERTa: ``</s>``). Punctuation is only the wordpieces
    "." and "," (Clark et al. 2019, section 3.2; Kobayashi et al. 2020, section 4.2).
    """

    cls: int
    sep: int
    punctuation: tuple[int, ...]

    def masks(self, token_ids: np.ndarray) -> dict[str, np.ndarray]:
        """Return a boolean mask ``[n]`` per category for token ids ``[n]``. Each token is in exactly one mask."""
        cls = token_ids == self.cls
        sep = token_ids == self.sep
        punctuation = np.isin(token_ids, self.punctuation)
        return {"cls": cls, "sep": sep, "punctuation": punctuation, "other": ~(cls | sep | punctuation)}
