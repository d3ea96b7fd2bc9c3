"""Figures 6 and 7 of Kovaleva et al. 2019: what is drawn is what the tables of attention to features say."""

import itertools

import numpy as np
import pandas as pd
import pytest
from matplotlib.colors import to_hex

from bert_attention.figures.kovaleva import (
    kovaleva_figure_6_features,
    kovaleva_figure_6b_features,
    kovaleva_figure_7_cls,
)
from bert_attention.figures.kovaleva.head_maps import UNKNOWN
from bert_attention.kovaleva.column_values import (
    FEATURES,
    LEAST_EXAMPLES,
    MODELS,
    TASK_LABELS,
    VARIANTS,
    WORD_FEATURES,
)
from tests.figures.kovaleva.scores import learned
from tests.figures.reading import NO_CURVES, cells, curves_of, entries, line, shades_of

IN_FIGURE_7 = ["pronoun", "noun", "verb", "object", "subject", "negation", "cls", "sep", "punctuation"]


def random_features(tasks, layers, heads=4):
    """``kovaleva_features`` of some tasks; without ``layers``, ``kovaleva_cls``."""
    numbers = [range(1, (layers or 1) + 1), range(1, heads + 1)]
    rows = itertools.product(tasks, MODELS, FEATURES, VARIANTS, *numbers)
    table = pd.DataFrame(rows, columns=["task", "model", "feature", "variant", "layer", "head"])
    table = table.assign(attention=np.random.default_rng(0).uniform(0.1, 0.8, len(table)), n=LEAST_EXAMPLES)
    return table if layers else table.drop(columns="layer")


def test_maps_are_of_fine_tuned_encoders_and_means_of_both():
    table = random_features(("sst2", "mrpc"), layers=3)
    figure = kovaleva_figure_6_features.draw(table, learned(*TASK_LABELS), NO_CURVES)
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


def test_published_means_of_features_are_laid_under_ours():
    figure = kovaleva_figure_6_features.draw(
        random_features(("sst2",), layers=3), learned(*TASK_LABELS), curves_of("kovaleva_figure_6_features")
    )
    (panel,) = (panel for panel in figure.axes if panel.lines)
    of_twelve = [curve.get_ydata() for curve in panel.lines if len(curve.get_ydata()) == 12]
    assert sorted(values.max() for values in of_twelve) == pytest.approx([0.34, 0.65], abs=0.01)
    assert entries(figure.legends[0])[-1] == "published"


def test_rows_are_features_and_columns_tasks():
    table = random_features(("sst2", "mrpc"), layers=3)
    figure = kovaleva_figure_6b_features.draw(table, learned(*TASK_LABELS))
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


@pytest.mark.parametrize("changes", [{"attention": np.nan, "n": 0}, {"attention": 2.0, "n": LEAST_EXAMPLES - 1}])
def test_a_feature_of_too_few_examples_is_gray(changes):
    table = random_features(("sst2",), layers=3)
    rare = table["feature"] == "negation"
    table.loc[rare, list(changes)] = list(changes.values())
    figure = kovaleva_figure_6b_features.draw(table, learned(*TASK_LABELS))
    maps = figure.axes[: len(WORD_FEATURES)]
    for feature, panel in zip(WORD_FEATURES, maps, strict=True):
        assert cells(panel).shape == (3, 4)
        assert cells(panel).isna().all(axis=None) == cells(panel).isna().any(axis=None) == (feature == "negation")
    of_negation = maps[WORD_FEATURES.index("negation")]
    assert [text.get_text() for text in of_negation.texts] == ([] if changes["n"] else ["not measured"])
    assert shades_of(maps)[1] < 1
    assert to_hex(maps[0].get_facecolor()) == UNKNOWN.lower()
    assert entries(figure.legends[0]) == ["fewer than 20 examples"]
    table = table.assign(layer=1).drop_duplicates(["task", "model", "feature", "variant", "head"]).drop(columns="layer")
    figure = kovaleva_figure_7_cls.draw(table, learned(*TASK_LABELS))
    found = cells(figure.axes[0])
    assert found.isna().all().tolist() == found.isna().any().tolist() == [name == "negation" for name in IN_FIGURE_7]
    assert shades_of(figure.axes[:1])[1] < 1
    assert figure.axes[0].get_xticklabels()[5].get_text() == f"negation ({changes['n']})"
    assert entries(figure.legends[0]) == ["fewer than 20 examples"]


def test_heads_stand_above_their_mean():
    table = random_features(("sst2", "mrpc", "rte", "qnli", "qqp"), layers=None)
    figure = kovaleva_figure_7_cls.draw(table, learned(*TASK_LABELS))
    drawn = table.query("variant == 'described' and model == 'finetuned'")
    maps = [panel for panel in figure.axes if panel.get_title(loc="left")]
    assert shades_of(maps) == pytest.approx((0, drawn["attention"].max()))
    for task, panel in zip(("mrpc", "sst2", "qqp", "rte", "qnli"), maps, strict=True):
        rows = drawn[drawn["task"] == task]
        values = rows.pivot_table(index="head", columns="feature", values="attention")[IN_FIGURE_7]
        found = cells(panel)
        np.testing.assert_allclose(found[:-1], values)
        np.testing.assert_allclose(found.iloc[-1], values.mean())
    assert [tick.get_text() for tick in maps[0].get_yticklabels()] == ["1", "2", "3", "4", "mean"]
    assert [tick.get_text() for tick in maps[0].get_xticklabels()][6:] == [
        "[CLS] (20)",
        "[SEP] (20)",
        "punctuation (20)",
    ]
    assert not figure.legends


def test_columns_of_what_is_not_measured_say_so():
    table = random_features(("sst2",), layers=None)
    table.loc[table["feature"].isin(["noun", "verb"]), ["attention", "n"]] = [np.nan, 0]
    panel = kovaleva_figure_7_cls.draw(table, learned("sst2")).axes[0]
    assert [(text.get_text(), text.get_position()[0]) for text in panel.texts] == [
        ("not measured", 1.5),
        ("not measured", 2.5),
    ]
