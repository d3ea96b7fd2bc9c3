"""Figure 6 of Kovaleva et al. 2019: attention of each head to [SEP] and to [CLS]."""

from __future__ import annotations

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from bert_attention.figures import style
from bert_attention.papers.kovaleva.figures import head_maps

_TOKENS = (style.SEP, style.CLS)
_MAP_HEIGHT, _MEANS_HEIGHT = 1.15, 1.0  # inches
_PRETRAINED_LINE = {"linewidth": 0.9, "linestyle": (0, (1, 1))}


def draw(kovaleva_features: pd.DataFrame, kovaleva_finetuning: pd.DataFrame, published: pd.DataFrame) -> Figure:
    """Draw each fine-tuned head's attention to [SEP] and to [CLS], and the layers' means before and after fine-tuning.

    The maps of [SEP] and those of [CLS] have color ranges of their own. The paper's means (``published``: ``series``,
    such as ``mrpc_sep``, ``layer``, ``value``) are light dashed lines below.
    """
    special = kovaleva_features[
        (kovaleva_features["variant"] == "described")
        & kovaleva_features["feature"].isin([name for name, *_ in _TOKENS])
    ]
    finetuned = special[special["model"] == "finetuned"]
    by_feature = {name: finetuned.loc[finetuned["feature"] == name, "attention"] for name, *_ in _TOKENS}
    shades = {name: head_maps.shades_from_zero(values) for name, values in by_feature.items()}
    with style.house_style():
        figure, panels = head_maps.task_panels(special, _MAP_HEIGHT, _MAP_HEIGHT, _MEANS_HEIGHT)
        of_tasks = [f"{task}_{feature}" for task in panels for feature, *_ in _TOKENS]
        published = published[published["series"].isin(of_tasks)]
        highest = special.groupby(["task", "model", "feature", "layer"])["attention"].mean().max()
        for task, (*maps, below) in panels.items():
            task_rows = finetuned[finetuned["task"] == task]
            for panel, (feature, label, *_) in zip(maps, _TOKENS, strict=True):
                head_maps.head_map(panel, task_rows[task_rows["feature"] == feature], "attention", shades[feature])
                if head_maps.is_leftmost(panel):
                    panel.set_ylabel(f"{label}\nlayer")
            maps[0].set_xticklabels([])
            maps[1].set_xlabel("head")
            curves = published[published["series"].isin([f"{task}_{feature}" for feature, *_ in _TOKENS])]
            _draw_means(below, special[special["task"] == task], task, curves)
            head_maps.layer_axis(below, special, curves)
            style.percent_axis(below, "mean attention" if head_maps.is_leftmost(below) else "")
            below.set_ylim(0, max([highest, *published["value"]]) * 1.08)
            if not head_maps.is_leftmost(below):
                below.set_yticklabels([])
        head_maps.gray_out_not_learned(panels, kovaleva_finetuning)
        for row, (feature, *_) in enumerate(_TOKENS):
            for maps in head_maps.by_row([of_task[row] for of_task in panels.values()]):
                head_maps.percent_bar(figure, maps, shades[feature], by_feature[feature], "mean attention")
        handles = [style.layer_key(color, marker, label) for _, label, color, marker in _TOKENS]
        handles.append(Line2D([], [], color=style.GRAY, label="before fine-tuning", **_PRETRAINED_LINE))
        handles += style.published_keys(published)
        figure.legend(handles=handles, loc="outside lower left", ncols=4, handlelength=1.7)
        return figure


def _draw_means(panel: Axes, rows: pd.DataFrame, task: str, curves: pd.DataFrame) -> None:
    for feature, label, color, marker in _TOKENS:
        style.published_curve(panel, curves[curves["series"] == f"{task}_{feature}"], color)
        layer_means = rows[rows["feature"] == feature].groupby(["model", "layer"])["attention"].mean()
        before, after = layer_means["pretrained"], layer_means["finetuned"]
        panel.plot(before.index, before, color=color, label=f"{label}, before", **_PRETRAINED_LINE)
        style.layer_line(panel, after.index, after, color, marker, label)
