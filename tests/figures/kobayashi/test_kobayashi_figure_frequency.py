"""Kobayashi et al. 2020, frequent tokens: what is drawn is what the tables say."""

import numpy as np
import pytest

from bert_attention.figures import style
from bert_attention.figures.kobayashi.kobayashi_figure_frequency import draw
from tests.figures.kobayashi.reading import note
from tests.figures.reading import line


@pytest.fixture
def table(tables):
    return tables["kobayashi_frequency"]


@pytest.fixture
def bins(tables):
    return tables["kobayashi_frequency_bins"]


def test_all_points_are_drawn_and_the_correlation_without_specials(table, bins, no_curves):
    norm, weight, _ = draw(table, bins, no_curves).axes
    assert (weight.get_xscale(), weight.get_yscale(), norm.get_yscale()) == ("log", "log", "linear")
    for panel, measure in ((norm, "norm"), (weight, "weight")):
        rows = bins[bins["measure"] == measure]
        assert panel.collections[0].get_array().compressed().sum() == rows["n"].sum()
        middles = (rows["value_low"] + rows["value_high"]) / 2
        highest = rows["rank_low"] == rows["rank_low"].max()
        expected = np.average(middles[highest], weights=rows["n"][highest])
        assert line(panel, "mean").get_ydata()[-1] == pytest.approx(expected)
        row = table[(table["layer"] == 0) & (table["measure"] == measure) & (table["tokens"] == "without_specials")]
        assert f"{row['spearman'].item():.2f}".lstrip("-") in note(panel)


def test_the_figure_fits_a_column(table, bins, no_curves):
    assert draw(table, bins, no_curves).get_figwidth() == style.COLUMN_WIDTH
