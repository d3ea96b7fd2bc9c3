"""Figure 2 of Kovaleva et al. 2019: stacked shares of patterns."""

from itertools import pairwise

import numpy as np
import pandas as pd
import pytest

from bert_attention.corpora.types import PATTERN_LABELS, PATTERNS
from bert_attention.figures.kovaleva.kovaleva_figure_2_patterns import draw
from bert_attention.kovaleva.column_values import PATTERN_METHODS
from tests.figures.kovaleva.scores import learnt
from tests.figures.reading import entries


@pytest.fixture
def kovaleva_patterns():
    random = np.random.default_rng(3)
    rows = [
        {"task": task, "model": model, "method": method, "pattern": pattern, "share": share}
        for task in ("sst2", "mrpc")
        for model in ("pretrained", "finetuned")
        for method in PATTERN_METHODS
        for pattern, share in zip(PATTERNS, random.dirichlet(np.ones(5)), strict=True)
    ]
    return pd.DataFrame(rows).sample(frac=1, random_state=1)


def test_bars_are_the_shares_of_fine_tuned_models_by_task_and_method(kovaleva_patterns):
    figure = draw(kovaleva_patterns, learnt("sst2", "mrpc"))
    (panel,) = figure.axes
    expected = kovaleva_patterns.query("model == 'finetuned'").set_index(["task", "method", "pattern"])["share"]
    bars = panel.containers  # by method, then by pattern, each with a bar a task
    assert len(bars) == len(PATTERN_METHODS) * len(PATTERNS)
    found = iter(bars)
    for method in PATTERN_METHODS:
        top = np.zeros(2)
        for pattern in PATTERNS:
            stack = next(found)
            assert [bar.get_y() for bar in stack] == pytest.approx(top)
            heights = [bar.get_height() for bar in stack]
            assert heights == pytest.approx([expected[task, method, pattern] for task in ("mrpc", "sst2")])
            top += heights
        assert top == pytest.approx(1)
    assert [text.get_text() for text in panel.texts] == ["MRPC", "SST-2"]
    assert [label.get_text() for label in panel.get_xticklabels()] == [*PATTERN_METHODS] * 2
    assert entries(figure.legends[0]) == list(PATTERN_LABELS.values())


def test_no_two_bars_overlap_and_each_stands_over_its_name(kovaleva_patterns):
    (panel,) = draw(kovaleva_patterns, learnt("sst2", "mrpc")).axes
    bottoms = sorted({(bar.get_x(), bar.get_x() + bar.get_width()) for bar in panel.patches})
    assert len(bottoms) == 6
    assert all(before[1] <= after[0] for before, after in pairwise(bottoms))
    assert list(panel.get_xticks()) == pytest.approx([sum(bounds) / 2 for bounds in bottoms])


def test_bars_of_a_task_that_is_not_learnt_are_veiled(kovaleva_patterns):
    (panel,) = draw(kovaleva_patterns, learnt("mrpc")).axes
    assert [(text.get_text(), text.get_position()[0]) for text in panel.texts if "learnt" in text.get_text()] == [
        ("not learnt", 1)
    ]
