"""Figure 7 of Kovaleva et al. 2019: what is drawn is what the table says."""

import numpy as np
import pytest

from bert_attention.figures.kovaleva.kovaleva_figure_7_cls import draw
from tests.figures.kovaleva.features import random_features

FEATURES = ["pronoun", "noun", "verb", "object", "subject", "negation", "cls", "sep", "punctuation"]


def test_heads_stand_above_their_mean(cells, shades_of):
    table = random_features(("sst2", "mrpc", "rte", "qnli", "qqp"), layers=None)
    figure = draw(table)
    drawn = table.query("variant == 'described' and model == 'finetuned'")
    maps = [panel for panel in figure.axes if panel.get_title(loc="left")]
    assert shades_of(maps) == pytest.approx((0, drawn["attention"].max()))
    for task, panel in zip(("mrpc", "sst2", "qqp", "rte", "qnli"), maps, strict=True):
        rows = drawn[drawn["task"] == task]
        values = rows.pivot_table(index="head", columns="feature", values="attention")[FEATURES]
        found = cells(panel)
        np.testing.assert_allclose(found[:-1], values)
        np.testing.assert_allclose(found.iloc[-1], values.mean())
    assert [tick.get_text() for tick in maps[0].get_yticklabels()] == ["1", "2", "3", "4", "mean"]
    assert [tick.get_text() for tick in maps[0].get_xticklabels()][6:] == ["[CLS]", "[SEP]", "punctuation"]
