"""Functions that read values from a figure, and its published curves."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import combinations

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.collections import QuadMesh
from matplotlib.figure import Figure
from matplotlib.legend import Legend
from matplotlib.lines import Line2D

from bert_attention.papers import paper
from bert_attention.tables import read_published

NO_CURVES = read_published(None)


def curves_of(figure: str) -> pd.DataFrame:
    """Return the published curves of a figure."""
    name, _, own_name = figure.partition("_")
    return paper(name).published(own_name)


def line(axes: Axes, label: str) -> Line2D:
    """Return the line of a panel with a label."""
    return next(line for line in axes.lines if line.get_label() == label)


def entries(legend: Legend) -> list[str]:
    """Return the texts of a legend."""
    return [text.get_text() for text in legend.get_texts()]


def cells(panel: Axes) -> pd.DataFrame:
    """Return the cells of a panel's heat map, from the top row."""
    (mesh,) = (part for part in panel.collections if isinstance(part, QuadMesh))
    assert panel.yaxis_inverted()
    return pd.DataFrame(mesh.get_array())


def colliding_ticks(figure: Figure) -> list[tuple[str, str]]:
    """Return the pairs of tick labels that overlap in a drawn figure."""
    canvas = FigureCanvasAgg(figure)
    canvas.draw()
    labels = [
        label
        for axes in figure.axes
        for axis, limits in ((axes.xaxis, axes.get_xlim()), (axes.yaxis, axes.get_ylim()))
        for tick, label in zip(axis.get_ticklocs(), axis.get_ticklabels(), strict=True)
        if label.get_text() and min(limits) <= tick <= max(limits)
    ]
    boxes = [(label.get_text(), label.get_window_extent(canvas.get_renderer())) for label in labels]
    return [(a, b) for (a, first), (b, second) in combinations(boxes, 2) if first.overlaps(second)]


def shades_of(panels: Iterable[Axes]) -> tuple[float, float]:
    """Return the range of colors that the heat maps of some panels share."""
    (limits,) = {panel.collections[0].get_clim() for panel in panels}
    return limits
