"""What tests read off a figure."""

from __future__ import annotations

from matplotlib.axes import Axes
from matplotlib.legend import Legend
from matplotlib.lines import Line2D


def line(axes: Axes, label: str) -> Line2D:
    """The line of a panel that has this label."""
    return next(line for line in axes.lines if line.get_label() == label)


def entries(legend: Legend) -> list[str]:
    """The texts of a legend."""
    return [text.get_text() for text in legend.get_texts()]
