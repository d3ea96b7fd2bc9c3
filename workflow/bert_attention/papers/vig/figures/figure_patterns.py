"""Strongest of Vig's six patterns in each head (Vig 2018, part 1)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.colors import LinearSegmentedColormap, PowerNorm, to_rgb
from matplotlib.figure import Figure
from matplotlib.patches import Patch
from matplotlib.ticker import PercentFormatter

from bert_attention.figures import style
from bert_attention.papers.vig.columns import PATTERN_LABELS

# Letter and color of each pattern.
_LOOKS = {
    "next": ("n", style.BLUE),
    "previous": ("p", style.SKY),
    "identical": ("s", style.GREEN),
    "identical_other_sentence": ("o", style.ORANGE),
    "predictive": ("w", style.PURPLE),
    "delimiter": ("d", style.GRAY),
}
_LEAST = 0.05  # least attention above the baseline that counts as a pattern
_SHADES = PowerNorm(0.5, 0, 1)  # a square root, so that weak heads differ
_CELL, _AROUND, _KEYS = 0.17, 0.4, 0.5  # inches: heights of a row, of the space around a panel, and of the legend


def draw(vig_patterns: pd.DataFrame) -> Figure:
    """Draw each head's strongest pattern: the pattern by color and letter, its strength by lightness.

    Layers go from top to bottom. The upper panel has all six patterns, the lower panel all except the delimiters.
    """
    six = vig_patterns[vig_patterns["pattern"].isin(_LOOKS)]
    excess = (six["attention"] - six["baseline"]).fillna(0)
    excess_by_head = six.assign(excess=excess).pivot_table(index=["layer", "head"], columns="pattern", values="excess")
    layers, heads = (excess_by_head.index.get_level_values(level).max() for level in ("layer", "head"))
    with style.house_style():
        height = 2 * (layers * _CELL + _AROUND) + _KEYS
        figure = Figure(figsize=(style.COLUMN_WIDTH, height), layout="constrained")
        panels = figure.subplots(2, 1, sharex=True)
        for panel, shown in zip(panels, (excess_by_head, excess_by_head.drop(columns="delimiter")), strict=True):
            _draw_cells(panel, shown, (layers, heads))
            panel.set_xticks(range(1, heads + 1))
            panel.set_yticks(range(1, layers + 1))
            panel.set_ylabel("layer")
            panel.tick_params(length=0)
            panel.grid(visible=False)
            panel.spines[:].set_visible(False)
        panels[0].set_title("(a) strongest of six patterns")
        panels[1].set_title("(b) strongest without delimiters")
        panels[1].set_xlabel("head")
        _explain_colors(figure, panels)
        return figure


def _draw_cells(panel: Axes, excess_by_head: pd.DataFrame, shape: tuple[int, int]) -> None:
    """Draw the cells of all heads from ``excess_by_head``, which has a row per head and a column per pattern."""
    colors = np.ones((*shape, 3))
    for (layer, head), by_pattern in excess_by_head.iterrows():
        letter, color = _LOOKS[by_pattern.idxmax()]
        strength = by_pattern.clip(0, 1).max()
        colors[layer - 1, head - 1] = _mixed(color, strength)
        if strength >= _LEAST:
            dark = colors[layer - 1, head - 1] @ [0.3, 0.59, 0.11] < 0.5
            panel.text(head, layer, letter, ha="center", va="center", fontsize=6.5, color="white" if dark else "black")
    limits = (0.5, shape[1] + 0.5, shape[0] + 0.5, 0.5)
    panel.imshow(colors, extent=limits, interpolation="nearest", aspect="auto")


def _mixed(color: str, strength: float) -> np.ndarray:
    """Return a color mixed with white, darker for a higher strength."""
    return 1 - float(_SHADES(strength)) * (1 - np.array(to_rgb(color)))


def _explain_colors(figure: Figure, panels: Sequence[Axes]) -> None:
    """Add a legend of the patterns below the panels, and a bar of the strengths beside them."""
    keys = [Patch(color=color, label=f"{letter}  {PATTERN_LABELS[name]}") for name, (letter, color) in _LOOKS.items()]
    figure.legend(handles=keys, loc="outside lower left", ncols=2, handlelength=1.0, columnspacing=1.5)
    _, gray = _LOOKS["delimiter"]  # so that most cells can be read off the bar
    grays = LinearSegmentedColormap.from_list("strength", ["white", gray])
    shades = ScalarMappable(_SHADES, grays)
    bar = style.color_bar(figure, shades, panels, "attention above baseline", aspect=40, pad=0.02)
    bar.ax.yaxis.set_major_formatter(PercentFormatter(1, decimals=0))
    bar.set_ticks([0, 0.05, 0.2, 0.5, 1])
