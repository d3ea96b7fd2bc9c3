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


def test_panels_share_their_colours_and_outline_the_highest(kovaleva_frames):
    *panels, bar = draw(kovaleva_frames).axes
    assert len(panels) == len(FRAME_LINKS)
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


def test_a_table_without_control_is_drawn(kovaleva_frames):
    """Where the links of no sentence fit elsewhere."""
    control = kovaleva_frames["link"] == "random_pair"
    kovaleva_frames.loc[control, "attention"] = float("nan")
    kovaleva_frames.loc[control, "above_99th_percentile"] = False
    assert draw(kovaleva_frames).axes[2].collections[0].get_array().mask.all()
