"""Panels that show the density of points by color, with the correlation of the points."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.collections import QuadMesh
from matplotlib.colors import LogNorm
from matplotlib.figure import Figure
from matplotlib.offsetbox import AnchoredText
from matplotlib.patheffects import withStroke

from bert_attention.figures import style
from bert_attention.tables import bounds_text

_COLORS = "Blues"  # a single hue also prints well in gray


def draw_by_rank(
    table: pd.DataFrame, bins: pd.DataFrame, by: str, titles: Mapping[str, str], corner: str
) -> tuple[Figure, list[Axes]]:
    """Draw a panel for each name in column ``by``: values of tokens over their frequency rank.

    ``table`` has the correlations of values and ranks. Each panel prints the correlation without [CLS] and [SEP] in a
    corner.
    """
    correlations = table.query("layer == 0 and tokens == 'without_specials'").set_index(by)
    spearman = correlations[["spearman", "low", "high"]]
    shades = LogNorm(1, bins["n"].max())
    figure, panels = style.panels(len(titles), panel_height=1.6)
    for panel, (name, title) in zip(panels, titles.items(), strict=True):
        cells = bins[bins[by] == name]
        mesh = draw_density(panel, cells, "rank", "value", "n", shades)
        _draw_means(panel, cells)
        note_correlation(panel, spearman.loc[name], corner)
        panel.set_title(title)
    panels[-1].set_xlabel("frequency rank of the token")
    figure.align_ylabels(panels)
    add_color_bar(figure, mesh, panels, "number of tokens")
    return figure, panels


def draw_density(panel: Axes, cells: pd.DataFrame, x: str, y: str, value: str, norm: LogNorm) -> QuadMesh:
    """Draw cells, colored by their value, over a logarithmic x axis.

    The columns ``<x>_low``, ``<x>_high``, ``<y>_low`` and ``<y>_high`` bound each cell.
    """
    edges = {axis: np.union1d(cells[f"{axis}_low"], cells[f"{axis}_high"]) for axis in (x, y)}
    indices = {axis: np.searchsorted(edges[axis], cells[f"{axis}_low"]) for axis in (x, y)}
    grid = np.full((len(edges[y]) - 1, len(edges[x]) - 1), np.nan)
    grid[indices[y], indices[x]] = cells[value]
    panel.set_xscale("log")
    panel.grid(visible=False)
    return panel.pcolormesh(edges[x], edges[y], grid, cmap=_COLORS, norm=norm, antialiased=False)


def _draw_means(panel: Axes, cells: pd.DataFrame) -> None:
    """Draw a line through the mean value of each range of ranks, at its middle.

    The means are computed from the middles of the ranges of values.
    """
    middles = cells.assign(
        rank=np.sqrt(cells["rank_low"] * cells["rank_high"]),
        total=(cells["value_low"] + cells["value_high"]) / 2 * cells["n"],
    )
    sums = middles.groupby("rank")[["total", "n"]].sum()
    panel.plot(sums.index, sums["total"] / sums["n"], color=style.VERMILION, linewidth=1.2, label="mean")


def note_correlation(panel: Axes, spearman: Sequence[float], corner: str) -> None:
    """Print Spearman's correlation, and its interval's bounds if any, in a corner such as ``lower left``."""
    value, *bounds = (f"{number:z.2f}".replace("-", "\N{MINUS SIGN}") for number in spearman)
    interval = f" ({bounds_text(*bounds)})" if bounds else ""
    looks = {"fontsize": 6.5, "path_effects": [withStroke(linewidth=2, foreground="white")]}  # legible over cells
    panel.add_artist(AnchoredText(f"$\\rho$ = {value}{interval}", loc=corner, frameon=False, pad=0.1, prop=looks))


def add_color_bar(figure: Figure, mesh: QuadMesh, panels: Sequence[Axes] | np.ndarray, label: str) -> None:
    """Add a color bar beside all panels."""
    figure.colorbar(mesh, ax=panels, label=label, aspect=35, pad=0.02).outline.set_visible(False)
