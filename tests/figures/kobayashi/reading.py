"""What tests read off a panel that shows densities."""

from __future__ import annotations

from matplotlib.axes import Axes


def note(panel: Axes) -> str:
    """The text in a corner of a panel."""
    return next(iter(panel.artists)).txt.get_text()
