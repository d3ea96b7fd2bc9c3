"""Table 2 of Kobayashi et al. 2020 as a figure: do heads give little weight to large vectors?"""

from __future__ import annotations

import pandas as pd
from matplotlib.colors import LogNorm
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator, NullFormatter, NullLocator

from bert_attention.figures import style
from bert_attention.papers.kobayashi.figures.density_panels import add_color_bar, draw_density, note_correlation


def draw(kobayashi_correlation: pd.DataFrame, kobayashi_correlation_bins: pd.DataFrame) -> Figure:
    """Draw the attention weight and transformed vector's length of all token pairs, by kind of the attended token."""
    bins = _with_drawable_zeros(kobayashi_correlation_bins)
    spearman = kobayashi_correlation.set_index("category")[["spearman"]]
    shades = LogNorm(1e-5, 1)
    with style.house_style():
        figure = Figure(figsize=(style.COLUMN_WIDTH, 2.8), layout="constrained")
        panels = figure.subplots(2, 2, sharex=True, sharey=True)
        for panel, (category, label, *_) in zip(panels.flat, style.TOKEN_KINDS, strict=True):
            panel.set_title(label)
            cells = bins[bins["category"] == category]
            if not cells.empty:  # a text may lack periods and commas
                cells = cells.assign(share=cells["n"] / cells["n"].max())
                mesh = draw_density(panel, cells, "weight", "norm", "share", shades)
                note_correlation(panel, spearman.loc[category], "lower left")
            panel.set_yscale("log")
            panel.xaxis.set_major_locator(LogLocator(numticks=4))
            panel.xaxis.set_minor_locator(NullLocator())
            panel.yaxis.set_minor_formatter(NullFormatter())
        panel.set_xlim(bins["weight_low"].min(), bins["weight_high"].max())
        panel.set_ylim(bins["norm_low"].min(), bins["norm_high"].max())
        figure.supxlabel(r"attention weight $\alpha$", fontsize=7)
        figure.supylabel(r"$\Vert f(x)\Vert$", fontsize=7)
        add_color_bar(figure, mesh, panels, "token pairs, relative to the fullest cell")
        return figure


def _with_drawable_zeros(bins: pd.DataFrame) -> pd.DataFrame:
    """Return the bins, with lower bounds of 0 moved to half of the upper bound, because a log axis has no 0."""
    low = bins["weight_low"].where(bins["weight_low"] > 0, bins["weight_high"] / 2)
    return bins.assign(weight_low=low)
