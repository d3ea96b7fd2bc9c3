"""Figure of Kobayashi et al. 2021: do vectors of frequent tokens take more from other tokens?"""

from __future__ import annotations

import pandas as pd
from matplotlib.figure import Figure

from bert_attention.figures import style
from bert_attention.papers.kobayashi.columns import MIXING_LABELS
from bert_attention.papers.kobayashi.figures.density_panels import draw_by_rank

# Mixing ratios of attention alone, and with residual connection and layer normalization.
_TITLES = {"attn_n": f"(a) {MIXING_LABELS['attn_n']}", "attn_res_ln_n": f"(b) {MIXING_LABELS['attn_res_ln_n']}"}


def draw(kobayashi_mixing_frequency: pd.DataFrame, kobayashi_mixing_frequency_bins: pd.DataFrame) -> Figure:
    """Draw tokens' mixing ratios over their frequency rank, in the whole text, without [CLS] and [SEP]."""
    table, bins = (t[t["text"] == "whole"] for t in (kobayashi_mixing_frequency, kobayashi_mixing_frequency_bins))
    bins = bins[bins["method"].isin(_TITLES)]
    with style.house_style():
        figure, panels = draw_by_rank(table, bins, "method", _TITLES, "upper right")
        for panel, method in zip(panels, _TITLES, strict=True):
            cells = bins[bins["method"] == method]
            style.percent_axis(panel, "mixing ratio")
            panel.set_ylim(cells["value_low"].min(), cells["value_high"].max())
        panels[0].legend(loc="lower left")
        return figure
