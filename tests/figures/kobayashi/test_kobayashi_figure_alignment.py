"""Kobayashi et al. 2020, word alignment: the rates of every layer and head are drawn."""

import itertools

import pandas as pd
import pytest

from bert_attention.figures import style
from bert_attention.figures.kobayashi.kobayashi_figure_alignment import draw
from tests.figures.reading import NO_CURVES, entries, line


@pytest.fixture
def kobayashi_alignment():
    rows = [
        {"model": "m", "seed": 1, "setting": setting, "method": method, "layer": layer, "head": head}
        | {"aer": 0.1 * layer + 0.01 * (head or 0) + 0.2 * (setting == "awo") + 0.05 * (method == "norm")}
        for setting, method, layer, head in itertools.product(
            ("awi", "awo"), ("weight", "norm"), (1, 2, 3), (None, 1, 2)
        )
    ]
    table = pd.DataFrame(rows)
    return table.assign(mean_norm=0.3, n=9)


def summary_of(kobayashi_alignment):
    """The summary of models of one seed each: their layers, and the diagonal."""
    layers = kobayashi_alignment[kobayashi_alignment["head"].isna()].rename(columns={"aer": "value"})
    layers = layers.assign(low=layers["value"] - 0.02, high=layers["value"] + 0.02, statistic="layer")
    rows = [{"model": model, "statistic": "diagonal", "value": value} for model, value in (("m", 0.6), ("o", 0.7))]
    return pd.concat([pd.DataFrame(rows), layers.drop(columns="seed")])


def test_layers_heads_and_the_diagonal_are_drawn(kobayashi_alignment):
    figure = draw(kobayashi_alignment, summary_of(kobayashi_alignment), NO_CURVES)
    assert [panel.get_title(loc="left")[-5:] for panel in figure.axes] == ["(AWI)", "(AWO)"]
    for panel, setting in zip(figure.axes, ("awi", "awo"), strict=True):
        for method, color in (("weight", style.ORANGE), ("norm", style.BLUE)):
            rows = kobayashi_alignment.set_index(["setting", "method"]).loc[(setting, method)]
            of_layers = line(panel, method)
            assert of_layers.get_color() == color
            assert of_layers.get_ydata() == pytest.approx(rows[rows["head"].isna()]["aer"].to_numpy())
        points = [points for points in panel.collections if len(points.get_offsets()) == 6]
        assert len(points) == 2
        assert set(line(panel, "diagonal").get_ydata()) == {0.6}
    (legend,) = figure.legends
    assert entries(legend) == ["weight", "norm", "diagonal"]
    assert figure.get_figwidth() == style.COLUMN_WIDTH


def test_every_model_has_its_panels(kobayashi_alignment):
    both = pd.concat([kobayashi_alignment, kobayashi_alignment[kobayashi_alignment["layer"] < 3].assign(model="o")])
    figure = draw(both, summary_of(both), NO_CURVES)
    assert [panel.get_title(loc="left")[:2] for panel in figure.axes] == ["m:", "o:", "m:", "o:"]
    assert [set(line(panel, "diagonal").get_ydata()) for panel in figure.axes[:2]] == [{0.6}, {0.7}]
    assert [len(line(panel, "norm").get_ydata()) for panel in figure.axes] == [3, 2, 3, 2]


def test_seeds_are_averaged_and_drawn_as_points(kobayashi_alignment):
    second = kobayashi_alignment.assign(seed=2, aer=kobayashi_alignment["aer"] + 0.1)
    downloaded = kobayashi_alignment.assign(model="o", seed=float("nan"))
    mean = kobayashi_alignment.assign(aer=kobayashi_alignment["aer"] + 0.05)
    figure = draw(
        pd.concat([kobayashi_alignment, second, downloaded]), summary_of(pd.concat([mean, downloaded])), NO_CURVES
    )
    assert [panel.get_title(loc="left")[-7:] == "2 seeds" for panel in figure.axes] == [True, False] * 2
    seeds, heads = figure.axes[:2]
    of_layers = kobayashi_alignment[kobayashi_alignment["head"].isna()].set_index(["setting", "method"])["aer"]
    expected = of_layers.loc[("awi", "norm")].to_numpy()
    assert line(seeds, "norm").get_ydata() == pytest.approx(expected + 0.05)
    assert line(heads, "norm").get_ydata() == pytest.approx(expected)
    points, _ = seeds.collections[-2:]
    assert sorted(points.get_offsets()[:, 1]) == pytest.approx(sorted([*expected, *(expected + 0.1)]))
    for panel, middle in ((seeds, expected + 0.05), (heads, expected)):
        (band,) = panel.collections[-1].get_paths()
        assert (band.vertices[:, 1].min(), band.vertices[:, 1].max()) == pytest.approx(
            (middle[0] - 0.02, middle[-1] + 0.02)
        )


def test_published_rates_are_laid_under_ours(kobayashi_alignment):
    published = pd.DataFrame({"series": "awo_norm", "layer": range(1, 7), "value": 0.5})
    figure = draw(kobayashi_alignment, summary_of(kobayashi_alignment), published)
    awi, awo = ([line for line in panel.lines if len(line.get_ydata()) == 6] for panel in figure.axes)
    assert awi == []
    assert [drawn.get_color() for drawn in awo] == [style.BLUE]
    assert figure.axes[1].get_xlim() == (0.5, 6.5)
    assert entries(figure.legends[0])[-1] == "published"
