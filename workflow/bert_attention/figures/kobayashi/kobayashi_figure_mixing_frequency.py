"""Figure of Kobayashi et al. 2021: do vectors of frequent tokens take more from other tokens?"""

from __future__ import annotations

import pandas as pd
from matplotlib.colors import LogNorm
from matplotlib.figure import Figure

from bert_attention.figures import style
from bert_attention.figures.kobayashi.density_panels import add_colour_bar, draw_density, draw_means, note_correlation
from bert_attention.kobayashi.column_values import MIXING_LABELS

_METHODS = ("attn_n", "attn_res_ln_n")  # of attention alone, and of all that the paper looks at


def draw(kobayashi_mixing_frequency: pd.DataFrame, kobayashi_mixing_frequency_bins: pd.DataFrame) -> Figure:
    """Mixing ratios of tokens over the rank of their frequency, in the whole text; [CLS] and [SEP] are left out."""
    table, bins = (t[t["text"] == "whole"] for t in (kobayashi_mixing_frequency, kobayashi_mixing_frequency_bins))
    bins = bins[bins["method"].isin(_METHODS)]
    words = table.query("layer == 0 and tokens == 'without_specials'").set_index("method")
    spearman = words[["spearman", "low", "high"]]
    shades = LogNorm(1, bins["n"].max())
    with style.house_style():
        figure, axes = style.panels(len(_METHODS), panel_height=1.6)
        for panel, method, letter in zip(axes, _METHODS, "ab", strict=True):
            cells = bins[bins["method"] == method]
            mesh = draw_density(panel, cells, "rank", "value", "n", shades)
            draw_means(panel, cells)
            style.percent_axis(panel, "mixing ratio")
            panel.set_ylim(cells["value_low"].min(), cells["value_high"].max())
            panel.set_title(f"({letter}) {MIXING_LABELS[method]}")
            note_correlation(panel, spearman.loc[method], "upper right")
        axes[0].legend(loc="lower left")
        axes[-1].set_xlabel("frequency rank of the token")
        figure.align_ylabels(axes)
        add_colour_bar(figure, mesh, axes, "tokens")
        return figure
