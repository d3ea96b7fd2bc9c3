"""Figure 6 of Kovaleva et al. 2019: what is drawn is what the table says."""

import numpy as np
import pytest

from bert_attention.figures.kovaleva.kovaleva_figure_6_features import draw
from tests.figures.kovaleva.features import random_features
from tests.figures.reading import entries, line


def test_maps_are_of_fine_tuned_encoders_and_means_of_both(no_curves, cells, shades_of):
    table = random_features(("sst2", "mrpc"), layers=3)
    figure = draw(table, no_curves)
    maps = [panel for panel in figure.axes if panel.collections and not panel.lines][:4]
    described = table.query("variant == 'described'")
    drawn = described.query("model == 'finetuned' and feature in ('cls', 'sep')")
    assert shades_of(maps) == pytest.approx((0, drawn["attention"].max()))
    panels = iter(maps)
    for feature in ("sep", "cls"):
        for task in ("mrpc", "sst2"):
            rows = drawn[(drawn["feature"] == feature) & (drawn["task"] == task)]
            values = rows.pivot_table(index="layer", columns="head", values="attention")
            np.testing.assert_allclose(cells(next(panels)), values)
    first, second = (panel for panel in figure.axes if panel.lines)
    for panel, task in ((first, "mrpc"), (second, "sst2")):
        for feature, label in (("sep", "[SEP]"), ("cls", "[CLS]")):
            for model, name in (("finetuned", label), ("pretrained", f"{label}, before")):
                rows = described.set_index(["task", "feature", "model"]).sort_index().loc[(task, feature, model)]
                expected = rows.groupby("layer")["attention"].mean().to_numpy()
                assert line(panel, name).get_ydata() == pytest.approx(expected)
    assert entries(figure.legends[0]) == ["[SEP]", "[CLS]", "before fine-tuning"]


def test_published_means_are_laid_under_ours(curves_of):
    figure = draw(random_features(("sst2",), layers=3), curves_of("kovaleva_figure_6_features"))
    (panel,) = (panel for panel in figure.axes if panel.lines)
    of_twelve = [curve.get_ydata() for curve in panel.lines if len(curve.get_ydata()) == 12]
    assert sorted(values.max() for values in of_twelve) == pytest.approx([0.34, 0.65], abs=0.01)
    assert entries(figure.legends[0])[-1] == "published"
