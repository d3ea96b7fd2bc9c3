"""Figure 3 of Kovaleva et al. 2019: heat maps of layers by heads."""

import itertools

import pandas as pd
import pytest
from matplotlib.colors import to_hex
from matplotlib.patches import Rectangle

from bert_attention.figures import style
from bert_attention.figures.kovaleva.kovaleva_figure_3_frames import draw
from bert_attention.kovaleva.column_values import FRAME_LINKS, VARIANTS

LAYERS, HEADS = 2, 3
HIGHEST = {"annotated": (2, 3), "reversed": (1, 1), "random_pair": (2, 1)}


@pytest.fixture
def kovaleva_frames():
    """Attention that tells layer, head and link; other numbers by the other variant."""
    rows = [
        {"layer": layer, "head": head, "variant": variant, "link": link}
        | {"attention": (layer + head / 10 + place / 100) / (10 if variant == "described" else 1)}
        | {"above_99th_percentile": (layer, head) == HIGHEST[link]}
        for layer, head, variant, (place, link) in itertools.product(
            range(1, LAYERS + 1), range(1, HEADS + 1), VARIANTS, enumerate(FRAME_LINKS)
        )
    ]
    return pd.DataFrame(rows).sample(frac=1, random_state=0)


@pytest.fixture
def kovaleva_frame_example():
    """Two heads in a sentence of three tokens, two of which read the same; the first is linked with the last."""
    tokens = ["a", "b", "a"]
    rows = [
        {"layer": layer, "head": head, "query": query, "key": key, "weight": (layer + query / 10 + key / 100) / 10}
        | {"query_token": tokens[query], "key_token": tokens[key], "linked": (query, key) == (0, 2)}
        for (layer, head), query, key in itertools.product([(2, 3), (1, 2)], range(3), range(3))
    ]
    return pd.DataFrame(rows)


def test_panels_share_their_colors_and_outline_the_highest(kovaleva_frames, kovaleva_frame_example):
    *panels, bar = draw(kovaleva_frames, kovaleva_frame_example).axes[: len(FRAME_LINKS) + 1]
    for place, (panel, link) in enumerate(zip(panels, FRAME_LINKS, strict=True)):
        (cells,) = panel.collections
        expected = [[(layer + head / 10 + place / 100) / 10 for head in (1, 2, 3)] for layer in (1, 2)]
        assert cells.get_array().tolist() == [pytest.approx(row) for row in expected]
        assert cells.get_clim() == (0, pytest.approx(0.232))
        assert panel.get_ylim() == (LAYERS, 0)  # layer 1 at the top, as in the paper
        (outline,) = [patch for patch in panel.patches if isinstance(patch, Rectangle)]
        layer, head = HIGHEST[link]
        assert outline.get_xy() == (head - 1, layer - 1)
        assert to_hex(outline.get_edgecolor()) == style.VERMILION.lower()
    assert panels[0].get_ylabel() == "layer"
    assert bar.get_ylabel() == "mean attention"


def test_the_example_is_drawn_head_by_head(kovaleva_frames, kovaleva_frame_example):
    *panels, bar = draw(kovaleva_frames, kovaleva_frame_example).axes[len(FRAME_LINKS) + 1 :]
    assert [panel.get_title(loc="left") for panel in panels] == ["(d) head 2-3", "(e) head 1-2"]  # as in the table
    for panel, layer in zip(panels, (2, 1), strict=True):
        (cells,) = panel.collections
        expected = [[(layer + query / 10 + key / 100) / 10 for key in range(3)] for query in range(3)]
        assert cells.get_array().tolist() == [pytest.approx(row) for row in expected]
        assert cells.get_clim() == (0, 1)
        assert panel.get_ylim() == (3, 0)
        assert [label.get_text() for label in panel.get_xticklabels()] == ["a", "b", "a"]
        (outline,) = [patch for patch in panel.patches if isinstance(patch, Rectangle)]
        assert outline.get_xy() == (2, 0)
    assert [label.get_text() for label in panels[0].get_yticklabels()] == ["a", "b", "a"]
    assert bar.get_ylabel() == "attention"


def test_a_table_without_control_is_drawn(kovaleva_frames, kovaleva_frame_example):
    """A map without random links, because the links of no sentence fit elsewhere."""
    control = kovaleva_frames["link"] == "random_pair"
    kovaleva_frames.loc[control, "attention"] = float("nan")
    kovaleva_frames.loc[control, "above_99th_percentile"] = False
    assert draw(kovaleva_frames, kovaleva_frame_example).axes[2].collections[0].get_array().mask.all()
