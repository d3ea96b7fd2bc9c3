"""The figure of the scoreboard: a row for each statement that was judged, its distance from the threshold."""

import numpy as np
import pandas as pd
import pytest

from bert_attention.claims.scoreboard import STATEMENTS
from bert_attention.figures.scoreboard import COLORS, draw
from tests.figures.reading import entries

CONFIRMED, NOT_CONFIRMED = "confirmed", "not confirmed"


def claim(number, paper="clark", **changes):
    row = {"id": number, "paper": paper, "model": "bert", "label": f"label of {number}", "text": "real"}
    return row | {"finding": CONFIRMED, "counted": True, "lead": 3.0, "control_lead": np.nan} | changes


@pytest.fixture
def figure():
    table = pd.DataFrame(
        [
            claim("C01-part", control_lead=-4.0),
            claim("C02", finding=NOT_CONFIRMED, lead=-np.inf, text="silver"),
            claim("C03", finding=None, counted=False, lead=np.nan),
            claim("C04", counted=False),
            claim("K01", "kovaleva", finding="inconclusive", lead=0.5),
            claim("K01", "kovaleva", model="another", lead=9.0),
        ]
    )
    return draw(table)


def test_every_kind_of_statement_has_a_colour():
    assert set(COLORS) == set(STATEMENTS)


def test_every_statement_that_was_judged_has_a_row_once(figure):
    texts = [text for axes in figure.axes for text in axes.texts]
    labels = [text.get_text() for text in texts if "label of" in text.get_text()]
    assert labels == ["label of C01-part  C01", "label of C02  C02", "label of K01  K01"]
    assert [text.get_text() for text in texts if text.get_style() == "italic"] == ["label of C02  C02"]
    assert {"Clark et al. 2019", "Kovaleva et al. 2019"} <= {text.get_text() for text in texts}


def test_points_stand_at_their_distances_beside_random_weights(figure):
    offsets = [dots.get_offsets()[0] for axes in figure.axes for dots in axes.collections if len(dots.get_offsets())]
    found = {(float(x), int(y)) for x, y in np.ma.filled(offsets, np.nan) if np.isfinite(x)}
    assert {(3.0, 1), (-4.0, 1), (-100.0, 2), (0.5, 1)} <= found


def test_the_legend_names_the_kinds_that_occur(figure):
    (legend,) = figure.legends
    assert {CONFIRMED, NOT_CONFIRMED, "random weights"} <= set(entries(legend))
    assert "true, no control applies" not in entries(legend)
