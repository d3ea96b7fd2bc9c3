"""Figure 8 of Kovaleva et al. 2019: what is drawn is what the table says."""

import numpy as np
import pytest

from bert_attention.figures import style
from bert_attention.figures.kovaleva.kovaleva_figure_8_disabled_heads import draw
from tests.figures.kovaleva.disabled import MAIN, disabled_table, main_rows


@pytest.fixture
def table():
    return disabled_table(layer=range(1, 4), head=range(1, 5))


def panels_of(figure):
    return [panel for panel in figure.axes if panel.get_title(loc="left")]


def test_a_map_for_each_task_has_changes_of_its_main_metric_and_dots_where_they_are_clear(table, cells):
    panels = panels_of(draw(table))
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


def test_all_maps_share_colours_around_zero_that_a_single_head_does_not_stretch(table, shades_of):
    low, high = shades_of(panels_of(draw(table)))
    assert low == -high
    table.loc[3, "value"] -= 0.5
    stretched = shades_of(panels_of(draw(table)))
    assert stretched[1] < 2 * high


def test_heads_that_change_nothing_are_drawn_white(table, cells):
    figure = draw(table.assign(value=table["baseline"], low=0.0, high=0.0))
    panel = panels_of(figure)[0]
    assert (cells(panel) == 0).all(axis=None)
    assert panel.collections[0].get_clim() == (-1, 1)
    assert not len(panel.lines[0].get_xydata())
    assert figure.get_figwidth() == style.TEXT_WIDTH
