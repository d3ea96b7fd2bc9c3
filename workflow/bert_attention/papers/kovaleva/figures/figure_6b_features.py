"""Figure 6 of Kovaleva et al. 2019, continued: attention of each head to words with linguistic features."""

from __future__ import annotations

import pandas as pd
from matplotlib.figure import Figure

from bert_attention.corpora.task_names import task_label
from bert_attention.figures import style
from bert_attention.papers.kovaleva.columns import FEATURE_LABELS, WORD_FEATURES
from bert_attention.papers.kovaleva.figures import head_maps

_HEIGHT = 0.86  # inches per row


def draw(kovaleva_features: pd.DataFrame, kovaleva_finetuning: pd.DataFrame) -> Figure:
    """Draw each fine-tuned head's attention to words with each feature, with a row per feature and a column per task.

    A feature is gray if too few examples of a task have it.
    """
    word_rows = head_maps.attention_to_features(kovaleva_features[kovaleva_features["feature"].isin(WORD_FEATURES)])
    shades = head_maps.shades_from_zero(word_rows["attention"])
    tasks = head_maps.tasks_of(word_rows)
    with style.house_style():
        figure = Figure(figsize=(style.TEXT_WIDTH, len(WORD_FEATURES) * _HEIGHT + 0.45), layout="constrained")
        grid = figure.subplots(len(WORD_FEATURES), len(tasks), squeeze=False)
        for feature, row in zip(WORD_FEATURES, grid, strict=True):
            for task, panel in zip(tasks, row, strict=True):
                cells = word_rows[(word_rows["feature"] == feature) & (word_rows["task"] == task)]
                head_maps.head_map(panel, cells, "attention", shades)
                panel.set_facecolor(head_maps.UNKNOWN)
            row[0].set_ylabel(f"{FEATURE_LABELS[feature]}\nlayer")
        for task, (top, *_, bottom) in zip(tasks, grid.T, strict=True):
            top.set_title(task_label(task))
            bottom.set_xlabel("head")
        head_maps.gray_out_not_learned(dict(zip(tasks, grid.T, strict=True)), kovaleva_finetuning)
        for panel in grid[:-1].flat:
            panel.set_xticklabels([])
        head_maps.percent_bar(figure, grid.flat, shades, word_rows["attention"], "mean attention")
        head_maps.explain_rare(figure, word_rows)
        return figure
