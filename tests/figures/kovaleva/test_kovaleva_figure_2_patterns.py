"""Figure 2 of Kovaleva et al. 2019: stacked shares of patterns."""

from itertools import pairwise, product

import numpy as np
import pandas as pd
import pytest

from bert_attention.corpora.types import PATTERN_LABELS, PATTERNS
from bert_attention.figures.kovaleva.kovaleva_figure_2_patterns import draw
from bert_attention.kovaleva.column_values import PATTERN_METHODS
from tests.figures.kovaleva.scores import learned
from tests.figures.reading import entries

JOINED = "block_or_heterogeneous"
DRAWN = dict.fromkeys(PATTERN_METHODS, PATTERNS) | {"corrected": (*PATTERNS[:3], JOINED)}


@pytest.fixture
def kovaleva_patterns():
    random = np.random.default_rng(3)
    rows = []
    for task, model, method in product(("sst2", "mrpc"), ("pretrained", "finetuned"), PATTERN_METHODS):
        names = DRAWN[method]
        shares = dict(zip(names, random.dirichlet(np.ones(len(names))), strict=True))
        shares.setdefault(JOINED, shares.get("block", 0) + shares.get("heterogeneous", 0))
        rows += [
            {"task": task, "model": model, "method": method, "pattern": pattern}
            | {"share": share, "low": share - 0.01, "high": share + 0.02}
            for pattern, share in shares.items()
        ]
    return pd.DataFrame(rows).sample(frac=1, random_state=1)


def test_bars_are_the_shares_of_fine_tuned_models_by_task_and_method(kovaleva_patterns):
    figure = draw(kovaleva_patterns, learned("sst2", "mrpc"))
    (panel,) = figure.axes
    expected = kovaleva_patterns.query("model == 'finetuned'").set_index(["task", "method", "pattern"])["share"]
    bars, lines = panel.containers, panel.collections  # by method, then by pattern, each with one a task
    assert len(bars) == len(lines) == 5 + 4 + 5
    found = iter(zip(bars, lines, strict=True))
    for method in PATTERN_METHODS:
        top = np.zeros(2)
        for pattern in DRAWN[method]:
            stack, intervals = next(found)
            assert [bar.get_y() for bar in stack] == pytest.approx(top)
            heights = [bar.get_height() for bar in stack]
            assert heights == pytest.approx([expected[task, method, pattern] for task in ("mrpc", "sst2")])
            # A share ends above the ones before it; the last one, which ends at 100 %, begins below.
            around = (
                (1 - np.array(heights), 0.02, 0.01) if pattern in DRAWN[method][-1:] else (top + heights, 0.01, 0.02)
            )
            for bar, line, end in zip(stack, intervals.get_segments(), around[0], strict=True):
                assert bar.get_x() < line[0, 0] == line[1, 0] < bar.get_x() + bar.get_width()
                assert line[:, 1] == pytest.approx(np.clip([end - around[1], end + around[2]], 0, 1))
            top += heights
        assert top == pytest.approx(1)
    assert [text.get_text() for text in panel.texts] == ["MRPC", "SST-2"]
    assert [label.get_text() for label in panel.get_xticklabels()] == [*PATTERN_METHODS] * 2
    assert entries(figure.legends[0]) == [*PATTERN_LABELS.values(), "block or heterogeneous"]


def test_no_two_bars_overlap_and_each_stands_over_its_name(kovaleva_patterns):
    (panel,) = draw(kovaleva_patterns, learned("sst2", "mrpc")).axes
    bottoms = sorted({(bar.get_x(), bar.get_x() + bar.get_width()) for bar in panel.patches})
    assert len(bottoms) == 6
    assert all(before[1] <= after[0] for before, after in pairwise(bottoms))
    assert list(panel.get_xticks()) == pytest.approx([sum(bounds) / 2 for bounds in bottoms])


def test_bars_of_a_task_that_is_not_learned_are_veiled(kovaleva_patterns):
    (panel,) = draw(kovaleva_patterns, learned("mrpc")).axes
    assert [(text.get_text(), text.get_position()[0]) for text in panel.texts if "learned" in text.get_text()] == [
        ("not learned", 1)
    ]
