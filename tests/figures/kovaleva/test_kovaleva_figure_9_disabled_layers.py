"""Figure 9 of Kovaleva et al. 2019: what is drawn is what the tables say."""

import numpy as np
import pytest

from bert_attention.figures.kovaleva.kovaleva_figure_9_disabled_layers import draw
from tests.figures.kovaleva.disabled import MAIN, disabled_table, main_rows
from tests.figures.reading import entries, line


@pytest.fixture
def tables():
    random = disabled_table(seed=1, draw=range(1, 6)).assign(heads=4)
    return {"kovaleva_disabled_layers": disabled_table(layer=range(1, 4)), "kovaleva_disabled_random": random}


def test_a_panel_for_each_task_has_its_main_metric_by_layer_its_baseline_and_random_sets(tables, no_curves):
    layers, random = tables.values()
    figure = draw(**tables, published=no_curves)
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


def test_published_scores_are_laid_under_ours(tables, curves_of):
    figure = draw(**tables, published=curves_of("kovaleva_figure_9_disabled_layers"))
    curves = [drawn.get_ydata() for drawn in figure.axes[0].lines if len(drawn.get_ydata()) == 12]
    assert len(curves) == 1
    assert np.argmax(curves[0]) == 10  # of MRPC, layer 11
    assert max(curves[0]) == pytest.approx(88.7)
    assert entries(figure.legends[0])[-1] == "published"
