"""Figure of Kobayashi et al. 2020, section 4.3: do frequent tokens get less attention?"""

from __future__ import annotations

import pandas as pd
from matplotlib.colors import LogNorm
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator, NullFormatter

from bert_attention.figures import style
from bert_attention.figures.kobayashi.density_panels import add_colour_bar, draw_density, draw_means, note_correlation


def draw(kobayashi_frequency: pd.DataFrame, kobayashi_frequency_bins: pd.DataFrame) -> Figure:
    """What tokens get, by norm and by weight, over the rank of their frequency; [CLS] and [SEP] are left out."""
    words = kobayashi_frequency.query("layer == 0 and tokens == 'without_specials'").set_index("measure")
    spearman = words[["spearman", "low", "high"]]
    shades = LogNorm(1, kobayashi_frequency_bins["n"].max())
    with style.house_style():
        figure, axes = style.panels(2, panel_height=1.6)
        for panel, measure, title, label in (
            (axes[0], "norm", "(a) length of the transformed vector", r"mean $\Vert f(x)\Vert$"),
            (axes[1], "weight", "(b) attention weight", r"mean $\alpha$"),
        ):
            cells = kobayashi_frequency_bins[kobayashi_frequency_bins["measure"] == measure]
            mesh = draw_density(panel, cells, "rank", "value", "n", shades)
            draw_means(panel, cells)
            panel.set_title(title)
            panel.set_ylabel(label)
            note_correlation(panel, spearman.loc[measure], "lower right")
        axes[1].set_yscale("log")
        axes[1].yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
        axes[1].yaxis.set_major_formatter("{x:g}")
        axes[1].yaxis.set_minor_formatter(NullFormatter())
        axes[0].legend(loc="upper left")
        axes[1].set_xlabel("frequency rank of the token")
        figure.align_ylabels(axes)
        add_colour_bar(figure, mesh, axes, "tokens")
        return figure
