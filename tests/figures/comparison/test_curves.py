"""The figure of curves of the models and of the paper."""

import numpy as np
import pytest

from bert_attention.figures.style import published_at_depth
from bert_attention.papers import paper
from bert_attention.papers.comparison.figures.figure_curves import draw
from tests.comparison.tables import comparison, tables_of_model
from tests.figures.reading import entries, line


@pytest.mark.filterwarnings("error")  # a layout that fails is a warning
@pytest.mark.parametrize("deep", [12, 36])
def test_models_and_the_paper_have_curves_by_relative_depth(saved, deep):
    clark = paper("clark")
    positions, entropy = clark.published("figure_2_positions"), clark.published("figure_4_entropy")
    table = comparison(six=tables_of_model(6), deep=tables_of_model(deep))
    figure = draw(table, *(published_at_depth(curves, [table]) for curves in (positions, entropy)))
    saved(figure, "png")
    panels = {panel.get_title(loc="left")[:3]: panel for panel in figure.axes}
    for name, layers in (("six", 6), ("deep", deep)):
        layer = np.arange(layers) + 1
        expected = {"(b)": (layer + 15) / 2000, "(e)": 4 * layer / layers}
        for letter, values in expected.items():
            np.testing.assert_allclose(line(panels[letter], name).get_xydata().T, [(layer - 0.5) / layers, values])
    published = next(curve for curve in panels["(b)"].lines if curve.get_label().startswith("_"))
    depth, values = published.get_xydata().T
    np.testing.assert_allclose(depth, (np.arange(12) + 0.5) / 12)
    assert values[7] == 0.571  # layer 8
    assert entries(figure.legends[0]) == ["six (6)", f"deep ({deep})", "published"]
