"""Figures of patterns, frames and attention maps of Kovaleva et al. 2019 (1, 2, 3, 10) show their tables."""

import itertools

import numpy as np
import pandas as pd
import pytest
from matplotlib.colors import to_hex

from bert_attention.corpora.types import PATTERN_LABELS, PATTERNS
from bert_attention.heads import cell_table
from bert_attention.papers.kovaleva.columns import FRAME_LINKS, PATTERN_METHODS, VARIANTS
from bert_attention.papers.kovaleva.figures import figure_1_patterns as kovaleva_figure_1_patterns
from bert_attention.papers.kovaleva.figures import figure_2_patterns as kovaleva_figure_2_patterns
from bert_attention.papers.kovaleva.figures import figure_3_frames as kovaleva_figure_3_frames
from bert_attention.papers.kovaleva.figures import figure_10_maps as kovaleva_figure_10_maps
from bert_attention.papers.kovaleva.figures.head_maps import NOT_LEARNED
from tests.figures.reading import entries
from tests.kovaleva.figures.scores import learned

JOINED = "block_or_heterogeneous"
DRAWN = dict.fromkeys(PATTERN_METHODS, PATTERNS) | {"corrected": (*PATTERNS[:3], JOINED)}


def test_examples_of_patterns_are_in_the_papers_order():
    random = np.random.default_rng(1)
    of_block, of_vertical = random.dirichlet(np.ones(5), 5), random.dirichlet(np.ones(4), 4)
    block = {"pattern": "block", "weights": "finetuned", "task": "rte", "layer": 2, "head": 11, "separator": 2}
    vertical = {"pattern": "vertical", "weights": "pretrained", "task": "sst2", "layer": 1, "head": 4, "separator": 3}
    table = pd.concat(
        [
            cell_table({"query": 0, "key": 0}, weight=of_block).assign(**block),
            cell_table({"query": 0, "key": 0}, weight=of_vertical).assign(**vertical),
        ]
    )
    figure = kovaleva_figure_1_patterns.draw(table.sample(frac=1, random_state=1))
    first, second = figure.axes
    assert [panel.get_title() for panel in figure.axes] == ["vertical", "block"]
    assert first.get_xlabel() == "head 1-4\nSST-2, pre-trained"
    assert second.get_xlabel() == "head 2-11\nRTE, fine-tuned"
    assert np.allclose(second.images[0].get_array(), of_block)
    assert second.images[0].get_clim() == (0, np.percentile(of_block, 99))
    assert np.allclose(first.images[0].get_array(), of_vertical)
    assert [label.get_text() for label in second.get_xticklabels()] == ["[CLS]", "[SEP]", "[SEP]"]
    assert list(second.get_yticks()) == [0, 2, 4]


@pytest.fixture
def patterns():
    random = np.random.default_rng(3)
    rows = []
    for task, model, method in itertools.product(("sst2", "mrpc"), ("pretrained", "finetuned"), PATTERN_METHODS):
        names = DRAWN[method]
        shares = dict(zip(names, random.dirichlet(np.ones(len(names))), strict=True))
        shares.setdefault(JOINED, shares.get("block", 0) + shares.get("heterogeneous", 0))
        rows += [(task, model, method, pattern, share) for pattern, share in shares.items()]
    table = pd.DataFrame(rows, columns=["task", "model", "method", "pattern", "share"])
    return table.assign(low=table["share"] - 0.01, high=table["share"] + 0.02).sample(frac=1, random_state=1)


def test_the_figure_stacks_shares_of_patterns(patterns):
    figure = kovaleva_figure_2_patterns.draw(patterns, learned("mrpc", but_not=("sst2",)))
    (panel,) = figure.axes
    expected = patterns.query("model == 'finetuned'").set_index(["task", "method", "pattern"])["share"]
    bars, lines = panel.containers, panel.collections  # by method, then by pattern, with one bar for each task
    assert len(bars) == len(lines) == 5 + 4 + 5
    found = iter(zip(bars, lines, strict=True))
    for method in PATTERN_METHODS:
        top = np.zeros(2)
        for pattern in DRAWN[method]:
            stack, intervals = next(found)
            assert [bar.get_y() for bar in stack] == pytest.approx(top)
            heights = np.array([bar.get_height() for bar in stack])
            assert heights == pytest.approx([expected[task, method, pattern] for task in ("mrpc", "sst2")])
            # The interval is around the upper end of a share, or around the lower end of the last share.
            is_last = pattern == DRAWN[method][-1]
            ends = (1 - heights - 0.02, 1 - heights + 0.01) if is_last else (top + heights - 0.01, top + heights + 0.02)
            for bar, interval, *bounds in zip(stack, intervals.get_segments(), *ends, strict=True):
                assert bar.get_x() < interval[0, 0] == interval[1, 0] < bar.get_x() + bar.get_width()
                assert interval[:, 1] == pytest.approx(np.clip(bounds, 0, 1))
            top += heights
        assert top == pytest.approx(1)
    assert [label.get_text() for label in panel.get_xticklabels()] == [*PATTERN_METHODS] * 2
    assert entries(figure.legends[0]) == [*PATTERN_LABELS.values(), "block or heterogeneous"]
    texts = [(text.get_text(), text.get_position()[0]) for text in panel.texts]
    assert texts[2] == (NOT_LEARNED, 1)
    assert [text for text, _ in texts[:2]] == ["MRPC", "SST-2"]


def outlines(panel):
    """The colors of outlines, with the corners of the outlined cells."""
    return [(to_hex(patch.get_edgecolor()), patch.get_xy()) for patch in panel.patches]


def test_the_figure_shows_attention_in_frames():
    attention = np.arange(1, 1 + len(VARIANTS) * len(FRAME_LINKS) * 6).reshape(len(VARIANTS), len(FRAME_LINKS), 2, 3)
    highest = np.zeros_like(attention, bool)
    highest[:, 0, 1, 2] = highest[:, 1, 0, 0] = True
    axes = {"variant": VARIANTS, "link": FRAME_LINKS, "layer": 1, "head": 1}
    frames = cell_table(axes, attention=attention / 100, above_99th_percentile=highest).sample(frac=1, random_state=0)
    frames.loc[frames["link"] == "random_pair", "attention"] = np.nan  # no sentence has other pairs at equal distance
    weights = np.random.default_rng(0).uniform(size=(2, 3, 3))
    tokens = np.array(["a", "b", "a"])
    example = cell_table({"layer": (2, 1), "query": 0, "key": 0}, weight=weights)
    example = example.assign(head=example["layer"] + 1, key_token=tokens[example["key"]])
    example["linked"] = (example["query"] == 0) & (example["key"] == 2)

    figure = kovaleva_figure_3_frames.draw(frames, example)
    *panels, bar, first, second, example_bar = figure.axes
    above, linked = (to_hex(entry.get_edgecolor()) for entry in figure.subfigs[0].legends[0].get_patches())
    assert above != linked
    described = attention[VARIANTS.index("described"), :2] / 100
    for panel, values, at in zip(panels, described, ((2, 1), (0, 0)), strict=False):
        np.testing.assert_allclose(panel.collections[0].get_array(), values)
        assert panel.collections[0].get_clim() == (0, described.max())
        assert panel.get_ylim() == (2, 0)  # layer 1 is at the top, as in the paper
        assert outlines(panel) == [(above, at)]
    assert panels[2].collections[0].get_array().mask.all()
    for panel, title, values in zip((first, second), ("(d) head 2-3", "(e) head 1-2"), weights, strict=True):
        assert panel.get_title(loc="left") == title
        np.testing.assert_allclose(panel.collections[0].get_array(), values)
        assert panel.collections[0].get_clim() == (0, 1)
        assert [label.get_text() for label in panel.get_xticklabels()] == list(tokens)
        assert outlines(panel) == [(linked, (2, 0))]
    assert [label.get_text() for label in first.get_yticklabels()] == list(tokens)
    assert [bar.get_ylabel(), example_bar.get_ylabel()] == ["mean attention", "attention"]


def all_maps(task, tokens):
    """Return the rows of a task, and its maps ``[layer, head, query, key]``."""
    attention = np.random.default_rng(tokens).dirichlet(np.ones(tokens), (2, 3, tokens))
    rows = cell_table({"layer": 1, "head": 1, "query": 0, "key": 0}, weight=attention)
    return rows.assign(task=task).sample(frac=1, random_state=1), attention


def titles(figure):
    return [panel.get_title(loc="left") for panel in figure.axes if panel.images]


def test_every_map_is_at_its_layer_and_head():
    (of_rte, _), (of_mrpc, attention) = all_maps("rte", 4), all_maps("mrpc", 5)
    figure = kovaleva_figure_10_maps.draw(pd.concat([of_rte, of_mrpc]))
    assert titles(figure) == ["MRPC: 5 tokens", "RTE: 4 tokens"]
    panel = figure.axes[0]
    (image,) = panel.images
    assert image.get_clim() == (0, 1)
    picture = np.ma.filled(image.get_array(), np.nan)
    assert np.isnan(picture).sum() == picture.size - attention.size
    for layer, down in enumerate(panel.get_yticks()):
        for head, right in enumerate(panel.get_xticks()):
            found = picture[int(down) - 2 : int(down) + 3, int(right) - 2 : int(right) + 3]
            np.testing.assert_allclose(found, attention[layer, head])
    assert panel.yaxis_inverted()


@pytest.mark.parametrize(
    ("tasks", "shown"),
    [
        (("qnli", "rte", "sst2", "stsb", "qqp"), ["STS-B", "SST-2", "QQP", "RTE"]),
        (("rte",), ["RTE"]),
    ],
)
def test_the_papers_tasks_come_first_and_other_tasks_fill_up(tasks, shown):
    figure = kovaleva_figure_10_maps.draw(pd.concat([all_maps(task, 2)[0] for task in tasks]))
    assert titles(figure) == [f"{name}: 2 tokens" for name in shown]
