"""Figure of Kobayashi et al. 2020, section 4.3: do frequent tokens get less attention?"""

from __future__ import annotations

import pandas as pd
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator, NullFormatter

from bert_attention.figures import style
from bert_attention.papers.kobayashi.figures.density_panels import draw_by_rank

_TITLES = {"norm": "(a) length of the transformed vector", "weight": "(b) attention weight"}


def draw(kobayashi_frequency: pd.DataFrame, kobayashi_frequency_bins: pd.DataFrame) -> Figure:
    """Draw tokens' mean norm and mean weight over their frequency rank, without [CLS] and [SEP]."""
    with style.house_style():
        figure, (norm, weight) = draw_by_rank(
            kobayashi_frequency, kobayashi_frequency_bins, "measure", _TITLES, "lower right"
        )
        norm.set_ylabel(r"mean $\Vert f(x)\Vert$")
        norm.legend(loc="upper left")
        weight.set_ylabel(r"mean $\alpha$")
        weight.set_yscale("log")
        weight.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
        weight.yaxis.set_major_formatter("{x:g}")
        weight.yaxis.set_minor_formatter(NullFormatter())
        return figure
