"""Kobayashi et al. 2020, what heads take from each kind of token: what is drawn is what the table says."""

import pytest

from bert_attention.figures import style
from bert_attention.figures.kobayashi.kobayashi_figure_categories import draw
from tests.figures.reading import line
from tests.kobayashi.sequences import HEADS, LAYERS


@pytest.fixture
def table(tables):
    return tables["kobayashi_categories"]


def test_every_head_is_drawn_by_weight_and_norm_and_the_layers_shares(table, no_curves):
    weight, norm, share = draw(table, no_curves).axes
    for panel, measure in ((weight, "weight"), (norm, "norm")):
        assert [len(points.get_offsets()) for points in panel.collections] == [LAYERS * HEADS] * 4
        rows = table[(table["measure"] == measure) & (table["category"] == "sep") & table["head"].notna()]
        assert line(panel, "[SEP]").get_ydata() == pytest.approx(rows.groupby("layer")["value"].mean().to_numpy())
        of_layers = table[(table["measure"] == measure) & (table["category"] == "sep") & table["head"].isna()]
        assert line(panel, "[SEP]").get_ydata() == pytest.approx(of_layers["value"].to_numpy(), rel=1e-5)
    rows = table[(table["measure"] == "share_of_norm_of_sum") & (table["category"] == "other")]
    assert line(share, "other tokens").get_ydata() == pytest.approx(rows["value"].to_numpy())
    assert share.get_xlabel() == "layer"


def test_the_figure_fits_a_column(table, no_curves):
    assert draw(table, no_curves).get_figwidth() == style.COLUMN_WIDTH
