"""The figure of all models side by side."""

import numpy as np
import pytest
from matplotlib.colors import to_hex

from bert_attention.papers.comparison.figures.figure_headlines import draw
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


@pytest.mark.filterwarnings("error")  # a layout that fails is a warning
def test_models_have_rows_curves_and_the_same_look_in_all_panels(saved):
    numbers = (6, 12, 4, 12, 1)
    figure = draw(side_by_side(*numbers))
    saved(figure, "png")
    names = "abcde"
    labels = panel_of(figure, "a").get_yticklabels()
    assert [label.get_text() for label in labels] == [f"{n} ({k})" for n, k in zip(names, numbers, strict=True)]
    colors = [to_hex(label.get_color()) for label in labels]
    assert len(set(colors)) == len(names)
    for letter in "abdef":
        assert [to_hex(line(panel_of(figure, letter), name).get_color()) for name in names] == colors
    assert [to_hex(points.get_facecolor()[0]) for points in panel_of(figure, "g").collections] == colors
    curves = panel_of(figure, "d")
    for name, layers in (("a", 6), ("b", 12)):
        layer = np.arange(layers) + 1
        np.testing.assert_allclose(line(curves, name).get_xydata().T, [(layer - 0.5) / layers, (layer + 20) / 1000])
    assert panel_of(figure, "f").get_xlim() == curves.get_xlim() == (0, 1)
    probes = panel_of(figure, "b")
    assert list(line(probes, "b").get_xydata()[0]) == [0.75, 1]
    ticks = [mark.get_xydata().tolist() for mark in probes.lines if mark.get_marker() == "|"]
    assert ticks == [[[0.55, row]] for row in range(5)]
    for bar in probes.collections:
        assert bar.get_segments()[0][:, 0] == pytest.approx([0.675, 0.825])


@pytest.mark.filterwarnings("error")
def test_a_missing_number_is_not_measured(saved):
    table = side_by_side(6, 4, 12, without_sep="b")
    figure = draw(table[(table["model"] != "b") | ~table["statistic"].str.startswith("probe")])
    saved(figure, "png")
    (text,) = panel_of(figure, "b").texts
    assert (text.get_text(), text.get_position()[1]) == ("not measured", 1)
    assert {curve.get_label() for curve in panel_of(figure, "e").lines} == {"a", "c"}
    assert not panel_of(figure, "a").texts
