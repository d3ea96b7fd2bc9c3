"""Figure 3 of Clark et al. 2019: what is drawn is what the table says."""

import itertools

import pandas as pd
import pytest

from bert_attention.figures import style
from bert_attention.figures.clark.clark_figure_3_importance import draw
from tests.figures.reading import entries

LAYERS, HEADS = (1, 2, 3), (1, 2)
NAMES = {"cls": "[CLS]", "sep": "[SEP]", "punctuation": ". and ,", "other": "other tokens"}


@pytest.fixture
def clark_importance():
    rows = [
        {"layer": layer, "head": head, "target": target, "measure": measure, "value": size * head * 10**-layer, "n": 5}
        for size, measure in ((1.0, "gradient"), (0.01, "attention_times_gradient"))
        for target, layer, head in itertools.product(NAMES, LAYERS, HEADS)
    ]
    table = pd.DataFrame(rows)
    table["value"] *= table["target"].map(dict(zip(NAMES, (1, 2, 3, 4), strict=True)))
    return table


def test_every_head_and_the_layer_means_are_drawn(clark_importance):
    figure = draw(clark_importance)
    for panel, measure in zip(figure.axes, ("gradient", "attention_times_gradient"), strict=True):
        assert [len(points.get_offsets()) for points in panel.collections] == [6] * 4
        lines = {line.get_label(): line.get_ydata() for line in panel.lines}
        for target, name in NAMES.items():
            rows = clark_importance[(clark_importance["target"] == target) & (clark_importance["measure"] == measure)]
            assert lines[name] == pytest.approx(rows.groupby("layer")["value"].mean().to_numpy())
        assert panel.get_yscale() == "log"
        assert panel.get_ylabel().endswith("(nats)")
    assert sorted(entries(figure.axes[0].get_legend())) == sorted(NAMES.values())
    assert figure.axes[1].get_xlim() == (0.5, 3.5)
    assert figure.get_figwidth() == style.COLUMN_WIDTH


@pytest.mark.filterwarnings("error")
def test_heads_and_types_of_no_importance_are_left_out(clark_importance, saved):
    """A logarithmic axis has no place for 0, and a figure that reaches there has no layout."""
    clark_importance.loc[0, "value"] = 0.0
    clark_importance.loc[clark_importance["target"] == "sep", "value"] = 0.0
    figure = draw(clark_importance)
    assert saved(figure)
    assert [len(points.get_offsets()) for points in figure.axes[0].collections] == [6, 5, 6]
