"""Figure 5 of Kovaleva et al. 2019: change of each head's attention by fine-tuning."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.colors import Normalize
from matplotlib.figure import Figure

from bert_attention.figures import style
from bert_attention.papers.kovaleva.figures import head_maps

# Part of the maps (column "variant"), models (column "compared"), label, color and marker.
_LINES = (
    ("cropped", "finetuning", "before and after fine-tuning", style.BLUE, "o"),
    ("cropped", "seeds", "between two seeds", style.ORANGE, "s"),
    ("padded", "finetuning", "before and after, padded maps", style.GREEN, "^"),
)
_PUBLISHED_COLOR = style.GREEN  # the published maps are padded
_MAP_HEIGHT, _MEANS_HEIGHT = 1.35, 1.0  # inches


def draw(kovaleva_change: pd.DataFrame, kovaleva_finetuning: pd.DataFrame, published: pd.DataFrame) -> Figure:
    """Draw the cosine of each head's attention before and after fine-tuning, and the layers' means, also of two seeds.

    The paper's means (``published``: ``series``, which is the task, ``layer``, ``value``) are of padded maps. They are
    light dashed lines under our means of padded maps.
    """
    table = kovaleva_change
    finetuning = table[(table["variant"] == "cropped") & (table["compared"] == "finetuning")]
    shades = Normalize(np.floor(finetuning["cosine"].min() * 10) / 10, 1)
    with style.house_style():
        figure, panels = head_maps.task_panels(table, _MAP_HEIGHT, _MEANS_HEIGHT)
        published = published[published["series"].isin(panels)]
        means = table.groupby(["task", "variant", "compared", "layer"])["cosine"].mean()
        lowest = min([*means, *published["value"]])
        for task, (above, below) in panels.items():
            head_maps.head_map(above, finetuning[finetuning["task"] == task], "cosine", shades)
            above.set_xlabel("head")
            curve = published[published["series"] == task]
            _draw_means(below, means[task], curve)
            below.set_ylim(np.floor(lowest * 10) / 10, 1)
            head_maps.layer_axis(below, table, curve)
            if head_maps.is_leftmost(above):
                above.set_ylabel("layer")
                below.set_ylabel("mean cosine")
            else:
                below.set_yticklabels([])
        head_maps.gray_out_not_learned(panels, kovaleva_finetuning)
        head_maps.color_bar(figure, [above for above, _ in panels.values()], shades, "cosine")
        (_, first), *_ = panels.values()
        handles, _ = first.get_legend_handles_labels()
        handles += style.published_keys(published, _PUBLISHED_COLOR)
        figure.legend(handles=handles, loc="outside lower left", ncols=4, handlelength=1.7)
        return figure


def _draw_means(panel: Axes, means: pd.Series, curve: pd.DataFrame) -> None:
    """Draw lines through a task's layer means, which are indexed by ``variant``, ``compared`` and ``layer``."""
    style.published_curve(panel, curve, _PUBLISHED_COLOR)
    for variant, compared, label, color, marker in _LINES:
        if (variant, compared) in means.index:
            layer_means = means[variant, compared]
            style.layer_line(panel, layer_means.index, layer_means, color, marker, label)
