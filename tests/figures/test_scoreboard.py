"""The figure of the scoreboard: a row for each claim that was measured, points where their numbers are."""

import numpy as np
import pandas as pd
import pytest

from bert_attention.figures.scoreboard import draw


def claim(number, paper="clark", **changes):
    row = {
        "id": number,
        "paper": paper,
        "model": "bert",
        "label": f"label of {number}",
        "verdict": "reproduced",
        "direction": None,
    }
    numbers = dict.fromkeys(["published", "published_low", "published_high", "replicated", "low", "high"], np.nan)
    return row | numbers | {"published": 0.5, "replicated": 0.4} | changes


@pytest.fixture
def figure():
    table = pd.DataFrame(
        [
            claim("C01"),
            claim("C02", published=473, replicated=500, verdict="direction only"),
            claim("C03", published=0.1, replicated=-0.2, verdict="not comparable", direction="holds"),
            claim("C04", verdict="not measured", replicated=np.nan),
            claim("C05", published=np.nan),
            claim("K01", "kovaleva", published=0.2, published_low=0.1, published_high=0.3),
            claim("K01", "kovaleva", model="another", replicated=0.9),
        ]
    )
    return draw(table)


def test_every_claim_with_two_numbers_has_a_row_once(figure):
    texts = [text.get_text() for axes in figure.axes for text in axes.texts]
    labels = [text for text in texts if "label of" in text]
    assert labels == ["C01 label of C01", "C02 label of C02 (÷1000)", "C03 label of C03", "K01 label of K01"]
    assert {"Clark et al. 2019", "Kovaleva et al. 2019"} <= set(texts)
    assert "Vig 2019" not in texts


def test_points_stand_at_their_numbers(figure):
    points = [axes.collections for axes in figure.axes]
    offsets = [tuple(dots.get_offsets()[0]) for column in points for dots in column if len(dots.get_offsets())]
    found = {(round(float(x), 3), int(y)) for x, y in offsets if np.isfinite(float(x))}
    assert {(0.5, 1), (0.4, 1), (0.473, 0), (0.5, 0), (-0.2, 1), (0.2, 1)} <= found


def test_the_legend_names_the_verdicts_that_occur(figure):
    (legend,) = figure.legends
    labels = [text.get_text() for text in legend.get_texts()]
    assert "reproduced" in labels
    assert "not comparable: the statement is true here" in labels
    assert "not reproduced" not in labels
