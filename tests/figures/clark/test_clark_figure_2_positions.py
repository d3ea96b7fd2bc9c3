"""Figure 2 of Clark et al. 2019: what is drawn is what the table says."""

import itertools

import pandas as pd
import pytest

from bert_attention.figures import style
from bert_attention.figures.clark.clark_figure_2_positions import draw
from tests.figures.reading import NO_CURVES, curves_of, entries, line

HEADS = list(itertools.product((1, 2, 3), (1, 2)))


@pytest.fixture
def clark_positions():
    rows = [
        {"layer": layer, "head": head, "target": target, "attention": layer / 10 + head / 100 + place / 1000, "n": 5}
        for layer, head in HEADS
        for place, target in enumerate(
            ("self", "previous", "next", "cls", "sep", "punctuation", "sep_from_sep", "sep_from_other")
        )
    ]
    return pd.DataFrame(rows)


def test_every_head_and_the_layer_means_are_drawn(clark_positions):
    figure = draw(clark_positions, NO_CURVES)
    top, middle, bottom = figure.axes
    assert figure.get_figwidth() == style.COLUMN_WIDTH
    assert [len(panel.collections) for panel in (top, middle, bottom)] == [3, 2, 3]
    assert all(len(points.get_offsets()) == len(HEADS) for panel in figure.axes for points in panel.collections)
    cls = clark_positions[clark_positions["target"] == "cls"].groupby("layer")["attention"].mean()
    assert line(top, "[CLS]").get_ydata() == pytest.approx(cls.to_numpy())
    assert entries(bottom.get_legend()) == ["next token", "previous token", "current token"]
    previous = clark_positions[clark_positions["target"] == "previous"].groupby("layer")["attention"].mean()
    assert line(bottom, "previous token").get_ydata() == pytest.approx(previous.to_numpy())


def test_published_curves_are_laid_under_ours(clark_positions):
    figure = draw(clark_positions, curves_of("clark_figure_2_positions"))
    top, middle, bottom = figure.axes
    assert "published" in entries(top.get_legend())
    assert "published" not in entries(bottom.get_legend())
    assert bottom.get_xlim() == (0.5, 12.5)
    assert any(len(line.get_ydata()) == 12 and line.get_ydata()[7] == 0.571 for line in top.lines)
    assert any(len(line.get_ydata()) == 12 and line.get_ydata()[7] == 0.910 for line in middle.lines)
