"""The figure of all models side by side."""

import numpy as np
import pytest
from matplotlib.colors import to_hex

from bert_attention.figures import style
from bert_attention.figures.comparison.comparison_figure_headlines import draw
from tests.comparison.tables import comparison, tables_of_model
from tests.figures.reading import line


def side_by_side(*layers, without_sep=()):
    """Return the table of models a, b, ... with these numbers of layers."""
    models = {name: tables_of_model(number) for name, number in zip("abcdefgh", layers, strict=False)}
    for name in without_sep:
        positions = models[name]["clark_positions"]
        positions.loc[positions["target"] == "sep_from_sep", "attention"] = np.nan
    return comparison(**models)


def panel_of(figure, letter):
    return next(panel for panel in figure.axes if panel.get_title(loc="left").startswith(f"({letter})"))


def test_curves_of_six_and_twelve_layers_share_an_axis():
    figure = draw(side_by_side(6, 12))
    panel = panel_of(figure, "d")
    for name, layers in (("a", 6), ("b", 12)):
        layer = np.arange(layers) + 1
        assert np.allclose(line(panel, name).get_xdata(), (layer - 0.5) / layers)
        assert np.allclose(line(panel, name).get_ydata(), (layer + 20) / 1000)
    assert panel_of(figure, "f").get_xlim() == panel.get_xlim() == (0, 1)


@pytest.mark.filterwarnings("error")  # a layout that fails is a warning
@pytest.mark.parametrize("layers", [(6, 12), (6, 12, 4, 12, 1)])
def test_a_model_looks_the_same_in_all_panels_and_unlike_other_models(saved, layers):
    figure = draw(side_by_side(*layers))
    saved(figure, "png")
    rows = panel_of(figure, "a")
    names = "abcdefgh"[: len(layers)]
    labels = rows.get_yticklabels()
    assert [label.get_text() for label in labels] == [f"{n} ({k})" for n, k in zip(names, layers, strict=True)]
    colors = [to_hex(label.get_color()) for label in labels]
    assert len(set(colors)) == len(layers)
    for letter in "abdef":
        assert [to_hex(line(panel_of(figure, letter), name).get_color()) for name in names] == colors
    dots = panel_of(figure, "g").collections
    assert [to_hex(points.get_facecolor()[0]) for points in dots] == colors


@pytest.mark.filterwarnings("error")
def test_a_missing_number_is_not_measured(saved):
    table = side_by_side(6, 4, 12, without_sep="b")
    figure = draw(table[(table["model"] != "b") | ~table["statistic"].str.startswith("probe")])
    saved(figure, "png")
    (text,) = panel_of(figure, "b").texts
    assert (text.get_text(), text.get_position()[1]) == ("not measured", 1)
    assert {curve.get_label() for curve in panel_of(figure, "e").lines} == {"a", "c"}
    assert not panel_of(figure, "a").texts


def test_rows_show_values_with_intervals_and_baselines():
    panel = panel_of(draw(side_by_side(6, 12)), "b")
    assert list(line(panel, "b").get_xydata()[0]) == [0.75, 1]
    ticks = [mark for mark in panel.lines if mark.get_marker() == "|"]
    assert [mark.get_xydata().tolist() for mark in ticks] == [[[0.55, 0]], [[0.55, 1]]]
    for bar in panel.collections:
        assert bar.get_segments()[0][:, 0] == pytest.approx([0.675, 0.825])
    assert panel.figure.get_figure(root=True).get_figwidth() == style.TEXT_WIDTH
