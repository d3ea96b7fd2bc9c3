"""Word alignment of Kobayashi et al. 2020: error rates of layers and heads, and maps of examples."""

import itertools

import pandas as pd
import pytest
from matplotlib.patches import Rectangle

from bert_attention.figures import style
from bert_attention.papers.kobayashi.figures import figure_alignment as kobayashi_figure_alignment
from bert_attention.papers.kobayashi.figures import figure_alignment_examples as kobayashi_figure_alignment_examples
from tests.figures.reading import NO_CURVES, entries, line

COLORS = {"weight": style.ORANGE, "norm": style.BLUE}


@pytest.fixture
def alignment():
    """One model with one seed: layers (without a head) and heads."""
    rows = itertools.product(("awi", "awo"), COLORS, (1, 2, 3), (None, 1, 2))
    table = pd.DataFrame(rows, columns=["setting", "method", "layer", "head"]).assign(model="m", seed=1)
    aer = 0.1 * table["layer"] + 0.01 * table["head"].fillna(0)
    return table.assign(aer=aer + 0.2 * (table["setting"] == "awo") + 0.05 * (table["method"] == "norm"))


def draw(alignment, published=NO_CURVES, means=None):
    """Draw with the summary of the table: the layers of one seed, or other means, and the diagonal."""
    rows = alignment if means is None else means
    layers = rows[rows["head"].isna()].rename(columns={"aer": "value"}).drop(columns="seed")
    layers = layers.assign(low=layers["value"] - 0.02, high=layers["value"] + 0.02, statistic="layer")
    diagonal = pd.DataFrame({"model": ["m", "o"], "statistic": "diagonal", "value": [0.6, 0.7]})
    return kobayashi_figure_alignment.draw(alignment, pd.concat([diagonal, layers]), published)


def test_the_figure_shows_error_rates_of_layers_and_heads(alignment):
    published = pd.DataFrame({"series": "awo_norm", "layer": range(1, 7), "value": 0.5})
    figure = draw(alignment, published)
    assert [panel.get_title(loc="left")[-5:] for panel in figure.axes] == ["(AWI)", "(AWO)"]
    for panel, setting in zip(figure.axes, ("awi", "awo"), strict=True):
        for method, color in COLORS.items():
            rows = alignment.query("setting == @setting and method == @method and head != head")
            assert line(panel, method).get_color() == color
            assert line(panel, method).get_ydata() == pytest.approx(rows["aer"].to_numpy())
        assert [len(points.get_offsets()) for points in panel.collections].count(6) == 2
        assert set(line(panel, "diagonal").get_ydata()) == {0.6}
        curves = [curve.get_color() for curve in panel.lines if len(curve.get_ydata()) == 6]
        assert curves == ([style.BLUE] if setting == "awo" else [])
    assert entries(figure.legends[0]) == ["weight", "norm", "diagonal", "published"]


@pytest.mark.parametrize("aer", [0.25, 0.9])
def test_methods_with_equal_rates_stand_side_by_side(alignment, aer):
    for panel in draw(alignment.assign(aer=aer)).axes:
        distances = line(panel, "norm").get_xdata() - line(panel, "weight").get_xdata()
        assert min(distances) > 0.1


def test_means_over_seeds_have_intervals_and_points(alignment):
    second = alignment.assign(seed=2, aer=alignment["aer"] + 0.1)
    downloaded = alignment[alignment["layer"] < 3].assign(model="o", seed=float("nan"))
    means = pd.concat([alignment.assign(aer=alignment["aer"] + 0.05), downloaded])
    figure = draw(pd.concat([alignment, second, downloaded]), means=means)
    titles = [panel.get_title(loc="left") for panel in figure.axes]
    assert [(title[:2], title[-7:] == "2 seeds") for title in titles] == [("m:", True), ("o:", False)] * 2
    seeds, heads = figure.axes[:2]
    of_layers = alignment.query("setting == 'awi' and method == 'norm' and head != head")["aer"].to_numpy()
    points, _ = seeds.collections[-2:]
    assert sorted(points.get_offsets()[:, 1]) == pytest.approx(sorted([*of_layers, *(of_layers + 0.1)]))
    for panel, middle, diagonal in ((seeds, of_layers + 0.05, 0.6), (heads, of_layers[:2], 0.7)):
        assert line(panel, "norm").get_ydata() == pytest.approx(middle)
        (band,) = panel.collections[-1].get_paths()
        bounds = band.vertices[:, 1].min(), band.vertices[:, 1].max()
        assert bounds == pytest.approx((middle[0] - 0.02, middle[-1] + 0.02))
        assert set(line(panel, "diagonal").get_ydata()) == {diagonal}


def test_the_figure_shows_maps_of_examples(saved):
    """The first target word is linked correctly only by norm, and the second by neither."""
    weight = [[0.1, 0.3, 0.6], [0.2, 0.7, 0.1]]
    norm = [[5.0, 1.0, 0.0], [0.0, 2.0, 0.0]]
    gold = [["sure", "none", "none"], ["possible", "none", "none"]]
    rows = [
        {"model": "m", "seed": 1, "setting": "awi", "layer": 2, "target": t + 1, "source": s + 1}
        | {"target_word": ("c", "$d$")[t], "source_word": ("a", "$b$", "</s>")[s]}
        | {"weight": weight[t][s], "norm": norm[t][s], "gold": gold[t][s]}
        for t, s in itertools.product(range(2), range(3))
    ]
    table = pd.concat([pd.DataFrame(rows).assign(pair=pair) for pair in (1, 2)], ignore_index=True)
    other_models = [table.assign(seed=2, weight=0.0), table.assign(model="o", seed=float("nan"))]
    figure = kobayashi_figure_alignment_examples.draw(pd.concat([table, *other_models]))
    assert saved(figure)  # a word with dollar signs is not a formula
    titles = [f"pair {number}: {method}" for number in (1, 2) for method in ("weight", "norm")]
    assert [panel.get_title(loc="left") for panel in figure.axes] == titles * 2
    assert [panel.get_ylabel() for panel in figure.axes if panel.get_ylabel()] == ["m\nlayer 2, AWI", "o\nlayer 2, AWI"]
    for panel, values, found in (
        (figure.axes[0], weight[0], [3, 2]),
        (figure.axes[1], norm[0], [1, 2]),
        (figure.axes[4], weight[0], [3, 2]),
    ):
        (image,) = panel.images
        assert image.get_array()[0].tolist() == pytest.approx(values)
        assert image.get_clim()[0] == 0
        (dots,) = panel.lines
        assert dots.get_xydata().tolist() == [[found[0], 1], [found[1], 2]]
        assert [label.get_text() for label in panel.get_xticklabels()] == ["a", "$b$", "</s>"]
        frames = {frame.get_xy(): frame.get_linestyle() for frame in panel.patches if isinstance(frame, Rectangle)}
        assert set(frames) == {(0.5, 0.5), (0.5, 1.5)}  # source word 1 with target words 1 and 2
        assert len(set(map(str, frames.values()))) == 2  # sure and possible differ
        assert panel.get_ylim() == (2.5, 0.5)  # the first target word is on top
    for panel, labels in zip(figure.axes, (["c", "$d$"], ["", ""]), strict=False):
        assert [label.get_text() for label in panel.get_yticklabels()] == labels
