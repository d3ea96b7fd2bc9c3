"""Figure 5 of Kovaleva et al. 2019: what is drawn is what the table says."""

import itertools

import numpy as np
import pandas as pd
import pytest

from bert_attention.figures import style
from bert_attention.figures.kovaleva.kovaleva_figure_5_change import draw
from bert_attention.kovaleva.column_values import TASK_LABELS
from tests.figures.kovaleva.scores import learned
from tests.figures.reading import NO_CURVES, cells, curves_of, entries, line, shades_of

LINES = (
    ("before and after fine-tuning", "finetuning", "cropped"),
    ("two seeds", "seeds", "cropped"),
    ("before and after, maps padded", "finetuning", "padded"),
)
TASKS = ("rte", "mrpc", "sst2", "qnli", "stsb")


@pytest.fixture
def kovaleva_change():
    random = np.random.default_rng(0)
    rows = itertools.product(TASKS, ("finetuning", "seeds"), ("cropped", "padded"), range(1, 4), range(1, 5))
    table = pd.DataFrame(rows, columns=["task", "compared", "variant", "layer", "head"])
    return table.assign(cosine=random.uniform(0.45, 0.95, len(table)), n=7)


def test_maps_are_of_cropped_maps_and_means_are_of_both(kovaleva_change):
    figure = draw(kovaleva_change, learned(*TASKS), NO_CURVES)
    maps = {panel.get_title(loc="left"): panel for panel in figure.axes if panel.get_title(loc="left")}
    assert list(maps) == ["MRPC", "STS-B", "SST-2", "RTE", "QNLI"]  # as in the paper
    assert shades_of(maps.values()) == pytest.approx((0.4, 1))
    means = [panel for panel in figure.axes if panel.lines]
    for task, below in zip(("mrpc", "stsb", "sst2", "rte", "qnli"), means, strict=True):
        of_task = kovaleva_change.query("task == @task")
        before_and_after = of_task.query("compared == 'finetuning' and variant == 'cropped'")
        values = before_and_after.pivot_table(index="layer", columns="head", values="cosine")
        np.testing.assert_allclose(cells(maps[TASK_LABELS[task]]), values)
        for label, compared, variant in LINES:
            rows = of_task[(of_task["compared"] == compared) & (of_task["variant"] == variant)]
            expected = rows.groupby("layer")["cosine"].mean()
            assert line(below, label).get_ydata() == pytest.approx(expected.to_numpy())
    assert entries(figure.legends[0]) == [label for label, *_ in LINES]
    assert figure.get_figwidth() == style.TEXT_WIDTH


def test_published_means_are_laid_under_ours_of_padded_maps_too(kovaleva_change):
    figure = draw(kovaleva_change, learned(*TASKS), curves_of("kovaleva_figure_5_change"))
    first = next(panel for panel in figure.axes if panel.lines)
    (published,) = [curve for curve in first.lines if len(curve.get_ydata()) == 12]
    assert published.get_ydata()[10] == 0.367
    assert published.get_color() == line(first, "before and after, maps padded").get_color()
    assert first.get_ylim()[0] == pytest.approx(0.3)
    assert entries(figure.legends[0])[-1] == "published"


def test_one_seed_alone_has_no_second_curve(kovaleva_change):
    figure = draw(kovaleva_change[kovaleva_change["compared"] == "finetuning"], learned(*TASKS), NO_CURVES)
    labels = [label for label, compared, _ in LINES if compared == "finetuning"]
    assert entries(figure.legends[0]) == labels


def test_tasks_that_are_not_learned_say_so_and_are_veiled(kovaleva_change):
    panels = draw(kovaleva_change, learned(*TASKS, but_not=("rte",)), NO_CURVES).axes
    titles = [panel.get_title(loc="left") for panel in panels]
    assert [title for title in titles if title] == ["MRPC", "STS-B", "SST-2", "RTE: not learned", "QNLI"]
    veiled = [place for place, panel in enumerate(panels) if panel.patches]
    first = titles.index("RTE: not learned")
    assert veiled == [first, panels.index(next(panel for panel in panels[first + 1 :] if panel.lines))]
