"""Figures of Clark et al. 2019: what is drawn is what the table says, and files are stable."""

import itertools

import pandas as pd
import pytest

from bert_attention.claims import published_curves
from bert_attention.figures import clark, style
from tests.conftest import ROOT

CLAIMS = ROOT / "workflow" / "claims" / "clark.yaml"
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


@pytest.fixture
def clark_entropy():
    rows = [
        {"layer": layer, "head": head, "source": source, "entropy": layer + head / 10, "uniform": 4.5, "n": 5}
        for layer, head in HEADS
        for source in ("all", "cls")
    ]
    return pd.DataFrame(rows)


NOTHING = published_curves(None, 0)


def line(axes, label):
    return next(line for line in axes.lines if line.get_label() == label)


def test_figure_2_draws_every_head_and_the_layer_means(clark_positions):
    figure = clark.figure_2(clark_positions, NOTHING)
    top, middle, bottom = figure.axes
    assert [len(panel.collections) for panel in (top, middle, bottom)] == [3, 2, 3]
    assert all(len(points.get_offsets()) == len(HEADS) for panel in figure.axes for points in panel.collections)
    cls = clark_positions[clark_positions["target"] == "cls"].groupby("layer")["attention"].mean()
    assert line(top, "[CLS]").get_ydata() == pytest.approx(cls.to_numpy())
    assert [text.get_text() for text in bottom.get_legend().get_texts()] == [
        "next token",
        "previous token",
        "current token",
    ]
    previous = clark_positions[clark_positions["target"] == "previous"].groupby("layer")["attention"].mean()
    assert line(bottom, "previous token").get_ydata() == pytest.approx(previous.to_numpy())


def test_figure_4_shows_the_uniform_line(clark_entropy):
    figure = clark.figure_4(clark_entropy, NOTHING)
    assert len(figure.axes) == 2
    for panel in figure.axes:
        assert any(set(line.get_ydata()) == {4.5} for line in panel.lines)
        assert panel.get_ylabel() == "mean entropy (nats)"
        assert line(panel, "mean of a layer").get_ydata() == pytest.approx([1.15, 2.15, 3.15])


def test_published_curves_are_laid_under_ours(clark_positions, clark_entropy):
    figure = clark.figure_2(clark_positions, published_curves(CLAIMS, 2))
    top, middle, bottom = figure.axes
    assert "published" in [text.get_text() for text in top.get_legend().get_texts()]
    assert "published" not in [text.get_text() for text in bottom.get_legend().get_texts()]
    assert bottom.get_xlim() == (0.5, 12.5)
    assert any(len(line.get_ydata()) == 12 and line.get_ydata()[7] == 0.571 for line in top.lines)
    assert any(len(line.get_ydata()) == 12 and line.get_ydata()[7] == 0.910 for line in middle.lines)
    figure = clark.figure_4(clark_entropy, published_curves(CLAIMS, 4))
    assert any(len(line.get_ydata()) == 12 and line.get_ydata()[11] == 3.89 for line in figure.axes[1].lines)


@pytest.mark.parametrize("suffix", ["pdf", "png", "svg"])
def test_the_same_table_gives_the_same_bytes(tmp_path, clark_entropy, suffix):
    paths = [tmp_path / f"{name}.{suffix}" for name in "ab"]
    for path in paths:
        style.save(clark.figure_4(clark_entropy, NOTHING), path)
    assert paths[0].read_bytes() == paths[1].read_bytes()
    assert len(paths[0].read_bytes()) > 2000


def test_figures_fit_a_column(clark_positions):
    assert clark.figure_2(clark_positions, NOTHING).get_figwidth() == style.COLUMN_WIDTH
