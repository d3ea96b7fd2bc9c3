"""Kobayashi et al. 2021, mixing ratios: what is drawn is what the table says."""

import pytest

from bert_attention.attention.mixing_methods import MIXING_METHODS
from bert_attention.figures import style
from bert_attention.figures.kobayashi.kobayashi_figure_mixing import draw
from tests.figures.reading import line


@pytest.fixture
def table(tables):
    return tables["kobayashi_mixing"]


def test_every_method_is_drawn_by_layer_in_masked_text(table, no_curves):
    (panel,) = draw(table, no_curves).axes
    assert len(panel.lines) == len(MIXING_METHODS)
    masked = table[table["text"] == "masked"]
    rows = masked[(masked["method"] == "attn_res_ln_n") & (masked["layer"] > 0)]
    assert line(panel, "norms, residual, layer norm").get_ydata() == pytest.approx(rows["mixing_ratio"].to_numpy())


def test_the_figure_fits_a_column(table, no_curves):
    assert draw(table, no_curves).get_figwidth() == style.COLUMN_WIDTH
