"""Figures of Kovaleva et al. 2019 with a panel for each task show the values of their tables (5, 6, 6b, 7, 8, 9)."""

import itertools

import numpy as np
import pandas as pd
import pytest
from matplotlib.colors import to_hex

from bert_attention.corpora.task_names import MAIN_METRICS, TASK_LABELS
from bert_attention.papers.kovaleva import columns
from bert_attention.papers.kovaleva.columns import FEATURES, LEAST_EXAMPLES, WORD_FEATURES
from bert_attention.papers.kovaleva.figures import figure_5_change as kovaleva_figure_5_change
from bert_attention.papers.kovaleva.figures import figure_6_features as kovaleva_figure_6_features
from bert_attention.papers.kovaleva.figures import figure_6b_features as kovaleva_figure_6b_features
from bert_attention.papers.kovaleva.figures import figure_7_cls as kovaleva_figure_7_cls
from bert_attention.papers.kovaleva.figures import figure_8_disabled_heads as kovaleva_figure_8_disabled_heads
from bert_attention.papers.kovaleva.figures import figure_9_disabled_layers as kovaleva_figure_9_disabled_layers
from bert_attention.papers.kovaleva.figures.head_maps import NOT_LEARNED, UNKNOWN
from tests.figures.reading import NO_CURVES, cells, curves_of, entries, line, shades_of
from tests.kovaleva.figures.scores import learned

IN_FIGURE_7 = ["pronoun", "noun", "verb", "object", "subject", "negation", "cls", "sep", "punctuation"]
METRICS = {"mrpc": ("accuracy", "f1"), "stsb": ("pearson",), "rte": ("accuracy",)}  # in the paper's order


def titled(figure):
    return [panel for panel in figure.axes if panel.get_title(loc="left")]


def by_head(rows, value):
    return rows.pivot_table(index="layer", columns="head", values=value)


def published_in(panel):
    return [curve for curve in panel.lines if len(curve.get_ydata()) == 12]


@pytest.fixture
def change():
    tasks = ("rte", "mrpc", "sst2", "qnli", "stsb")
    rows = itertools.product(tasks, ("finetuning", "seeds"), ("cropped", "padded"), range(1, 4), range(1, 5))
    table = pd.DataFrame(rows, columns=["task", "compared", "variant", "layer", "head"])
    return table.assign(cosine=np.random.default_rng(0).uniform(0.45, 0.95, len(table)), n=7)


def test_the_figure_shows_the_change_by_fine_tuning(change):
    lines = {
        "before and after fine-tuning": ("finetuning", "cropped"),
        "between two seeds": ("seeds", "cropped"),
        "before and after, padded maps": ("finetuning", "padded"),
    }
    scores = learned("mrpc", "stsb", "sst2", "qnli", but_not=("rte",))
    figure = kovaleva_figure_5_change.draw(change, scores, curves_of("kovaleva_figure_5_change"))
    maps, means = titled(figure), [panel for panel in figure.axes if panel.lines]
    assert [panel.get_title(loc="left") for panel in maps] == ["MRPC", "STS-B", "SST-2", "RTE", "QNLI"]
    assert shades_of(maps) == pytest.approx((0.4, 1))
    for task, above, below in zip(("mrpc", "stsb", "sst2", "rte", "qnli"), maps, means, strict=True):
        rows = change[change["task"] == task].set_index(["compared", "variant"]).sort_index()
        np.testing.assert_allclose(cells(above), by_head(rows.loc[("finetuning", "cropped")], "cosine"))
        for label, compared in lines.items():
            assert line(below, label).get_ydata() == pytest.approx(rows.loc[compared].groupby("layer")["cosine"].mean())
        assert [text.get_text() for text in above.texts] == ([NOT_LEARNED] if task == "rte" else [])
        assert bool(above.patches) == bool(below.patches) == (task == "rte")
    (published,) = published_in(means[0])
    assert published.get_ydata()[10] == 0.367
    assert published.get_color() == line(means[0], "before and after, padded maps").get_color()
    assert entries(figure.legends[0]) == [*lines, "published"]
    one_seed = change[change["compared"] == "finetuning"]
    figure = kovaleva_figure_5_change.draw(one_seed, learned(*TASK_LABELS), NO_CURVES)
    assert entries(figure.legends[0]) == [label for label in lines if label != "between two seeds"]


def test_a_task_of_ones_own_comes_last_under_its_name(change):
    own = change.assign(task=change["task"].replace({"rte": "zoo", "qnli": "facts"}))
    figure = kovaleva_figure_5_change.draw(own, learned("mrpc", "stsb", "sst2", "zoo", but_not=("facts",)), NO_CURVES)
    maps = titled(figure)
    assert [panel.get_title(loc="left") for panel in maps] == ["MRPC", "STS-B", "SST-2", "facts", "zoo"]
    assert [text.get_text() for text in maps[3].texts] == [NOT_LEARNED]
    np.testing.assert_allclose(
        cells(maps[4]),
        cells(
            titled(
                kovaleva_figure_5_change.draw(
                    change, learned("mrpc", "stsb", "sst2", "qnli", but_not=("rte",)), NO_CURVES
                )
            )[3]
        ),
    )


def random_features(*tasks, layers=3, heads=4):
    """Return ``kovaleva_features`` of some tasks."""
    rows = itertools.product(
        tasks, columns.MODELS, FEATURES, columns.VARIANTS, range(1, layers + 1), range(1, heads + 1)
    )
    table = pd.DataFrame(rows, columns=["task", "model", "feature", "variant", "layer", "head"])
    return table.assign(attention=np.random.default_rng(0).uniform(0.1, 0.8, len(table)), n=LEAST_EXAMPLES)


def test_the_figure_shows_attention_to_special_tokens():
    table = random_features("sst2", "mrpc")
    scores = learned(*TASK_LABELS)
    figure = kovaleva_figure_6_features.draw(table, scores, curves_of("kovaleva_figure_6_features"))
    maps = [panel for panel in figure.axes if panel.collections and not panel.lines][:4]
    described = table.query("variant == 'described' and feature in ('cls', 'sep')")
    finetuned = described[described["model"] == "finetuned"]
    for feature, panels in (("sep", maps[:2]), ("cls", maps[2:])):
        of_feature = finetuned.loc[finetuned["feature"] == feature, "attention"]
        assert shades_of(panels) == pytest.approx((0, of_feature.quantile(0.98, "lower")))
    for panel, (feature, task) in zip(maps, itertools.product(("sep", "cls"), ("mrpc", "sst2")), strict=True):
        rows = finetuned[(finetuned["feature"] == feature) & (finetuned["task"] == task)]
        np.testing.assert_allclose(cells(panel), by_head(rows, "attention"))
    means = [panel for panel in figure.axes if panel.lines]
    rows = described.groupby(["task", "feature", "model", "layer"])["attention"].mean()
    for panel, task in zip(means, ("mrpc", "sst2"), strict=True):
        for feature, label in (("sep", "[SEP]"), ("cls", "[CLS]")):
            for model, name in (("finetuned", label), ("pretrained", f"{label}, before")):
                assert line(panel, name).get_ydata() == pytest.approx(rows[task, feature, model])
    highest = sorted(curve.get_ydata().max() for curve in published_in(means[1]))
    assert highest == pytest.approx([0.34, 0.65], abs=0.01)
    assert entries(figure.legends[0]) == ["[SEP]", "[CLS]", "before fine-tuning", "published"]


@pytest.mark.parametrize(("attention", "n"), [(np.nan, 0), (2.0, LEAST_EXAMPLES - 1)])
def test_the_figure_shows_attention_to_words_with_features(attention, n):
    """A feature with few examples is gray."""
    table = random_features("sst2", "mrpc")
    table.loc[(table["feature"] == "negation") & (table["task"] == "sst2"), ["attention", "n"]] = [attention, n]
    figure = kovaleva_figure_6b_features.draw(table, learned(*TASK_LABELS))
    maps = figure.axes[: 2 * len(WORD_FEATURES)]
    finetuned = table.query("variant == 'described' and model == 'finetuned' and feature in @WORD_FEATURES")
    shown = finetuned.loc[finetuned["attention"] < 1, "attention"]
    assert shades_of(maps) == pytest.approx((0, shown.quantile(0.98, "lower")))
    assert [panel.get_title(loc="left") for panel in maps[:2]] == ["MRPC", "SST-2"]
    assert [panel.get_ylabel() for panel in maps[:5:2]] == ["nouns\nlayer", "verbs\nlayer", "pronouns\nlayer"]
    for panel, (feature, task) in zip(maps, itertools.product(WORD_FEATURES, ("mrpc", "sst2")), strict=True):
        rows = finetuned[(finetuned["feature"] == feature) & (finetuned["task"] == task)]
        if (feature, task) == ("negation", "sst2"):
            assert cells(panel).isna().all(axis=None)
            assert [text.get_text() for text in panel.texts] == ([] if n else ["not measured"])
        else:
            np.testing.assert_allclose(cells(panel), by_head(rows, "attention"))
    assert to_hex(maps[0].get_facecolor()) == UNKNOWN.lower()
    assert entries(figure.legends[0]) == ["fewer than 20 examples"]


@pytest.mark.parametrize(
    ("figure", "arguments", "feature", "highest"),
    [
        (kovaleva_figure_6_features, {"published": NO_CURVES}, "sep", 0.97),
        (kovaleva_figure_6b_features, {}, "negation", 0.93),
        (kovaleva_figure_7_cls, {}, "noun", 0.99),
    ],
)
def test_a_single_cell_does_not_darken_all_others(figure, arguments, feature, highest):
    """The color bar has an arrow, and the value of the cell."""
    table = random_features("sst2", "mrpc", layers=6, heads=12)
    table = table[table["layer"] == 6] if figure is kovaleva_figure_7_cls else table
    cell = table.query("task == 'sst2' and model == 'finetuned' and variant == 'described' and feature == @feature")
    table.loc[cell.index[0], "attention"] = highest
    drawn = figure.draw(table, learned(*TASK_LABELS), **arguments)
    assert shades_of(titled(drawn)[:1])[1] < 0.8
    assert f"max. {highest:.0%}" in [axes.get_title() for axes in drawn.axes]


@pytest.mark.parametrize("figure", [kovaleva_figure_6b_features, kovaleva_figure_7_cls])
@pytest.mark.parametrize("attention", [np.nan, 0.0])
def test_the_color_bar_has_shares_if_nothing_is_measured_or_attended_to(figure, attention):
    table = random_features("sst2", layers=1).assign(attention=attention)
    drawn = figure.draw(table, learned(*TASK_LABELS))
    (bar,) = (axes for axes in drawn.axes if "attention" in axes.get_ylabel())
    assert bar.get_ylim() == (0, 1)


@pytest.mark.parametrize(("attention", "n"), [(np.nan, 0), (2.0, LEAST_EXAMPLES - 1)])
def test_the_figure_shows_attention_from_cls(attention, n):
    tasks = ("mrpc", "sst2", "qqp", "rte", "qnli")
    table = random_features(*reversed(tasks), layers=1).drop(columns="layer")
    table.loc[(table["feature"] == "negation") & (table["task"] == "mrpc"), ["attention", "n"]] = [attention, n]
    figure = kovaleva_figure_7_cls.draw(table, learned(*TASK_LABELS))
    finetuned = table.query("variant == 'described' and model == 'finetuned'")
    maps = titled(figure)
    for task, panel in zip(tasks, maps, strict=True):
        rows = finetuned[(finetuned["task"] == task) & (finetuned["n"] >= LEAST_EXAMPLES)]
        values = rows.pivot_table(index="head", columns="feature", values="attention").reindex(columns=IN_FIGURE_7)
        np.testing.assert_allclose(cells(panel)[:-1], values)
        np.testing.assert_allclose(cells(panel).iloc[-1], values.mean())
    assert shades_of(maps)[1] < 1
    assert [tick.get_text() for tick in maps[0].get_yticklabels()] == ["1", "2", "3", "4", "mean"]
    assert [tick.get_text() for tick in maps[0].get_xticklabels()][5:7] == [f"negation ({n})", "[CLS] (20)"]
    texts = [(text.get_text(), text.get_position()[0]) for text in maps[0].texts]
    assert texts == ([] if n else [("not measured", 5.5)])
    assert entries(figure.legends[0]) == ["fewer than 20 examples"]
    common = table[(table["task"] == "sst2") & (table["n"] >= LEAST_EXAMPLES)]
    assert not kovaleva_figure_7_cls.draw(common, learned(*TASK_LABELS)).legends


def disabled_table(seed=0, **numbers):
    """Return a row for each task, metric and combination of numbers. Some intervals of the difference exclude 0."""
    random = np.random.default_rng(seed)
    metrics = [(task, metric) for task, of_task in METRICS.items() for metric in of_task]
    rows = [(*names, *row) for names in metrics for row in itertools.product(*numbers.values())]
    table = pd.DataFrame(rows, columns=["task", "metric", *numbers])
    baseline = table.groupby(["task", "metric"]).ngroup() / 20 + 0.6
    difference, spread = random.normal(0, 0.02, len(table)), random.uniform(0, 0.03, len(table))
    bounds = {"low": difference - spread, "high": difference + spread}
    return table.assign(difference=difference, **bounds, value=baseline + difference, baseline=baseline, n=9)


def main_rows(table, task):
    return table[(table["task"] == task) & (table["metric"] == MAIN_METRICS[task])]


def draw_without_heads(table):
    figure = kovaleva_figure_8_disabled_heads.draw(table, learned(*METRICS))
    return figure, titled(figure)


@pytest.fixture
def without_heads():
    return disabled_table(layer=range(1, 4), head=range(1, 5))


def test_the_figure_shows_changes_without_each_head(without_heads):
    _, panels = draw_without_heads(without_heads)
    for task, panel in zip(METRICS, panels, strict=True):
        rows = main_rows(without_heads, task)
        np.testing.assert_allclose(cells(panel), 100 * by_head(rows, "difference"))
        clear = (rows["low"] > 0) | (rows["high"] < 0)
        assert 0 < clear.sum() < len(rows)
        (dots,) = panel.lines
        np.testing.assert_allclose(dots.get_xydata(), rows.loc[clear, ["head", "layer"]] - 0.5)
    titles = [panel.get_title(loc="left") for panel in panels]
    assert titles == ["MRPC: F1 65.0", "STS-B: Pearson 75.0", "RTE: accuracy 70.0"]
    ends = [shades_of([panel]) for panel in panels]
    assert all(low == -high for low, high in ends)
    without_heads.loc[3, "difference"] -= 0.5
    changed = [shades_of([panel])[1] for panel in draw_without_heads(without_heads)[1]]
    assert changed[0] < 2 * ends[0][1]  # one head does not stretch the colors of its task
    assert changed[1:] == [high for _, high in ends[1:]]  # nor those of another task


@pytest.mark.parametrize(("task", "half_width"), [("rte", 0.2), ("mrpc", 0.06)])
def test_changes_smaller_than_their_intervals_are_pale(without_heads, task, half_width):
    """The colors of a task reach as far as its intervals. No head is gray, and other tasks keep their colors."""
    before = [shades_of([panel]) for panel in draw_without_heads(without_heads)[1]]
    rows = without_heads["task"] == task
    difference = without_heads.loc[rows, "difference"]
    without_heads.loc[rows, ["low", "high"]] = np.array([difference - half_width, difference + half_width]).T
    figure, panels = draw_without_heads(without_heads)
    for name, panel, shades in zip(METRICS, panels, before, strict=True):
        assert shades_of([panel]) == (pytest.approx((-100 * half_width, 100 * half_width)) if name == task else shades)
        assert cells(panel).notna().all(axis=None)
    assert panels[0].get_xlabel() == "head (9 examples)"
    assert entries(figure.legends[0]) == ["interval of the change excludes 0"]


def test_heads_that_change_nothing_are_white(without_heads):
    _, panels = draw_without_heads(without_heads.assign(difference=0.0, low=0.0, high=0.0))
    assert (cells(panels[0]) == 0).all(axis=None)
    assert panels[0].collections[0].get_clim() == (-1, 1)
    assert not len(panels[0].lines[0].get_xydata())


def test_the_legend_has_no_published_curves_of_other_tasks(change):
    """No curve was published for a task of one's own."""
    own = {"rte": "zoo", "mrpc": "facts"}
    change = change[change["task"].isin(own)].replace({"task": own})
    scores, features = learned("zoo", "facts"), random_features("zoo", "facts")
    for module, table in ((kovaleva_figure_5_change, change), (kovaleva_figure_6_features, features)):
        curves = curves_of(f"kovaleva_{module.__name__.rpartition('.')[2]}")
        assert len(curves)
        figure = module.draw(table, scores, curves)
        assert "published" not in entries(figure.legends[0])


def test_the_figure_shows_scores_without_each_layer():
    layers = disabled_table(layer=range(1, 4))
    random = disabled_table(seed=1, draw=range(1, 6)).assign(heads=4)
    curves = curves_of("kovaleva_figure_9_disabled_layers")
    figure = kovaleva_figure_9_disabled_layers.draw(layers, random, learned(*METRICS), curves)
    assert "published" in entries(figure.legends[0])
    of_others = curves.assign(series="other")
    figure_of_own = kovaleva_figure_9_disabled_layers.draw(layers, random, learned(*METRICS), of_others)
    assert "published" not in entries(figure_of_own.legends[0])
    for task, panel in zip(METRICS, figure.axes, strict=True):
        rows, sets = main_rows(layers, task), main_rows(random, task)
        values = line(panel, "one layer")
        np.testing.assert_allclose(values.get_xydata(), rows[["layer", "value"]] * [1, 100])
        across = [drawn.get_ydata()[0] for drawn in panel.lines if len(set(drawn.get_ydata())) == 1]
        assert across == pytest.approx([100 * sets["value"].mean(), 100 * rows["baseline"].iloc[0]])
        (span,) = panel.patches
        assert span.get_y() == pytest.approx(100 * sets["value"].min())
        assert span.get_y() + span.get_height() == pytest.approx(100 * sets["value"].max())
        (band,) = panel.collections
        edges = band.get_paths()[0].vertices[:, 1]
        bounds = 100 * (rows["baseline"] + rows["low"]).min(), 100 * (rows["baseline"] + rows["high"]).max()
        assert (edges.min(), edges.max()) == pytest.approx(bounds)
    (published,) = published_in(figure.axes[0])
    assert np.argmax(published.get_ydata()) == 10  # layer 11 of MRPC
    assert max(published.get_ydata()) == pytest.approx(88.7)
    assert entries(figure.legends[0])[2:] == ["without 4 random heads: mean", "range", "published"]
