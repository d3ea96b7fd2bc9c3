"""Figures 8 and 9 of Kovaleva et al. 2019: what is drawn is what the tables of disabled heads and layers say."""

import itertools

import numpy as np
import pandas as pd
import pytest
from matplotlib.colors import to_hex

from bert_attention.figures import style
from bert_attention.figures.kovaleva.head_maps import UNKNOWN
from bert_attention.figures.kovaleva.kovaleva_figure_8_disabled_heads import draw as draw_heads
from bert_attention.figures.kovaleva.kovaleva_figure_9_disabled_layers import draw as draw_layers
from tests.figures.kovaleva.scores import learned
from tests.figures.reading import NO_CURVES, cells, curves_of, entries, line, shades_of

METRICS = {"rte": ("accuracy",), "mrpc": ("accuracy", "f1"), "stsb": ("pearson",)}
MAIN = {"mrpc": "f1", "stsb": "pearson", "rte": "accuracy"}  # in the paper's order


def disabled_table(seed=0, **places):
    """Rows for every place and metric, with intervals of which some exclude 0."""
    random = np.random.default_rng(seed)
    metrics = [(task, metric) for task, of_task in METRICS.items() for metric in of_task]
    rows = [(*names, *numbers) for names in metrics for numbers in itertools.product(*places.values())]
    table = pd.DataFrame(rows, columns=["task", "metric", *places])
    baseline = table.groupby(["task", "metric"]).ngroup() / 20 + 0.6
    value = baseline + random.normal(0, 0.02, len(table))
    spread = random.uniform(0, 0.03, len(table))
    difference = value - baseline
    bounds = {"low": difference - spread, "high": difference + spread}
    return table.assign(difference=difference, **bounds, value=value, baseline=baseline, n=9)


def main_rows(table, task):
    """The rows of a task's main metric."""
    return table[(table["task"] == task) & (table["metric"] == MAIN[task])]


@pytest.fixture
def table():
    return disabled_table(layer=range(1, 4), head=range(1, 5))


def panels_of(figure):
    return [panel for panel in figure.axes if panel.get_title(loc="left")]


def test_a_map_for_each_task_has_changes_of_its_main_metric_and_dots_where_they_are_clear(table):
    panels = panels_of(draw_heads(table, learned(*METRICS)))
    for task, panel in zip(MAIN, panels, strict=True):
        rows = main_rows(table, task)
        changes = 100 * (rows["value"] - rows["baseline"]).to_numpy().reshape(3, 4)
        np.testing.assert_allclose(cells(panel), changes)
        clear = (rows["low"] > 0) | (rows["high"] < 0)
        assert 0 < clear.sum() < len(rows)
        (dots,) = panel.lines
        at = {(layer - 0.5, head - 0.5) for layer, head in rows.loc[clear, ["layer", "head"]].to_numpy()}
        assert {(y, x) for x, y in dots.get_xydata()} == at
    assert [panel.get_title(loc="left") for panel in panels] == [
        "MRPC: F1 65.0",
        "STS-B: Pearson 75.0",
        "RTE: accuracy 70.0",
    ]


def test_all_maps_share_colors_around_zero_that_a_single_head_does_not_stretch(table):
    low, high = shades_of(panels_of(draw_heads(table, learned(*METRICS))))
    assert low == -high
    table.loc[3, "difference"] -= 0.5
    stretched = shades_of(panels_of(draw_heads(table, learned(*METRICS))))
    assert stretched[1] < 2 * high


def test_a_head_of_which_the_data_do_not_tell_the_color_is_gray(table):
    (_, most), rte = shades_of(panels_of(draw_heads(table, learned(*METRICS)))), main_rows(table, "rte").index
    table.loc[rte[:3], ["low", "high"]] = [
        [-1.1 * most / 100, 1.1 * most / 100],
        [-0.9 * most / 100, 0.9 * most / 100],  # narrower than the colors go
        [0.001, 3 * most / 100],  # which leaves out 0
    ]
    figure = draw_heads(table, learned(*METRICS))
    panel = panels_of(figure)[2]
    assert np.argwhere(cells(panel).isna()).tolist() == [[0, 0]]
    assert to_hex(panel.get_facecolor()) == UNKNOWN.lower()
    assert panel.get_xlabel() == "head (9 examples)"
    (_, gray) = entries(figure.legends[0])
    assert gray == f"interval holds 0 and is wider than ±{most:.2g} points"


def test_heads_that_change_nothing_are_drawn_white(table):
    figure = draw_heads(table.assign(difference=0.0, low=0.0, high=0.0), learned(*METRICS))
    panel = panels_of(figure)[0]
    assert (cells(panel) == 0).all(axis=None)
    assert panel.collections[0].get_clim() == (-1, 1)
    assert not len(panel.lines[0].get_xydata())
    assert figure.get_figwidth() == style.TEXT_WIDTH


@pytest.fixture
def tables():
    random = disabled_table(seed=1, draw=range(1, 6)).assign(heads=4)
    layers = disabled_table(layer=range(1, 4))
    scores = {"kovaleva_finetuning": learned(*METRICS)}
    return {"kovaleva_disabled_layers": layers, "kovaleva_disabled_random": random} | scores


def test_a_panel_for_each_task_has_its_main_metric_by_layer_its_baseline_and_random_sets(tables):
    layers, random, _ = tables.values()
    figure = draw_layers(**tables, published=NO_CURVES)
    for task, panel in zip(MAIN, figure.axes, strict=True):
        rows, sets = main_rows(layers, task), main_rows(random, task)
        values = line(panel, "one layer")
        assert values.get_xdata().tolist() == [1, 2, 3]
        assert values.get_ydata() == pytest.approx(100 * rows["value"].to_numpy())
        across = [drawn.get_ydata()[0] for drawn in panel.lines if len(set(drawn.get_ydata())) == 1]
        assert across == pytest.approx([100 * sets["value"].mean(), 100 * rows["baseline"].iloc[0]])
        (span,) = panel.patches
        assert span.get_y() == pytest.approx(100 * sets["value"].min())
        assert span.get_y() + span.get_height() == pytest.approx(100 * sets["value"].max())
        (band,) = panel.collections
        edges = band.get_paths()[0].vertices[:, 1]
        assert edges.min() == pytest.approx(100 * (rows["baseline"] + rows["low"]).min())
        assert edges.max() == pytest.approx(100 * (rows["baseline"] + rows["high"]).max())
    assert entries(figure.legends[0])[2] == "without 4 random heads: mean"


def test_published_scores_are_laid_under_ours(tables):
    figure = draw_layers(**tables, published=curves_of("kovaleva_figure_9_disabled_layers"))
    curves = [drawn.get_ydata() for drawn in figure.axes[0].lines if len(drawn.get_ydata()) == 12]
    assert len(curves) == 1
    assert np.argmax(curves[0]) == 10  # of MRPC, layer 11
    assert max(curves[0]) == pytest.approx(88.7)
    assert entries(figure.legends[0])[-1] == "published"
