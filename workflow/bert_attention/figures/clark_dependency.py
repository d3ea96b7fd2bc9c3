"""Pictures of single heads' attention, of Clark et al. 2019: figures 1 and 5."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.colors import to_rgba
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from bert_attention.clark import coreference, dependency_heads
from bert_attention.figures import style

_WIDEST_LINE = 2.2  # points, for all of a word's attention
_FAINTEST = 0.02  # a line of less attention would not be seen
_WORD_SIZE = 5.8  # points
_CELLS = 2  # of figure 5, side by side
_HEADING, _LINE_HEIGHT, _LEGEND = 0.36, 0.112, 0.6  # inches

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
_FROM_DEPENDENTS = (dependency_heads.DIRECTIONS[0], coreference.DIRECTIONS[0])
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


def figure_5(
    clark_examples: pd.DataFrame,
    clark_dependency_heads: pd.DataFrame,
    clark_coreference_examples: pd.DataFrame,
    clark_coreference: pd.DataFrame,
    published: pd.DataFrame,
) -> Figure:
    """Figure 5: the attention of the best head of some relations, and of coreference, in two texts each, as lines.

    ``published`` is not used: the paper's sentences may not be passed on.
    """
    scores = clark_dependency_heads.query("selection == 'same_data' and variant == 'described'").set_index("relation")
    shown = [
        (_relation_title(rows, scores.loc[relation]), _texts(rows, "sentence"))
        for relation, rows in clark_examples.groupby("relation", sort=False)
    ]
    title = _coreference_title(clark_coreference_examples, clark_coreference)
    shown.append((title, _texts(clark_coreference_examples, "document")))
    grid = [shown[start : start + _CELLS] for start in range(0, len(shown), _CELLS)]
    lowest = [max(text["key"].max() for _, texts in row for text in texts) for row in grid]
    heights = [_HEADING + (last + 1) * _LINE_HEIGHT for last in lowest]
    with style.house_style():
        # Everything has its place: a layout that is solved for differs in the last digits, and so do the file's bytes.
        figure = Figure(figsize=(style.TEXT_WIDTH, sum(heights) + _LEGEND))
        body, foot = figure.subfigures(2, 1, height_ratios=[sum(heights), _LEGEND])
        cells = body.subfigures(len(grid), _CELLS, height_ratios=heights, squeeze=False)
        for cells_of_row, row, last, height in zip(cells, grid, lowest, heights, strict=True):
            for cell, (title, texts) in zip(cells_of_row, row, strict=False):
                cell.suptitle(title, fontsize=7)
                _draw_texts(cell, texts, last)
                cell.subplots_adjust(left=0.01, right=0.99, bottom=0.04, top=1 - _HEADING / height, wspace=0)
        _draw_legend(foot)
        return figure


def _relation_title(rows: pd.DataFrame, score: pd.Series) -> str:
    offset = f"{score['baseline_offset']:+d}".replace("-", "\N{MINUS SIGN}")
    scores = f"{_percent(score['accuracy'])} (offset {offset}: {_percent(score['baseline_accuracy'])})"
    return f"{_name(rows)}: {_RELATIONS[rows['relation'].iloc[0]]}\n{scores}"


def _coreference_title(rows: pd.DataFrame, clark_coreference: pd.DataFrame) -> str:
    scores = clark_coreference.query("candidates == 'mentions' and mention_type == 'all'")
    shown = (scores["direction"] == rows["direction"].iloc[0]) & (scores["selection"] == "same_data")
    (head,), (nearest,) = (scores.loc[mask, "accuracy"] for mask in (shown, scores["system"] == "nearest"))
    return f"{_name(rows)}: coreferent mentions\n{_percent(head)} (nearest mention: {_percent(nearest)})"


def _texts(rows: pd.DataFrame, identity: str) -> list[pd.DataFrame]:
    """The pairs of each sentence or passage, whose first word has place 0."""
    texts = (pairs for _, pairs in rows.groupby(identity, sort=False))
    return [pairs.assign(**pairs[["query", "key"]] - pairs["key"].min()) for pairs in texts]


def _draw_texts(cell: Figure, texts: Sequence[pd.DataFrame], last: int) -> None:
    """The sentences of one relation, or the passages, side by side, a dependent's or mention's attention in colours."""
    panels = cell.subplots(1, max(2, len(texts)))
    for panel in panels[len(texts) :]:
        panel.set_axis_off()
    for panel, pairs in zip(panels, texts, strict=False):
        dependent = pairs["query" if pairs["direction"].iloc[0] in _FROM_DEPENDENTS else "key"]
        highlighted = set(dependent[pairs["gold"]])
        colours = pd.Series(_OTHERS, index=pairs.index)
        colours[dependent.isin(highlighted)] = _ELSEWHERE
        colours[pairs["gold"]] = _TO_GOLD
        _draw_attention(panel, pairs, colours, highlighted, last)


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
        ("a dependent and its head, a mention and its antecedent", _TO_GOLD, 0.8),
        ("a dependent or mention and another word", _ELSEWHERE, 0.8),
        ("other words", _OTHERS, 0.8),
        ("all of a word's attention", "black", 1.0),
        ("a fifth of it", "black", 0.2),
    )
    handles = [
        Line2D([], [], color=_shade(colour, weight), linewidth=_WIDEST_LINE * weight, label=label)
        for label, colour, weight in lines
    ]
    cell.legend(handles=handles, loc="center", ncols=2, title="left attends to right", title_fontsize=6.5)


def _shade(colour: str, weight: float) -> tuple[float, ...]:
    """A colour, the stronger the higher the weight."""
    return to_rgba(colour, 0.2 + 0.7 * min(weight, 1))


def _percent(fraction: float) -> str:
    return f"{100 * fraction:.1f} %"


def _name(rows: pd.DataFrame) -> str:
    first = rows.iloc[0]
    return f"head {first['layer']}-{first['head']}"
