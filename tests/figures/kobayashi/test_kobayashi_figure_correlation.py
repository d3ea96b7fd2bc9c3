"""Kobayashi et al. 2020, weight and length of all pairs: what is drawn is what the tables say, and files are stable."""

import numpy as np
import pytest

from bert_attention.figures import style
from bert_attention.figures.kobayashi.kobayashi_figure_correlation import draw
from bert_attention.kobayashi.correlation import correlation
from tests.figures.kobayashi.reading import note
from tests.kobayashi.sequences import random_sequence


@pytest.fixture
def table(tables):
    return tables["kobayashi_correlation"]


@pytest.fixture
def bins(tables):
    return tables["kobayashi_correlation_bins"]


def test_all_cells_of_each_category_are_drawn(table, bins, no_curves):
    figure = draw(table, bins, no_curves)
    for panel, category in zip(figure.axes, ("cls", "sep", "punctuation", "other"), strict=False):
        shades = panel.collections[0].get_array()
        counts = bins[bins["category"] == category]["n"]
        assert np.sort(shades.compressed()) == pytest.approx(np.sort(counts / counts.max()))
    spearman = table.set_index("category")["spearman"]
    value = f"{spearman['sep']:.2f}".replace("-", "\N{MINUS SIGN}")
    assert value in note(figure.axes[1])


def test_the_panel_of_a_category_without_tokens_is_empty(no_curves):
    figure = draw(**correlation([random_sequence(0, 9, punctuation=False)]), published=no_curves)
    assert [len(panel.collections) for panel in figure.axes[:4]] == [1, 1, 0, 1]


def test_the_figure_fits_a_column(table, bins, no_curves):
    assert draw(table, bins, no_curves).get_figwidth() == style.COLUMN_WIDTH


def test_the_same_tables_give_the_same_bytes(table, bins, no_curves, saved):
    first, second = (saved(draw(table, bins, no_curves)) for _ in "ab")
    assert first == second
