"""The five patterns of self-attention of Kovaleva et al. 2019, section 4.1, by their names in files and tables."""

from __future__ import annotations

# How each is written for readers, in the order of the paper's figure 1.
PATTERN_LABELS = {
    "vertical": "vertical",
    "diagonal": "diagonal",
    "vertical_diagonal": "vertical + diagonal",
    "block": "block",
    "heterogeneous": "heterogeneous",
}
PATTERNS = tuple(PATTERN_LABELS)
