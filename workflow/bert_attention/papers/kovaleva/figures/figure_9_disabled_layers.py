"""Figure 9 of Kovaleva et al. 2019: scores of fine-tuned encoders without each layer."""

from __future__ import annotations

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from bert_attention.corpora.task_names import METRIC_LABELS, main_metric, task_label
from bert_attention.figures import style
from bert_attention.papers.kovaleva.figures import head_maps

_PANEL_HEIGHT = 1.3  # inches
_BAND = {"alpha": 0.18, "linewidth": 0}
_RANDOM = style.ORANGE


def draw(
    kovaleva_disabled_layers: pd.DataFrame,
    kovaleva_disabled_random: pd.DataFrame,
    kovaleva_finetuning: pd.DataFrame,
    published: pd.DataFrame,
) -> Figure:
    """Draw, for each task, its main metric without each layer, without random sets of heads, and of the whole model.

    The paper's values (``published``: ``series``, which is the task, ``layer``, ``value``) are light dashed lines
    under ours.
    """
    layers, random = (_in_points(table) for table in (kovaleva_disabled_layers, kovaleva_disabled_random))
    with style.house_style():
        figure, panels = head_maps.task_panels(layers, _PANEL_HEIGHT)
        published = published[published["series"].isin(panels)]
        for task, (panel,) in panels.items():
            curve = published[published["series"] == task]
            style.published_curve(panel, curve.assign(value=100 * curve["value"]), style.BLUE)
            sets = random.loc[random["task"] == task, "value"]
            panel.axhspan(sets.min(), sets.max(), color=_RANDOM, **_BAND)
            panel.axhline(sets.mean(), color=_RANDOM, linewidth=1)
            _draw_layers(panel, layers[layers["task"] == task])
            head_maps.layer_axis(panel, layers, curve)
            if head_maps.is_leftmost(panel):
                panel.set_ylabel("metric × 100")
        head_maps.gray_out_not_learned(panels, kovaleva_finetuning)
        handles = [
            style.reference_key("whole model"),
            style.layer_key(style.BLUE, "o", "without one layer"),
            Line2D([], [], color=_RANDOM, linewidth=1, label=f"without {random['heads'].iloc[0]} random heads: mean"),
            Patch(color=_RANDOM, label="range", **_BAND),
            *style.published_keys(published, style.BLUE),
        ]
        figure.legend(handles=handles, loc="outside lower left", ncols=5, handlelength=1.7, columnspacing=1.2)
        return figure


def _in_points(table: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of each task's main metric, times 100.

    ``low`` and ``high`` become the interval of the change, added to the score of the whole encoder.
    """
    rows = table[table["metric"] == table["task"].map(main_metric)]
    points = {name: 100 * rows[name] for name in ("value", "baseline")}
    bounds = {name: 100 * (rows["baseline"] + rows[name]) for name in ("low", "high")}
    return rows.assign(**points, **bounds)


def _draw_layers(panel: Axes, rows: pd.DataFrame) -> None:
    task, metric, baseline = rows[["task", "metric", "baseline"]].iloc[0]
    style.reference_line(panel, baseline)
    panel.fill_between(rows["layer"], rows["low"], rows["high"], color=style.BLUE, **_BAND)
    style.layer_line(panel, rows["layer"], rows["value"], style.BLUE, "o", "one layer")
    panel.set_title(f"{task_label(task)}: {METRIC_LABELS[metric]} {baseline:.1f}")
