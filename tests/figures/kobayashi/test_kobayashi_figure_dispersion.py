"""Kobayashi et al. 2020, how much vectors and weights vary: what is drawn is what the table says."""

import pytest

from bert_attention.figures import style
from bert_attention.figures.kobayashi.kobayashi_figure_dispersion import draw
from tests.figures.reading import line


@pytest.fixture
def table(tables):
    return tables["kobayashi_dispersion"]


def test_the_ratio_is_drawn_without_the_row_of_averages(table, no_curves):
    vectors, weights = draw(table, no_curves).axes
    rows = table[(table["vector"] == "input") & (table["layer"] > 0)]
    assert line(vectors, "input vector").get_ydata() == pytest.approx(rows["cv"].to_numpy())
    rows = table[(table["vector"] == "weighted") & (table["layer"] > 0)]
    assert line(weights, "weighted vector").get_ydata() == pytest.approx(rows.groupby("layer")["cv"].mean().to_numpy())


def test_the_figure_fits_a_column(table, no_curves):
    assert draw(table, no_curves).get_figwidth() == style.COLUMN_WIDTH
