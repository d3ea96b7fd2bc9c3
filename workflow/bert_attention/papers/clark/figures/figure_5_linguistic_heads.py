"""Figure 5 of Clark et al. 2019: heads that find dependency relations and coreferent mentions, in example texts."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from bert_attention.figures import style
from bert_attention.papers.clark.columns import (
    ALL_RELATIONS,
    COREFERENCE_DIRECTIONS,
    DEPENDENCY_DIRECTIONS,
    FIGURE_5_RELATIONS,
)
from bert_attention.papers.clark.figures.attention_lines import (
    ELSEWHERE,
    OTHERS,
    TO_GOLD,
    WIDEST_LINE,
    draw_attention,
    head_title,
    shade,
)

_CELLS = 2  # cells side by side
_SPECIAL = "[CLS]"  # the tables have no [SEP]
_HEADING, _LINE_HEIGHT, _LEGEND = 0.36, 0.112, 0.6  # inches

_LABELS = {ALL_RELATIONS: "all relations"} | FIGURE_5_RELATIONS
_FROM_DEPENDENTS = (DEPENDENCY_DIRECTIONS[0], COREFERENCE_DIRECTIONS[0])


def draw(
    clark_examples: pd.DataFrame,
    clark_dependency_heads: pd.DataFrame,
    clark_coreference_examples: pd.DataFrame,
    clark_coreference: pd.DataFrame,
) -> Figure:
    """Draw the attention of the best heads for relations and coreference as lines, in two texts for each head."""
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
        # All positions are fixed, because a constrained layout changes their last digits and so the file.
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
    return f"{head_title(rows)}: {_LABELS[rows['relation'].iloc[0]]}\n{scores}"


def _coreference_title(rows: pd.DataFrame, clark_coreference: pd.DataFrame) -> str:
    scores = clark_coreference.query("candidates == 'mentions' and mention_type == 'all'")
    shown = (scores["direction"] == rows["direction"].iloc[0]) & (scores["selection"] == "same_data")
    (head,), (nearest,) = (scores.loc[mask, "accuracy"] for mask in (shown, scores["system"] == "nearest"))
    return f"{head_title(rows)}: coreferent mentions\n{_percent(head)} (nearest mention: {_percent(nearest)})"


def _percent(fraction: float) -> str:
    return f"{100 * fraction:.1f}%"


def _texts(rows: pd.DataFrame, identity: str) -> list[pd.DataFrame]:
    """Return the pairs of words of each sentence or passage, with words numbered from 0.

    Pairs with [CLS] are left out: attention to it, on which heads rest, would hide all other lines.
    """
    of_words = rows[(rows["query_word"] != _SPECIAL) & (rows["key_word"] != _SPECIAL)]
    texts = (pairs for _, pairs in of_words.groupby(identity, sort=False))
    return [pairs.assign(**pairs[["query", "key"]] - pairs["key"].min()) for pairs in texts]


def _draw_texts(cell: Figure, texts: Sequence[pd.DataFrame], last: int) -> None:
    """Draw the texts of one head side by side, with the attention of dependents and mentions in color."""
    panels = cell.subplots(1, max(2, len(texts)))
    for panel in panels[len(texts) :]:
        panel.set_axis_off()
    for panel, pairs in zip(panels, texts, strict=False):
        dependent = pairs["query" if pairs["direction"].iloc[0] in _FROM_DEPENDENTS else "key"]
        highlighted = set(dependent[pairs["gold"]])
        colors = pd.Series(OTHERS, index=pairs.index)
        colors[dependent.isin(highlighted)] = ELSEWHERE
        colors[pairs["gold"]] = TO_GOLD
        draw_attention(panel, pairs, colors, highlighted, last)


def _draw_legend(cell: Figure) -> None:
    lines = (
        ("a dependent and its head, a mention and its antecedent", TO_GOLD, 0.8),
        ("a dependent or mention and another word", ELSEWHERE, 0.8),
        ("other words", OTHERS, 0.8),
        ("attention weight 1", "black", 1.0),
        ("attention weight 0.2", "black", 0.2),
    )
    handles = [
        Line2D([], [], color=shade(color, weight), linewidth=WIDEST_LINE * weight, label=label)
        for label, color, weight in lines
    ]
    cell.legend(handles=handles, loc="center", ncols=2, title="left attends to right", title_fontsize=6.5)
