"""Kobayashi et al. 2020, word alignment in a few pairs: maps with gold links and those that were found."""

import itertools

import pandas as pd
import pytest
from matplotlib.colors import to_hex
from matplotlib.patches import Rectangle

from bert_attention.figures.kobayashi.kobayashi_figure_alignment_examples import draw


@pytest.fixture
def kobayashi_alignment_examples():
    """Target words c, $d$ and source words a, $b$, </s>; only the first is linked rightly, and only by norm."""
    weight = [[0.1, 0.3, 0.6], [0.2, 0.7, 0.1]]
    norm = [[5.0, 1.0, 0.0], [0.0, 2.0, 0.0]]
    gold = [["sure", "none", "none"], ["possible", "none", "none"]]
    rows = [
        {"model": "m", "seed": 1, "pair": 1, "setting": "awi", "layer": 2, "target": t + 1, "source": s + 1}
        | {"target_word": ("c", "$d$")[t], "source_word": ("a", "$b$", "</s>")[s]}
        | {"weight": weight[t][s], "norm": norm[t][s], "gold": gold[t][s]}
        for t, s in itertools.product(range(2), range(3))
    ]
    table = pd.DataFrame(rows)
    return pd.concat([table, table.assign(pair=2)], ignore_index=True)


def test_maps_show_values_gold_and_what_was_found(kobayashi_alignment_examples, saved):
    figure = draw(kobayashi_alignment_examples)
    assert saved(figure)  # a word with dollar signs is no formula
    assert [panel.get_title(loc="left") for panel in figure.axes] == [
        f"pair {number}: {method}" for number in (1, 2) for method in ("weight", "norm")
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


def test_a_model_is_shown_with_its_first_seed(kobayashi_alignment_examples):
    other = kobayashi_alignment_examples.assign(seed=2, weight=0.0)
    downloaded = kobayashi_alignment_examples.assign(model="o", seed=float("nan"))
    figure = draw(pd.concat([kobayashi_alignment_examples, other, downloaded]))
    assert [panel.get_ylabel() for panel in figure.axes if panel.get_ylabel()] == ["m\nlayer 2, AWI", "o\nlayer 2, AWI"]
    for panel in (figure.axes[0], figure.axes[4]):
        assert panel.images[0].get_array()[0].tolist() == pytest.approx([0.1, 0.3, 0.6])
