"""Attention of one head between a few words, and what the picture of it shows."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.colors import to_hex

WORDS = ("[CLS]", "a", "$b$", "c")
TO_NEXT = [[0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0.25, 0.75], [0, 0.01, 0, 0.99]]  # [query, key]


def pairs(
    weights: Sequence[Sequence[float]], gold: Collection[tuple[int, int]] = (), **columns: object
) -> pd.DataFrame:
    """The rows of one text; the first word has number 0."""
    rows = [
        {"query": query, "key": key, "query_word": WORDS[query], "key_word": WORDS[key], "weight": weight}
        | {"gold": (query, key) in gold}
        for query, row in enumerate(weights)
        for key, weight in enumerate(row)
    ]
    return pd.DataFrame(rows).assign(**columns)


def drawn_lines(axes: Axes) -> dict[tuple[int, int], tuple[float, str]]:
    """Width and color of each line, by its query and key."""
    (collection,) = axes.collections
    return {
        (start[1], end[1]): (width, to_hex(color))
        for (start, end), width, color in zip(
            collection.get_segments(), collection.get_linewidths(), collection.get_colors(), strict=True
        )
    }
