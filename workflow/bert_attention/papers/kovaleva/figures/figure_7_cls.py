"""Figure 7 of Kovaleva et al. 2019: attention from [CLS] in the last layer."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.colors import Normalize
from matplotlib.figure import Figure

from bert_attention.figures import style
from bert_attention.papers.kovaleva.columns import FEATURE_LABELS
from bert_attention.papers.kovaleva.figures import head_maps

# In the paper's order; punctuation is not in the paper.
_FEATURES = ("pronoun", "noun", "verb", "object", "subject", "negation", "cls", "sep", "punctuation")
_HEIGHT = 2.35  # inches
_MEAN = "mean"
_NOT_MEASURED = {"rotation": 90, "ha": "center", "va": "center", "fontsize": 6, "color": style.GRAY}


def draw(kovaleva_cls: pd.DataFrame, kovaleva_finetuning: pd.DataFrame) -> Figure:
    """Draw attention from [CLS] in the fine-tuned encoder's last layer, by head and feature, and the heads' mean.

    A feature is gray if too few examples of a task have it.
    """
    finetuned = head_maps.attention_to_features(kovaleva_cls)
    shades = head_maps.shades_from_zero(finetuned["attention"])
    with style.house_style():
        figure, panels = head_maps.task_panels(finetuned, _HEIGHT)
        for task, (panel,) in panels.items():
            _draw_heads(panel, finetuned[finetuned["task"] == task], shades)
            if head_maps.is_leftmost(panel):
                panel.set_ylabel("head")
        head_maps.gray_out_not_learned(panels, kovaleva_finetuning)
        drawn = [panel for (panel,) in panels.values()]
        head_maps.percent_bar(figure, drawn, shades, finetuned["attention"], "attention from [CLS]")
        head_maps.explain_rare(figure, finetuned)
        return figure


def _draw_heads(panel: Axes, rows: pd.DataFrame, shades: Normalize) -> None:
    """Draw heads by features, with the mean of all heads below a line."""
    by_head = rows.pivot(index="head", columns="feature", values="attention").reindex(columns=_FEATURES)
    examples = rows.groupby("feature")["n"].max().reindex(_FEATURES, fill_value=0)
    with_mean = pd.concat([by_head, by_head.mean().to_frame(_MEAN).T])
    head_maps.draw_map(panel, with_mean, shades)
    panel.set_facecolor(head_maps.UNKNOWN)
    for column in np.flatnonzero(examples == 0):
        panel.text(column + 0.5, len(by_head) / 2, "not measured", **_NOT_MEASURED)
    panel.axhline(len(by_head), color="white", linewidth=2)
    panel.set_yticks(np.arange(len(with_mean)) + 0.5, with_mean.index if head_maps.is_leftmost(panel) else [])
    names = [f"{FEATURE_LABELS[feature]} ({n:.0f})" for feature, n in examples.items()]
    panel.set_xticks(np.arange(len(names)) + 0.5, names, rotation=90)
    panel.tick_params(labelsize=6)
