"""Figure 1 of Clark et al. 2019: a panel for each behaviour, with a line for each visible weight."""

import pandas as pd

from bert_attention.figures.clark.clark_figure_1_patterns import draw
from tests.figures.clark.head_pictures import TO_NEXT, drawn_lines, pairs


def test_each_behaviour_has_its_panel(saved):
    table = pd.concat(
        [
            pairs([[0.25] * 4] * 4, layer=1, head=1, behaviour="broad", sequence=1),
            pairs(TO_NEXT, layer=3, head=1, behaviour="next", sequence=1),
        ],
        ignore_index=True,
    )
    figure = draw(table)
    assert [axes.get_title() for axes in figure.axes] == ["head 1-1\nattends broadly", "head 3-1\nnext token"]
    assert len(drawn_lines(figure.axes[0])) == 16
    assert saved(figure)  # a word with dollar signs is no formula
