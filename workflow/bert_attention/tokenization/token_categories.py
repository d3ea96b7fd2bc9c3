"""The token categories that the papers single out: [CLS], [SEP], periods and commas, and all others."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class TokenCategories:
    """Vocabulary ids of the categories; ``other`` is every remaining token.

    The papers' names also serve for encoders that write their special tokens differently: ``cls`` is the token that
    opens a sequence (RoBERTa: ``<s>``), ``sep`` the one that closes a span (RoBERTa: ``</s>``). Punctuation is only the
    wordpieces "." and "," (Clark et al. 2019, section 3.2; Kobayashi et al. 2020, section 4.2).
    """

    cls: int
    sep: int
    punctuation: tuple[int, ...]

    def masks(self, token_ids: np.ndarray) -> dict[str, np.ndarray]:
        """For token ids ``[n]``, a boolean mask ``[n]`` per category; the masks are disjoint and cover all tokens."""
        cls = token_ids == self.cls
        sep = token_ids == self.sep
        punctuation = np.isin(token_ids, self.punctuation)
        return {"cls": cls, "sep": sep, "punctuation": punctuation, "other": ~(cls | sep | punctuation)}
