"""Figure 6 of Kovaleva et al. 2019, continued: what is drawn is what the table says."""

import numpy as np
import pytest

from bert_attention.figures.kovaleva.kovaleva_figure_6b_features import draw
from bert_attention.kovaleva.column_values import WORD_FEATURES
from tests.figures.kovaleva.features import random_features


def test_rows_are_features_and_columns_tasks(cells, shades_of):
    table = random_features(("sst2", "mrpc"), layers=3)
    figure = draw(table)
    maps = figure.axes[: 2 * len(WORD_FEATURES)]
    drawn = table.query("variant == 'described' and model == 'finetuned' and feature in @WORD_FEATURES")
    assert shades_of(maps) == pytest.approx((0, drawn["attention"].max()))
    assert [panel.get_title(loc="left") for panel in maps[:2]] == ["MRPC", "SST-2"]
    assert [panel.get_ylabel().partition("\n")[0] for panel in maps[::2]] == [
        *("nouns", "verbs", "pronouns", "subjects", "objects", "negation", "punctuation")
    ]
    for place, panel in enumerate(maps):
        rows = drawn[(drawn["feature"] == WORD_FEATURES[place // 2]) & (drawn["task"] == ("mrpc", "sst2")[place % 2])]
        np.testing.assert_allclose(cells(panel), rows.pivot_table(index="layer", columns="head", values="attention"))
    assert [tick.get_text() for tick in maps[-1].get_xticklabels()] == ["1", "2", "4"]
    assert not any(tick.get_text() for tick in maps[0].get_xticklabels())


def test_a_feature_that_a_task_has_not_stays_white(cells):
    table = random_features(("sst2",), layers=3)
    table.loc[table["feature"] == "negation", "attention"] = np.nan
    figure = draw(table)
    assert cells(figure.axes[WORD_FEATURES.index("negation")]).isna().all(axis=None)
    assert cells(figure.axes[0]).shape == cells(figure.axes[WORD_FEATURES.index("negation")]).shape == (3, 4)
