"""Figures 2, 3, 4 and 6 of Clark et al. 2019 show the values of their tables."""

import itertools

import numpy as np
import pandas as pd
import pytest

from bert_attention.papers.clark.figures import figure_2_positions as clark_figure_2_positions
from bert_attention.papers.clark.figures import figure_3_importance as clark_figure_3_importance
from bert_attention.papers.clark.figures import figure_4_entropy as clark_figure_4_entropy
from bert_attention.papers.clark.figures import figure_6_clusters as clark_figure_6_clusters
from tests.figures.reading import curves_of, entries, line

TARGETS = ("self", "previous", "next", "cls", "sep", "punctuation", "sep_from_sep", "sep_from_other")
KINDS = {"cls": "[CLS]", "sep": "[SEP]", "punctuation": ". and ,", "other": "other tokens"}


def heads(**kinds):
    """Return a table of random positive values for 3 layers of 2 heads and each kind."""
    rows = list(itertools.product(range(1, 4), range(1, 3), *kinds.values()))
    table = pd.DataFrame(rows, columns=["layer", "head", *kinds])
    return table.assign(value=np.random.default_rng(0).uniform(0.1, 0.9, len(table)), n=5)


def layer_means(table, column="value", **kind):
    return table.loc[(table[list(kind)] == pd.Series(kind)).all(axis=1)].groupby("layer")[column].mean().to_numpy()


def published_values(panel, layer):
    return [curve.get_ydata()[layer - 1] for curve in panel.lines if len(curve.get_ydata()) == 12]


def test_the_figure_shows_positions():
    table = heads(target=TARGETS).rename(columns={"value": "attention"})
    figure = clark_figure_2_positions.draw(table, curves_of("clark_figure_2_positions"))
    top, middle, bottom = figure.axes
    counts = [[len(points.get_offsets()) for points in panel.collections] for panel in figure.axes]
    assert counts == [[6] * 3, [6] * 2, [6] * 3]
    for panel, label, target in ((top, "[CLS]", "cls"), (bottom, "previous token", "previous")):
        assert line(panel, label).get_ydata() == pytest.approx(layer_means(table, "attention", target=target))
    assert entries(bottom.get_legend()) == ["next token", "previous token", "current token"]
    assert "published" in entries(top.get_legend())
    assert 0.571 in published_values(top, layer=8)
    assert 0.910 in published_values(middle, layer=8)


@pytest.mark.parametrize("scale", [0.001, 1])
def test_no_point_is_cut_off_if_all_heads_attend_alike(scale):
    table = heads(target=TARGETS).rename(columns={"value": "attention"})
    table["attention"] = 0.008 + scale * 0.01 * table["attention"]
    figure = clark_figure_2_positions.draw(table, curves_of("clark_figure_2_positions").iloc[:0])
    figure.draw_without_rendering()
    for panel in figure.axes:
        inside = panel.get_window_extent()
        for points in panel.collections:
            x, y = panel.transData.transform(points.get_offsets()).T
            radius = np.sqrt(points.get_sizes()[0]) / 2 * figure.dpi / 72
            assert inside.x0 + radius < x.min()
            assert x.max() + radius < inside.x1
            assert y.max() + radius < inside.y1


@pytest.mark.filterwarnings("error")
def test_the_figure_shows_importance(saved):
    """A logarithmic axis cannot show 0, and a figure with 0 has no layout. The head counts in the mean."""
    table = heads(target=KINDS, measure=("gradient", "attention_times_gradient"))
    table.loc[0, "value"] = 0.0
    table.loc[table["target"] == "sep", "value"] = 0.0
    figure = clark_figure_3_importance.draw(table)
    assert saved(figure)
    first, second = figure.axes
    assert sorted(len(points.get_offsets()) for points in first.collections) == [5, 6, 6]
    for panel, measure in ((first, "gradient"), (second, "attention_times_gradient")):
        for target in ("cls", "punctuation", "other"):
            expected = layer_means(table, target=target, measure=measure)
            assert line(panel, KINDS[target]).get_ydata() == pytest.approx(expected)
        assert panel.get_yscale() == "log"
    assert sorted(entries(first.get_legend())) == sorted(KINDS[target] for target in ("cls", "punctuation", "other"))


def test_a_layer_whose_heads_all_have_the_value_0_is_a_gap():
    table = heads(target=KINDS, measure=("gradient", "attention_times_gradient"))
    table.loc[table["layer"] == 2, "value"] = 0.0
    gaps = [layer == 2 for layer in sorted(set(table["layer"]))]
    gradient, _ = clark_figure_3_importance.draw(table).axes
    for label in KINDS.values():
        assert np.isnan(line(gradient, label).get_ydata()).tolist() == gaps


@pytest.mark.parametrize("value", [0.001, 3.0])
def test_types_of_tokens_with_equal_gradients_stand_side_by_side(value):
    table = heads(target=KINDS, measure=("gradient", "attention_times_gradient")).assign(value=value)
    for panel in clark_figure_3_importance.draw(table).axes:
        positions = sorted(line(panel, label).get_xdata()[0] for label in KINDS.values())
        assert np.diff(positions) == pytest.approx(0.2)


def test_the_figure_shows_entropy():
    table = heads(source=("all", "cls")).rename(columns={"value": "entropy"}).assign(uniform=4.5)
    figure = clark_figure_4_entropy.draw(table, curves_of("clark_figure_4_entropy"))
    for panel, source in zip(figure.axes, ("all", "cls"), strict=True):
        assert any(set(curve.get_ydata()) == {4.5} for curve in panel.lines)
        assert line(panel, "layer mean").get_ydata() == pytest.approx(layer_means(table, "entropy", source=source))
    assert 3.89 in published_values(figure.axes[1], layer=12)
    assert entries(figure.axes[0].get_legend()) == ["head", "layer mean", "published"]


def test_the_figure_shows_the_map_of_heads():
    table = heads().assign(x=np.linspace(0.3, -0.4, 6), y=np.linspace(0.1, 0.2, 6) ** 2)
    table["behaviour"] = ("other", "sep", "sep", "coreference", "next", "cls")
    figure = clark_figure_6_clusters.draw(table)
    by_behavior, by_layer, _ = figure.axes
    points = table[["x", "y"]].to_numpy()
    for panel in (by_behavior, by_layer):
        drawn = np.concatenate([found.get_offsets() for found in panel.collections])
        np.testing.assert_allclose(sorted(map(tuple, drawn)), sorted(map(tuple, points)))
        assert np.ptp(panel.get_xlim()) == pytest.approx(np.ptp(panel.get_ylim()))  # the same scale
    names = ["none of these", "to [SEP]", "to [CLS]", "to next token", "2-2 coreference"]
    assert entries(figure.legends[0]) == names
    assert [text.get_text() for text in by_behavior.texts] == ["2-2"]
    to_sep = next(found for found in by_behavior.collections if found.get_label() == "to [SEP]")
    np.testing.assert_allclose(to_sep.get_offsets(), points[1:3])
    assert by_layer.collections[0].get_array().tolist() == [1, 1, 2, 2, 3, 3]
