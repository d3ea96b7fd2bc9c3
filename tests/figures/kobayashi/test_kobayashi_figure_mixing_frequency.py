"""Kobayashi et al. 2021, mixing ratios of frequent tokens: what is drawn is what the tables say."""

import numpy as np
import pytest

from bert_attention.figures import style
from bert_attention.figures.kobayashi.kobayashi_figure_mixing_frequency import draw
from tests.figures.kobayashi.reading import note
from tests.figures.reading import line


@pytest.fixture
def table(tables):
    return tables["kobayashi_mixing_frequency"]


@pytest.fixture
def bins(tables):
    return tables["kobayashi_mixing_frequency_bins"]


def test_all_points_of_the_whole_text_are_drawn_and_the_correlation_without_specials(table, bins, no_curves):
    attention, everything, _ = draw(table, bins, no_curves).axes
    for panel, method in ((attention, "attn_n"), (everything, "attn_res_ln_n")):
        rows = bins[(bins["method"] == method) & (bins["text"] == "whole")]
        assert panel.collections[0].get_array().compressed().sum() == rows["n"].sum()
        assert (panel.get_xscale(), panel.get_yscale()) == ("log", "linear")
        lowest = rows["rank_low"] == rows["rank_low"].min()
        middles = (rows["value_low"] + rows["value_high"]) / 2
        expected = np.average(middles[lowest], weights=rows["n"][lowest])
        assert line(panel, "mean").get_ydata()[0] == pytest.approx(expected)
        row = table[(table["layer"] == 0) & (table["method"] == method) & (table["tokens"] == "without_specials")]
        value = row[row["text"] == "whole"]["spearman"].item()
        assert f"{value:.2f}".replace("-", "\N{MINUS SIGN}") in note(panel)


def test_the_figure_fits_a_column(table, bins, no_curves):
    assert draw(table, bins, no_curves).get_figwidth() == style.COLUMN_WIDTH
