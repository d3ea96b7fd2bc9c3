"""Figure 1 of Clark et al. 2019: heads of four patterns in one segment."""

from __future__ import annotations

import pandas as pd
from matplotlib.figure import Figure

from bert_attention.figures import style
from bert_attention.papers.clark.figures.attention_lines import TO_GOLD, draw_attention, head_title

_BEHAVIORS = {
    "broad": "attends broadly",
    "next": "to the next token",
    "sep": "to [SEP]",
    "punctuation": "to periods and commas",
}


def draw(clark_pattern_examples: pd.DataFrame) -> Figure:
    """Draw the attention of four heads between the last tokens of a segment as lines."""
    with style.house_style():
        figure = Figure(figsize=(style.TEXT_WIDTH, 2.4), layout="constrained")
        panels = figure.subplots(1, clark_pattern_examples["behaviour"].nunique(), squeeze=False)[0]
        for panel, (behaviour, rows) in zip(
            panels, clark_pattern_examples.groupby("behaviour", sort=False), strict=True
        ):
            draw_attention(panel, rows, pd.Series(TO_GOLD, index=rows.index), set(), rows["key"].max())
            panel.set_title(f"{head_title(rows)}\n{_BEHAVIORS[behaviour]}", loc="center")
        return figure
