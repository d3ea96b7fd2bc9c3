"""Figure 8 of Kovaleva et al. 2019: scores of fine-tuned encoders without each head."""

from __future__ import annotations

import pandas as pd
import seaborn as sns
from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.colors import Normalize
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from bert_attention.figures import style
from bert_attention.figures.kovaleva import head_maps
from bert_attention.kovaleva.column_values import MAIN_METRICS, METRIC_LABELS, TASK_LABELS

_COLORS = "RdBu"  # red is worse, blue better
_SATURATED = 0.98  # fraction of heads in the color range, so that a single head does not wash out all others
_MAP_HEIGHT = 1.5  # inches
_DOT = {"color": "black", "marker": "o", "markersize": 2.2, "markeredgecolor": "white", "markeredgewidth": 0.3}


def draw(kovaleva_disabled_heads: pd.DataFrame, kovaleva_finetuning: pd.DataFrame) -> Figure:
    """Draw a map of heads for each task: the change of the main metric, in points, if the head is disabled.

    A head is gray if the interval of its change contains 0, and half its width exceeds the end of the color range.
    """
    is_main = kovaleva_disabled_heads["metric"] == kovaleva_disabled_heads["task"].map(MAIN_METRICS)
    table = kovaleva_disabled_heads[is_main]
    table = table.assign(**(100 * table[["difference", "low", "high"]]))
    most = table["difference"].abs().quantile(_SATURATED, "lower") or 1.0
    with style.house_style():
        figure, panels = head_maps.task_panels(table, _MAP_HEIGHT)
        for task, (panel,) in panels.items():
            _draw_map(panel, table[table["task"] == task], most)
        head_maps.gray_out_not_learned(panels, kovaleva_finetuning)
        shades = ScalarMappable(Normalize(-most, most), _COLORS)
        beyond = _beyond(table["difference"], most)
        drawn = [panel for (panel,) in panels.values()]
        style.color_bar(figure, shades, drawn, "change (points)", extend=beyond, aspect=30, pad=0.015)
        dot = Line2D([], [], linestyle="", label="interval of the change excludes 0", **_DOT)
        gray = head_maps.unknown_key(f"interval includes 0 and is wider than ±{most:.2g} points")
        figure.legend(handles=[dot, gray], loc="outside lower left", ncols=2, handlelength=1, handleheight=1)
        return figure


def _draw_map(panel: Axes, rows: pd.DataFrame, most: float) -> None:
    """Draw heads by layers in points, the first layer on top, with dots on heads whose interval excludes 0."""
    clear = (rows["low"] > 0) | (rows["high"] < 0)
    unclear = ~clear & ((rows["high"] - rows["low"]) / 2 > most)
    points = rows.assign(points=rows["difference"].mask(unclear)).pivot(index="layer", columns="head", values="points")
    limits = {"vmin": -most, "vmax": most}
    sns.heatmap(points, ax=panel, cmap=_COLORS, **limits, cbar=False, linewidths=0.3, linecolor="#F4F4F4")
    panel.set_facecolor(head_maps.UNKNOWN)
    panel.plot(rows.loc[clear, "head"] - 0.5, rows.loc[clear, "layer"] - 0.5, linestyle="", **_DOT)
    task, metric, baseline, n = rows[["task", "metric", "baseline", "n"]].iloc[0]
    panel.set_title(f"{TASK_LABELS[task]}: {METRIC_LABELS[metric]} {100 * baseline:.1f}")
    head_maps.number_heads(panel, points)
    panel.set(xlabel=f"head ({n} examples)", ylabel="layer" if head_maps.is_leftmost(panel) else "")
    panel.tick_params(length=0, pad=1.5, labelrotation=0)
    panel.grid(visible=False)


def _beyond(points: pd.Series, most: float) -> str:
    """Return the sides on which values lie beyond the color bar, which get an arrow."""
    below, above = points.min() < -most, points.max() > most
    return "both" if below and above else "min" if below else "max" if above else "neither"
