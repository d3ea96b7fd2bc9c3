"""Figure 8 of Kovaleva et al. 2019: scores of fine-tuned encoders without each head."""

from __future__ import annotations

import pandas as pd
import seaborn as sns
from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.colors import Normalize
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from bert_attention.corpora.task_names import METRIC_LABELS, main_metric, task_label
from bert_attention.figures import style
from bert_attention.papers.kovaleva.figures import head_maps

_COLORS = "RdBu"  # red is worse, blue better
_WITHIN = 0.98  # fraction of heads in the color range, so that a single head does not wash out all others
_MAP_HEIGHT = 1.9  # inches, with the color bar below
_DOT = {"color": "black", "marker": "o", "markersize": 2.2, "markeredgecolor": "white", "markeredgewidth": 0.3}


def draw(kovaleva_disabled_heads: pd.DataFrame, kovaleva_finetuning: pd.DataFrame) -> Figure:
    """Draw a map of heads for each task: the change of the main metric, in points, if the head is disabled.

    Each task has a color range of its own, which covers the changes and half the width of their intervals. So a change
    that is small for its interval is pale.
    """
    is_main = kovaleva_disabled_heads["metric"] == kovaleva_disabled_heads["task"].map(main_metric)
    table = kovaleva_disabled_heads[is_main]
    table = table.assign(**(100 * table[["difference", "low", "high"]]))
    with style.house_style():
        figure, panels = head_maps.task_panels(table, _MAP_HEIGHT)
        for task, (panel,) in panels.items():
            _draw_map(panel, table[table["task"] == task])
        head_maps.gray_out_not_learned(panels, kovaleva_finetuning)
        dot = Line2D([], [], linestyle="", label="interval of the change excludes 0", **_DOT)
        figure.legend(handles=[dot], loc="outside lower left", handlelength=1)
        return figure


def _draw_map(panel: Axes, rows: pd.DataFrame) -> None:
    """Draw heads by layers in points, the first layer on top, with dots on heads whose interval excludes 0."""
    clear = (rows["low"] > 0) | (rows["high"] < 0)
    points = rows.pivot(index="layer", columns="head", values="difference")
    most = _end_of_colors(rows)
    limits = {"vmin": -most, "vmax": most}
    sns.heatmap(points, ax=panel, cmap=_COLORS, **limits, cbar=False, linewidths=0.3, linecolor="#F4F4F4")
    panel.plot(rows.loc[clear, "head"] - 0.5, rows.loc[clear, "layer"] - 0.5, linestyle="", **_DOT)
    task, metric, baseline, n = rows[["task", "metric", "baseline", "n"]].iloc[0]
    panel.set_title(f"{task_label(task)}: {METRIC_LABELS[metric]} {100 * baseline:.1f}")
    head_maps.number_heads(panel, points)
    panel.set(xlabel=f"head ({n} examples)", ylabel="layer" if head_maps.is_leftmost(panel) else "")
    panel.tick_params(length=0, pad=1.5, labelrotation=0)
    panel.grid(visible=False)
    shades = ScalarMappable(Normalize(-most, most), _COLORS)
    look = {"location": "bottom", "extend": _beyond(rows["difference"], most), "aspect": 25, "pad": 0.02}
    style.color_bar(panel.figure, shades, [panel], "change (points)", **look)


def _end_of_colors(rows: pd.DataFrame) -> float:
    """Return the change with the strongest color: nearly the largest of all changes and of all half widths."""
    sizes = pd.concat([rows["difference"].abs(), (rows["high"] - rows["low"]) / 2], axis=1)
    return sizes.quantile(_WITHIN, interpolation="lower").max() or 1.0


def _beyond(points: pd.Series, most: float) -> str:
    """Return the sides on which values lie beyond the color bar, which get an arrow."""
    below, above = points.min() < -most, points.max() > most
    return "both" if below and above else "min" if below else "max" if above else "neither"
