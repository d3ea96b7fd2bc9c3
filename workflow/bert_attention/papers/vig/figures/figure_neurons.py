"""Queries and keys of typical heads in one input, like BertViz's neuron view (Vig 2019, part 2)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.colors import LinearSegmentedColormap, Normalize
from matplotlib.figure import Figure

from bert_attention.figures import style
from bert_attention.heads import head_name
from bert_attention.papers.vig.columns import BEHAVIOUR_LABELS, LEAST_FALL

_COLORS = LinearSegmentedColormap.from_list("signed", [style.VERMILION, style.ORANGE, "white", style.SKY, style.BLUE])
_WIDTHS = (1, 1, 1)  # relative widths of the panels of query, keys and products
_BAR_WIDTH = 0.4
_BARS = {"bias": style.ORANGE, "score": style.GRAY, "attention": style.BLUE}
_ROW, _AROUND = 0.1, 0.45  # inches: a token, and the space above and below the tokens of a head
_LEGEND = 0.45  # inches, below all heads
_LINE = 0.15  # inches, above all heads, for _NO_SENTENCE
_NO_SENTENCE = (
    f"This encoder has no sentence head: without segment ids, no head's attention to its own sentence falls by "
    f"{LEAST_FALL:g} or more."
)
_STRONGEST = 99  # percentile of absolute values at which the color range ends


def draw(vig_neuron_examples: pd.DataFrame) -> Figure:
    """Draw, for each head, panels of its query, keys, products, scores and attention, with a row for each key token.

    If the encoder has a position bias, a panel shows the bias before the scores. If no head qualifies as a sentence
    head, the figure says so.
    """
    table = vig_neuron_examples
    shown = [behaviour for behaviour in BEHAVIOUR_LABELS if behaviour in set(table["behaviour"])]
    vectors = _shades(np.concatenate([table["query_value"], table["key_value"]]))
    products = _shades(table["product"])
    tokens = table["key"].nunique()
    bars = [column for column in _BARS if column != "bias" or table[column].any()]
    widths = (*_WIDTHS, *[_BAR_WIDTH] * len(bars))
    with style.house_style():
        has_sentence_head = "sentence" in shown
        height = len(shown) * (tokens * _ROW + _AROUND) + _LEGEND + (0 if has_sentence_head else _LINE)
        figure = Figure(figsize=(style.TEXT_WIDTH, height), layout="constrained")
        if not has_sentence_head:
            figure.suptitle(_NO_SENTENCE, fontsize=6.5)
        grid = figure.subplots(len(shown), len(widths), squeeze=False, width_ratios=widths)
        for panels, behaviour in zip(grid, shown, strict=True):
            _draw_head(panels, table[table["behaviour"] == behaviour], vectors, products, bars)
        below = {"location": "bottom", "aspect": 30, "extend": "both"}
        style.color_bar(figure, ScalarMappable(vectors, _COLORS), grid[-1, :2], "entry of query or key", **below)
        style.color_bar(figure, ScalarMappable(products, _COLORS), grid[-1, 2:3], "product", **below)
        return figure


def _shades(values: np.ndarray | pd.Series) -> Normalize:
    """Return the normalization of signed values for colors, with zero as white."""
    strongest = np.percentile(np.abs(values), _STRONGEST)
    return Normalize(-strongest, strongest)


def _draw_head(
    panels: Sequence[Axes], rows: pd.DataFrame, vectors: Normalize, products: Normalize, bars: Sequence[str]
) -> None:
    first = rows.iloc[0]
    keys, multiplied = (rows.pivot_table(index="key", columns="neuron", values=of) for of in ("key_value", "product"))
    query = np.full(keys.shape, np.nan)
    query[first["query"]] = rows.pivot_table(index="key", columns="neuron", values="query_value").iloc[0]
    key_rows = rows.drop_duplicates("key").sort_values("key")
    for panel, values, shades in zip(panels, (query, keys, multiplied), (vectors, vectors, products), strict=False):
        panel.imshow(values, cmap=_COLORS, norm=shades, interpolation="nearest", aspect="auto")
        panel.set_xticks([0, keys.shape[1] - 1], [1, keys.shape[1]])
        panel.set_xlabel("neuron", labelpad=-6)
        panel.spines[:].set_visible(True)
    for panel, column in zip(panels[3:], bars, strict=True):
        panel.barh(key_rows["key"], key_rows[column], color=_BARS[column], height=0.75)
        panel.axvline(0, color="#333333", linewidth=0.6)
        strongest = key_rows[column].iloc[key_rows[column].abs().argmax()]
        panel.set_xticks(sorted({0.0, float(f"{strongest:.0e}")}))  # more labels would collide
    panels[-1].set_xlim(0, 1)
    panels[-1].set_xticks([0, 1])
    titles = (f"query of “{first['query_token']}”", "keys", "query × key", *bars)
    for panel, title in zip(panels, titles, strict=True):
        panel.set_title(title, fontsize=6.5)
        panel.set_ylim(len(key_rows) - 0.5, -0.5)
        panel.set_yticks([])
        panel.tick_params(length=1.5, pad=1.5, labelsize=5.8)
        panel.grid(visible=False)
    name = head_name(first["layer"], first["head"])
    panels[0].set_title(f"head {name}: {BEHAVIOUR_LABELS[first['behaviour']]}\n{titles[0]}", fontsize=6.5)
    panels[0].set_yticks(key_rows["key"], key_rows["key_token"], fontsize=5.8, parse_math=False)
    panels[0].tick_params(axis="y", length=0)
    panels[0].get_yticklabels()[first["query"]].set_fontweight("bold")
