"""Figure 4 of Clark et al. 2019: what is drawn is what the table says."""

import itertools

import pandas as pd
import pytest

from bert_attention.figures.clark.clark_figure_4_entropy import draw
from tests.figures.reading import NO_CURVES, curves_of, entries, line


@pytest.fixture
def clark_entropy():
    rows = [
        {"layer": layer, "head": head, "source": source, "entropy": layer + head / 10, "uniform": 4.5, "n": 5}
        for layer, head in itertools.product((1, 2, 3), (1, 2))
        for source in ("all", "cls")
    ]
    return pd.DataFrame(rows)


def test_the_layer_means_and_the_uniform_line_are_drawn(clark_entropy):
    figure = draw(clark_entropy, NO_CURVES)
    assert len(figure.axes) == 2
    for panel in figure.axes:
        assert any(set(line.get_ydata()) == {4.5} for line in panel.lines)
        assert panel.get_ylabel() == "mean entropy (nats)"
        assert line(panel, "mean of a layer").get_ydata() == pytest.approx([1.15, 2.15, 3.15])


def test_published_curves_are_laid_under_ours(clark_entropy):
    figure = draw(clark_entropy, curves_of("clark_figure_4_entropy"))
    assert any(len(line.get_ydata()) == 12 and line.get_ydata()[11] == 3.89 for line in figure.axes[1].lines)
    assert entries(figure.axes[0].get_legend()) == ["a head", "mean of a layer", "published"]
