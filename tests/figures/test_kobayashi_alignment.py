"""Figures of word alignment: rates of every layer and head, and maps with gold and found links."""

import itertools

import pandas as pd
import pytest
from matplotlib.colors import to_hex
from matplotlib.patches import Rectangle

from bert_attention.claims import published_curves
from bert_attention.figures import kobayashi_alignment as figures
from bert_attention.figures import style

NOTHING = published_curves(None, 0)
METHODS = ("weight", "norm")


@pytest.fixture
def kobayashi_alignment():
    rows = [
        {"model": "m", "setting": setting, "method": method, "layer": layer, "head": head}
        | {"aer": 0.1 * layer + 0.01 * (head or 0) + 0.2 * (setting == "awo") + 0.05 * (method == "norm")}
        for setting, method, layer, head in itertools.product(("awi", "awo"), METHODS, (1, 2, 3), (None, 1, 2))
    ]
    table = pd.DataFrame(rows)
    return table.assign(low=table["aer"] - 0.02, high=table["aer"] + 0.02, mean_norm=0.3, n=9)


@pytest.fixture
def kobayashi_alignment_summary():
    rows = [{"model": model, "statistic": "diagonal", "value": value} for model, value in (("m", 0.6), ("o", 0.7))]
    return pd.DataFrame([*rows, {"model": "m", "statistic": "layer_mean", "value": 0.1}])


@pytest.fixture
def kobayashi_alignment_examples():
    """Target words c, $d$ and source words a, $b$, </s>; only the first is linked rightly, and only by norm."""
    weight = [[0.1, 0.3, 0.6], [0.2, 0.7, 0.1]]
    norm = [[5.0, 1.0, 0.0], [0.0, 2.0, 0.0]]
    gold = [["sure", "none", "none"], ["possible", "none", "none"]]
    rows = [
        {"model": "m", "pair": 1, "setting": "awi", "layer": 2, "target": t + 1, "source": s + 1}
        | {"target_word": ("c", "$d$")[t], "source_word": ("a", "$b$", "</s>")[s]}
        | {"weight": weight[t][s], "norm": norm[t][s], "gold": gold[t][s]}
        for t, s in itertools.product(range(2), range(3))
    ]
    table = pd.DataFrame(rows)
    return pd.concat([table, table.assign(pair=2)], ignore_index=True)


def line(panel, label):
    return next(line for line in panel.lines if line.get_label() == label)


def test_layers_heads_and_the_diagonal_are_drawn(kobayashi_alignment, kobayashi_alignment_summary):
    figure = figures.alignment(kobayashi_alignment, kobayashi_alignment_summary, NOTHING)
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
    assert [text.get_text() for text in legend.get_texts()] == ["weight", "norm", "diagonal"]
    assert figure.get_figwidth() == style.COLUMN_WIDTH


def test_every_model_has_its_panels(kobayashi_alignment, kobayashi_alignment_summary):
    other = kobayashi_alignment[kobayashi_alignment["layer"] < 3].assign(model="o")
    figure = figures.alignment(pd.concat([kobayashi_alignment, other]), kobayashi_alignment_summary, NOTHING)
    assert [panel.get_title(loc="left")[:2] for panel in figure.axes] == ["m:", "o:", "m:", "o:"]
    assert [set(line(panel, "diagonal").get_ydata()) for panel in figure.axes[:2]] == [{0.6}, {0.7}]
    assert [len(line(panel, "norm").get_ydata()) for panel in figure.axes] == [3, 2, 3, 2]


def test_published_rates_are_laid_under_ours(kobayashi_alignment, kobayashi_alignment_summary):
    published = pd.DataFrame({"series": "awo_norm", "layer": range(1, 7), "value": 0.5})
    figure = figures.alignment(kobayashi_alignment, kobayashi_alignment_summary, published)
    awi, awo = ([line for line in panel.lines if len(line.get_ydata()) == 6] for panel in figure.axes)
    assert awi == []
    assert [drawn.get_color() for drawn in awo] == [style.BLUE]
    assert figure.axes[1].get_xlim() == (0.5, 6.5)
    assert figure.legends[0].get_texts()[-1].get_text() == "published"


def test_maps_show_values_gold_and_what_was_found(kobayashi_alignment_examples):
    figure = figures.alignment_examples(kobayashi_alignment_examples, NOTHING)
    assert [panel.get_title(loc="left") for panel in figure.axes] == [
        f"pair {number}: {method}" for number in (1, 2) for method in METHODS
    ]
    weight, norm = figure.axes[:2]
    assert weight.get_ylabel() == "m\nlayer 2, AWI"
    for panel, values, found in ((weight, [0.1, 0.3, 0.6], [3, 2]), (norm, [5, 1, 0], [1, 2])):
        (image,) = panel.images
        assert image.get_array()[0].tolist() == pytest.approx(values)
        assert image.get_clim()[0] == 0
        (dots,) = panel.lines
        assert (dots.get_xdata().tolist(), dots.get_ydata().tolist()) == (found, [1, 2])
        assert [label.get_text() for label in panel.get_xticklabels()] == ["a", "$b$", "</s>"]
        frames = {frame.get_xy(): frame.get_linestyle() for frame in panel.patches if isinstance(frame, Rectangle)}
        assert set(frames) == {(0.5, 0.5), (0.5, 1.5)}  # around source word 1 of target words 1 and 2
        assert len(set(map(str, frames.values()))) == 2  # sure and possible differ
        assert panel.get_ylim() == (2.5, 0.5)  # the first target word on top
    assert [label.get_text() for label in weight.get_yticklabels()] == ["c", "$d$"]
    assert not any(label.get_text() for label in norm.get_yticklabels())
    assert to_hex(weight.lines[0].get_color()) == "#000000"


def test_files_are_stable(tmp_path, kobayashi_alignment_examples):
    for name in "ab":
        style.save(figures.alignment_examples(kobayashi_alignment_examples, NOTHING), tmp_path / f"{name}.pdf")
    assert (tmp_path / "a.pdf").read_bytes() == (tmp_path / "b.pdf").read_bytes()
