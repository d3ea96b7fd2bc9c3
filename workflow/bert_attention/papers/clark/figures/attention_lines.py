"""The attention of one head in a text, drawn as lines from attending words to attended words."""

from __future__ import annotations

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.colors import to_rgba

from bert_attention.figures import style

WIDEST_LINE = 2.2  # points, for all of a word's attention
TO_GOLD, ELSEWHERE, OTHERS = style.BLUE, style.VERMILION, "#9A9A9A"

_DRAWN_IN_ORDER = (OTHERS, ELSEWHERE, TO_GOLD)
_FAINTEST = 0.02  # a line of less attention would be invisible
_WORD_SIZE = 5.8  # points


def draw_attention(axes: Axes, pairs: pd.DataFrame, colors: pd.Series, highlighted: set[int], last: int) -> None:
    """Draw the attending words on the left, the attended words on the right, and a line for each pair's weight.

    Each row of ``pairs`` has ``query``, ``key``, ``key_word`` and ``weight``. The color of its line is ``TO_GOLD``,
    ``ELSEWHERE`` or ``OTHERS``. The words of the keys ``highlighted`` are colored, too. The panel has space for
    ``last`` words, so that the words of panels side by side are equally close.
    """
    visible = pairs[pairs["weight"] >= _FAINTEST]
    above = colors[visible.index].map(_DRAWN_IN_ORDER.index)
    visible = visible.assign(above=above).sort_values(["above", "weight"])
    ends = zip(visible["query"], visible["key"], strict=True)
    axes.add_collection(
        LineCollection(
            [((0, query), (1, key)) for query, key in ends],
            linewidths=visible["weight"] * WIDEST_LINE,
            colors=[shade(colors[row], weight) for row, weight in visible["weight"].items()],
            capstyle="round",
        )
    )
    words = pairs.drop_duplicates("key").set_index("key")["key_word"]
    for key, word in words.items():
        marked = key in highlighted
        look = {"fontsize": _WORD_SIZE, "va": "center", "color": TO_GOLD if marked else "black"}
        look |= {"fontweight": "bold"} if marked else {}
        axes.text(-0.06, key, word, ha="right", parse_math=False, **look)
        axes.text(1.06, key, word, ha="left", parse_math=False, **look)
    axes.set_xlim(-1.35, 2.35)  # leaves space for the words on either side
    axes.set_ylim(last + 0.6, pairs["key"].min() - 0.6)
    axes.set_axis_off()


def shade(color: str, weight: float) -> tuple[float, ...]:
    """Return the color, more opaque for a higher weight."""
    return to_rgba(color, 0.2 + 0.7 * min(weight, 1))


def head_title(rows: pd.DataFrame) -> str:
    """Return the name of the head whose attention the rows hold, such as ``head 5-4``."""
    first = rows.iloc[0]
    return f"head {first['layer']}-{first['head']}"
