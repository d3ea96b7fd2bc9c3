"""The figure of the scoreboard: a row for each statement that was judged, its distance from the threshold."""

import re

import numpy as np
import pandas as pd
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg

from bert_attention.claims.publications import read_publication
from bert_attention.claims.scoreboard import STATEMENTS
from bert_attention.figures.scoreboard import LOOKS, draw, page_count
from tests.conftest import ROOT
from tests.figures.reading import entries

FILES = sorted((ROOT / "workflow" / "claims").glob("*.yaml"))

CONFIRMED, NOT_CONFIRMED = "confirmed", "not confirmed"


def claim(number, paper="clark", **changes):
    row = {"id": number, "paper": paper, "model": "bert", "label": f"label of {number}", "text": "real"}
    return row | {"finding": CONFIRMED, "counted": True, "lead": 3.0, "control_lead": np.nan} | changes


@pytest.fixture
def board():
    return pd.DataFrame(
        [
            claim("C01-part", control_lead=-4.0),
            claim("C02", finding=NOT_CONFIRMED, lead=-np.inf, text="silver"),
            claim("C03", finding=None, counted=False, lead=np.nan),
            claim("C04", counted=False),
            claim("K01", "kovaleva", finding="inconclusive", lead=0.5),
            claim("K01", "kovaleva", model="another", lead=9.0),
        ]
    )


@pytest.fixture
def clark(board):
    return draw(board)[0]


def test_every_verdict_has_a_look_of_its_own():
    assert set(LOOKS) == set(STATEMENTS)
    for colors_or_markers in zip(*LOOKS.values(), strict=True):
        assert len(set(colors_or_markers)) == len(LOOKS)


def test_every_statement_that_was_judged_has_a_row_once(board):
    """The rows of a paper are a page, and an edition without any has one all the same."""
    pages = draw(board)
    assert [labels(page) for page in pages] == [["label of C01-part", "label of C02"], ["label of K01"]]
    assert [page.texts[0].get_text() for page in pages] == ["Clark et al. 2019", "Kovaleva et al. 2019"]
    assert page_count(board) == len(pages)
    nothing = board.assign(counted=False)
    assert page_count(nothing) == len(draw(nothing)) == 1


def labels(page):
    return [text.get_text() for text in page.axes[0].texts if "label of" in text.get_text()]


def test_italics_mark_automatic_parses(clark):
    assert [text.get_text() for text in clark.axes[0].texts if text.get_style() == "italic"] == ["label of C02"]


def test_points_stand_at_their_distances_beside_random_weights(clark):
    points = [line.get_xydata()[0] for line in clark.axes[0].lines if line.get_marker() != "None"]
    assert [(x, y) for x, y in points if np.isfinite(x)] == [(-4, 0), (3, 0), (-100, 1)]


def test_the_legend_names_the_kinds_that_occur(clark):
    (legend,) = clark.legends
    assert entries(legend) == [CONFIRMED, NOT_CONFIRMED, "random weights"]


def test_labels_are_large_enough_to_read_and_end_before_the_points(clark):
    (label, *_) = [text for text in clark.axes[0].texts if "label of" in text.get_text()]
    assert label.get_fontsize() >= 7
    label.set_text(max((claim["label"] for claim in statements()), key=len))
    right = label.get_window_extent(FigureCanvasAgg(clark).get_renderer()).x1
    assert right <= clark.axes[0].get_window_extent().x0


def statements():
    """Every claim that the figure can show."""
    for file in FILES:
        yield from (claim for claim in read_publication(file).claims if "holds" in claim and "restates" not in claim)


@pytest.mark.parametrize("suffix", ["pdf", "png"])
def test_pages_are_one_file(saved, board, suffix):
    first, second = (saved(draw(board), suffix) for _ in "ab")
    assert first == second
    if suffix == "pdf":
        assert len(re.findall(rb"/Type\s*/Page\b", first)) == 2
