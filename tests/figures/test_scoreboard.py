"""The figure of the scoreboard: a row with the effect beyond the threshold for each judged statement."""

import re

import numpy as np
import pandas as pd
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg

from bert_attention.figures.scoreboard import draw, page_count
from bert_attention.papers import paper
from bert_attention.results import results
from tests.figures.reading import entries


def claim(number, paper="clark", **changes):
    row = {
        "id": number,
        "paper": paper,
        "work": f"{paper.title()} et al. 2019",
        "model": "bert",
        "label": f"label of {number}",
        "text": "real",
        "provenance": "transcribed",
    }
    row |= {"finding": "confirmed", "counted": True, "unit": "points", "smallest": 0.01, "gain": np.nan}
    return row | {"effect": 0.03, "effect_low": 0.02, "effect_high": 0.04} | changes


BOARD = pd.DataFrame(
    [
        claim("C01-part", gain=0.07),
        claim(
            "C02", finding="not confirmed", effect=-0.4, smallest=0.0, unit="\N{GREEK SMALL LETTER RHO}", text="silver"
        ),
        claim("C03", finding=None, counted=False, effect=np.nan),
        claim("C04", counted=False),
        claim("K01", "kovaleva", finding="inconclusive", effect=0.005, text="model-labeled", provenance="recalled"),
        claim("K01", "kovaleva", model="another", effect=0.09),
        claim("K02", "kovaleva", work="Kovaleva et al. 2020"),
    ]
)


def labels(page):
    return [text for text in page.axes[0].texts if "label of" in text.get_text()]


def test_every_judged_statement_has_one_row():
    pages = draw(BOARD)
    texts = [[label.get_text() for label in labels(page)] for page in pages]
    assert texts == [["label of C01-part", "label of C02"], ["label of K01\N{DAGGER}"], ["label of K02"]]
    titles = ["Clark et al. 2019", "Kovaleva et al. 2019", "Kovaleva et al. 2020"]
    assert [page.texts[0].get_text() for page in pages] == titles
    assert page_count(BOARD) == len(pages)
    nothing = BOARD.assign(counted=False)
    assert page_count(nothing) == len(draw(nothing)) == 1


def test_points_are_at_their_effects_with_intervals_beside_random_weights():
    clark = draw(BOARD)[0]
    points = [line.get_xydata()[0] for line in clark.axes[0].lines if line.get_marker() != "None"]
    # An effect is a multiple of the smallest one, here of a point, or that of a rank correlation.
    drawn = [tuple(point) for point in points if np.isfinite(point[0])]
    assert np.allclose(drawn, [(-4, 0), (3, 0), (-4, 1)])
    intervals = [line.get_xdata() for line in clark.axes[0].lines if line.get_linewidth() == 1.2]
    assert intervals[0] == pytest.approx([2, 4])
    assert [label.get_style() for label in labels(clark)] == ["normal", "italic"]  # italics mark automatic parses
    assert entries(clark.legends[0]) == ["confirmed", "not confirmed", "random weights"]


@pytest.mark.parametrize("effect", [0.5, -3.0])
def test_the_axis_holds_every_effect(effect):
    far = draw(pd.DataFrame([claim("C01", effect=effect, effect_low=effect - 1, effect_high=effect + 1)]))[0].axes[0]
    left, right = far.get_xlim()
    assert left < 100 * (effect - 1)
    assert 100 * (effect + 1) < right


def test_the_longest_label_is_readable_and_ends_before_the_points():
    claims = [
        claim for name in results().papers for claim in paper(name).claims if claim.true_if and not claim.restates
    ]
    clark = draw(BOARD)[0]
    label = labels(clark)[0]
    assert label.get_fontsize() >= 7
    label.set_text(max((claim.label for claim in claims), key=len))
    right = label.get_window_extent(FigureCanvasAgg(clark).get_renderer()).x1
    assert right <= clark.axes[0].get_window_extent().x0


@pytest.mark.parametrize("suffix", ["pdf", "png"])
def test_all_pages_are_saved_in_one_file(saved, suffix):
    first, second = (saved(draw(BOARD), suffix) for _ in "ab")
    assert first == second
    if suffix == "pdf":
        assert len(re.findall(rb"/Type\s*/Page\b", first)) == 3
