"""Figure of Kobayashi et al. 2020, section 4.3: do frequent tokens get less attention?"""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.colors import LogNorm
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator, NullFormatter

from bert_attention.figures import style
from bert_attention.figures.kobayashi.density_panels import add_colour_bar, draw_density, note_correlation


def draw(kobayashi_frequency: pd.DataFrame, kobayashi_frequency_bins: pd.DataFrame, published: pd.DataFrame) -> Figure:
    """What tokens get, by norm and by weight, over the rank of their frequency; [CLS] and [SEP] are left out.

    ``published`` is not drawn: it has no curve for this figure.
    """
    of_all_layers = kobayashi_frequency[kobayashi_frequency["layer"] == 0]
    spearman = of_all_layers[of_all_layers["tokens"] == "without_specials"].set_index("measure")["spearman"]
    shades = LogNorm(1, kobayashi_frequency_bins["n"].max())
    with style.house_style():
        figure, axes = style.panels(2, panel_height=1.6)
        for panel, measure, title, label in (
            (axes[0], "norm", "(a) length of the transformed vector", r"mean $\Vert f(x)\Vert$"),
            (axes[1], "weight", "(b) attention weight", r"mean $\alpha$"),
        ):
            cells = kobayashi_frequency_bins[kobayashi_frequency_bins["measure"] == measure]
            mesh = draw_density(panel, cells, "rank", "value", "n", shades)
            panel.plot(*_means(cells), color=style.VERMILION, linewidth=1.2, label="mean")
            panel.set_title(title)
            panel.set_ylabel(label)
            note_correlation(panel, spearman[measure], "lower right")
        axes[1].set_yscale("log")
        axes[1].yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
        axes[1].yaxis.set_major_formatter("{x:g}")
        axes[1].yaxis.set_minor_formatter(NullFormatter())
        axes[0].legend(loc="upper left")
        axes[1].set_xlabel("frequency rank of the token")
        figure.align_ylabels(axes)
        add_colour_bar(figure, mesh, axes, "tokens")
        return figure


def _means(cells: pd.DataFrame) -> tuple[np.ndarray, np.ndarray]:
    """The middle of each range of ranks, and the mean of the values in it."""
    middles = cells.assign(
        rank=np.sqrt(cells["rank_low"] * cells["rank_high"]),
        total=(cells["value_low"] + cells["value_high"]) / 2 * cells["n"],
    )
    sums = middles.groupby("rank")[["total", "n"]].sum()
    return sums.index.to_numpy(), (sums["total"] / sums["n"]).to_numpy()
