"""Pictures of single heads' attention, of Clark et al. 2019: figures 1 and 5."""

from __future__ import annotations

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.colors import to_rgba
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from bert_attention.clark.dependency_heads import DIRECTIONS
from bert_attention.figures import style

_WIDEST_LINE = 2.2  # points, for all of a word's attention
_FAINTEST = 0.02  # a line of less attention would not be seen
_WORD_SIZE = 5.8  # points

_BEHAVIOURS = {
    "broad": "attends broadly",
    "next": "next token",
    "sep": "[SEP]",
    "punctuation": "periods and commas",
}
_RELATIONS = {
    "all": "all relations",
    "dobj": "direct objects (dobj)",
    "obj": "objects (obj)",
    "det": "determiners (det)",
    "poss": "possessives (poss)",
    "nmod:poss": "possessives (nmod:poss)",
    "auxpass": "passive auxiliaries (auxpass)",
    "aux:pass": "passive auxiliaries (aux:pass)",
    "pobj": "objects of prepositions (pobj)",
    "case": "prepositions (case)",
}
_TO_GOLD, _ELSEWHERE, _OTHERS = style.BLUE, style.VERMILION, "#9A9A9A"
_DRAWN_IN_ORDER = (_OTHERS, _ELSEWHERE, _TO_GOLD)


def figure_1(clark_pattern_examples: pd.DataFrame, published: pd.DataFrame) -> Figure:
    """Figure 1: the attention of four heads between the last tokens of a segment, as lines.

    ``published`` is not used: the paper's heads are another model's, and its segment is not known.
    """
    with style.house_style():
        figure = Figure(figsize=(style.TEXT_WIDTH, 2.4), layout="constrained")
        panels = figure.subplots(1, clark_pattern_examples["behaviour"].nunique(), squeeze=False)[0]
        for panel, (behaviour, rows) in zip(
            panels, clark_pattern_examples.groupby("behaviour", sort=False), strict=True
        ):
            _draw_attention(panel, rows, pd.Series(_TO_GOLD, index=rows.index), set(), rows["key"].max())
            panel.set_title(f"{_name(rows)}\n{_BEHAVIOURS[behaviour]}", loc="center")
        return figure


def figure_5(clark_examples: pd.DataFrame, clark_dependency_heads: pd.DataFrame, published: pd.DataFrame) -> Figure:
    """Figure 5: the attention of the best head of some relations in two sentences each, as lines.

    ``published`` is not used: the paper's sentences may not be passed on.
    """
    scores = clark_dependency_heads.query("selection == 'same_data' and variant == 'described'").set_index("relation")
    longest = clark_examples["key"].max()
    by_relation = list(clark_examples.groupby("relation", sort=False))
    with style.house_style():
        grid_rows = len(by_relation) // 2 + 1  # a cell is left for the legend
        figure = Figure(figsize=(style.TEXT_WIDTH, 1.85 * grid_rows), layout="constrained")
        cells = figure.subfigures(grid_rows, 2, squeeze=False).ravel()
        for cell, (relation, rows) in zip(cells, by_relation, strict=False):
            _draw_relation(cell, rows, scores.loc[relation], longest)
        _draw_legend(cells[-1])
        return figure


def _draw_relation(cell: Figure, rows: pd.DataFrame, score: pd.Series, longest: int) -> None:
    """The sentences of one relation side by side, under the head's name and accuracy."""
    sentences = list(rows.groupby("sentence", sort=False))
    panels = cell.subplots(1, max(2, len(sentences)))
    for panel in panels[len(sentences) :]:
        panel.set_axis_off()
    for panel, (_, pairs) in zip(panels, sentences, strict=False):
        dependents_attend = pairs["direction"].iloc[0] == DIRECTIONS[0]
        dependent = pairs["query" if dependents_attend else "key"]
        highlighted = set(dependent[pairs["gold"]])
        colours = pd.Series(_OTHERS, index=pairs.index)
        colours[dependent.isin(highlighted)] = _ELSEWHERE
        colours[pairs["gold"]] = _TO_GOLD
        _draw_attention(panel, pairs, colours, highlighted, longest)
    relation = rows["relation"].iloc[0]
    offset = f"{score['baseline_offset']:+d}".replace("-", "\N{MINUS SIGN}")
    accuracies = f"{100 * score['accuracy']:.1f} % (offset {offset}: {100 * score['baseline_accuracy']:.1f} %)"
    cell.suptitle(f"{_name(rows)}: {_RELATIONS[relation]}\n{accuracies}", fontsize=7)


def _draw_attention(axes: Axes, pairs: pd.DataFrame, colours: pd.Series, highlighted: set[int], last: int) -> None:
    """The words twice, attending on the left and attended to on the right, and a line for each pair's weight.

    ``last``: the place to which the panel reaches down, so that words stand equally close in panels side by side.
    """
    visible = pairs[pairs["weight"] >= _FAINTEST]
    above = colours[visible.index].map(_DRAWN_IN_ORDER.index)
    visible = visible.assign(above=above).sort_values(["above", "weight"])
    ends = zip(visible["query"], visible["key"], strict=True)
    axes.add_collection(
        LineCollection(
            [((0, query), (1, key)) for query, key in ends],
            linewidths=visible["weight"] * _WIDEST_LINE,
            colors=[_shade(colours[row], weight) for row, weight in visible["weight"].items()],
            capstyle="round",
        )
    )
    words = pairs.drop_duplicates("key").set_index("key")["key_word"]
    for place, word in words.items():
        marked = place in highlighted
        look = {"fontsize": _WORD_SIZE, "va": "center", "color": _TO_GOLD if marked else "black"}
        look |= {"fontweight": "bold"} if marked else {}
        axes.text(-0.06, place, word, ha="right", parse_math=False, **look)
        axes.text(1.06, place, word, ha="left", parse_math=False, **look)
    axes.set_xlim(-1.35, 2.35)  # leaves room for the words on either side
    axes.set_ylim(last + 0.6, pairs["key"].min() - 0.6)
    axes.set_axis_off()


def _draw_legend(cell: Figure) -> None:
    lines = (
        ("a dependent and its head", _TO_GOLD, 0.8),
        ("a dependent and another word", _ELSEWHERE, 0.8),
        ("other words", _OTHERS, 0.8),
        ("all of a word's attention", "black", 1.0),
        ("a fifth of it", "black", 0.2),
    )
    handles = [
        Line2D([], [], color=_shade(colour, weight), linewidth=_WIDEST_LINE * weight, label=label)
        for label, colour, weight in lines
    ]
    cell.legend(handles=handles, loc="center", title="left attends to right", title_fontsize=6.5)


def _shade(colour: str, weight: float) -> tuple[float, ...]:
    """A colour, the stronger the higher the weight."""
    return to_rgba(colour, 0.2 + 0.7 * min(weight, 1))


def _name(rows: pd.DataFrame) -> str:
    first = rows.iloc[0]
    return f"head {first['layer']}-{first['head']}"
