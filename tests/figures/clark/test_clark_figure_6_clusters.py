"""Figure 6 of Clark et al. 2019: every head is drawn once in each panel, at its place."""

import itertools

import numpy as np
import pandas as pd
import pytest

from bert_attention.figures.clark.clark_figure_6_clusters import draw
from tests.figures.reading import entries

BEHAVIORS = ("other", "sep", "sep", "punctuation", "next", "cls")


@pytest.fixture
def clark_head_map():
    heads = list(itertools.product((1, 2, 3), (1, 2)))
    places = np.random.default_rng(0).normal(size=(len(heads), 2)) * (0.4, 0.2)
    return pd.DataFrame(
        {
            "layer": [layer for layer, _ in heads],
            "head": [head for _, head in heads],
            "x": places[:, 0],
            "y": places[:, 1],
            "behaviour": BEHAVIORS,
        }
    )


def drawn(panel):
    return np.concatenate([points.get_offsets() for points in panel.collections])


def test_every_head_is_in_both_panels(clark_head_map):
    places = clark_head_map[["x", "y"]].to_numpy()
    figure = draw(clark_head_map)
    for panel in figure.axes[:2]:
        np.testing.assert_allclose(sorted(map(tuple, drawn(panel))), sorted(map(tuple, places)))
        assert np.ptp(panel.get_xlim()) == pytest.approx(np.ptp(panel.get_ylim()))  # of one scale
        assert panel.get_xlim()[0] < places[:, 0].min() < places[:, 0].max() < panel.get_xlim()[1]
        assert panel.get_ylim()[0] < places[:, 1].min() < places[:, 1].max() < panel.get_ylim()[1]


def test_the_legend_tells_the_behaviors_that_there_are(clark_head_map):
    figure = draw(clark_head_map)
    assert entries(figure.legends[0]) == ["none of these", "to [SEP]", "to . and ,", "to [CLS]", "to next token"]
    of_sep = next(points for points in figure.axes[0].collections if points.get_label() == "to [SEP]")
    np.testing.assert_allclose(of_sep.get_offsets(), clark_head_map.loc[1:2, ["x", "y"]])


def test_layers_have_colors_of_their_own(clark_head_map):
    figure = draw(clark_head_map)
    assert figure.axes[1].collections[0].get_array().tolist() == [1, 1, 2, 2, 3, 3]
    bar = figure.axes[2]
    assert bar.get_ylabel() == "layer"
    assert [tick.get_text() for tick in bar.get_yticklabels()] == ["1", "2", "3"]


def test_a_named_head_stands_beside_its_star_and_in_the_legend(clark_head_map):
    clark_head_map.loc[3, "behaviour"] = "coreference"
    figure = draw(clark_head_map)
    assert "2-2 coreference" in entries(figure.legends[0])
    assert [text.get_text() for text in figure.axes[0].texts] == ["2-2"]
    assert len(drawn(figure.axes[0])) == len(clark_head_map)
