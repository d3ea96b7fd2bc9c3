"""Patterns of heads: how often they repeat across heads and tasks, by loops over pairs of maps."""

import itertools
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from bert_attention.corpora.types import PATTERNS
from bert_attention.papers.kovaleva.columns import MODELS
from bert_attention.papers.kovaleva.pattern_heads import repetition, sums, table
from bert_attention.papers.kovaleva.pattern_rules import patterns_by_rules
from bert_attention.statistics.sums import Sums
from tests.kovaleva.drawn_patterns import drawn_attention

TOKENS, SEPARATOR, LAYERS, HEADS = 18, 8, 2, 3


def sequences(seed, count=4):
    """Return inputs of two sentences, each with a random pattern in each of six heads."""
    random = np.random.default_rng(seed)
    sep = np.isin(np.arange(TOKENS), [SEPARATOR, TOKENS - 1])
    kinds = random.choice(PATTERNS, (count, LAYERS * HEADS), p=[0.4, 0.2, 0.2, 0.1, 0.1])
    maps = [np.stack([drawn_attention(str(kind), TOKENS, SEPARATOR, random) for kind in each]) for each in kinds]
    shape = (LAYERS, HEADS, TOKENS, TOKENS)
    return [SimpleNamespace(attention=each.reshape(shape), categories={"sep": sep}) for each in maps]


@pytest.fixture(scope="module")
def stored():
    """The inputs of three tasks, before and after fine-tuning."""
    tasks = enumerate(("sst2", "rte", "nsp"))
    return {task: {model: sequences(10 * seed + i) for i, model in enumerate(MODELS)} for seed, task in tasks}


@pytest.fixture(scope="module")
def heads(stored):
    """Table ``kovaleva_pattern_heads``."""
    tables = []
    for task, inputs in stored.items():
        units = itertools.starmap(sums, zip(*inputs.values(), strict=True))
        tables.append(table(Sums.of(units, range(4))).assign(task=task))
    return pd.concat(tables, ignore_index=True)


def plain_patterns(inputs):
    """The patterns of each example, by head."""
    found = [patterns_by_rules(sequence.attention, SEPARATOR, 1) for sequence in inputs]
    return [{head: PATTERNS[each[head]] for head in np.ndindex(each.shape)} for each in found]


def test_shares_of_patterns_by_head(heads, stored):
    assert len(heads) == 3 * 2 * 5 * LAYERS * HEADS
    for row in heads.itertuples():
        patterns = [each[row.layer - 1, row.head - 1] for each in plain_patterns(stored[row.task][row.model])]
        assert row.share == patterns.count(row.pattern) / 4
        assert row.n == 4


def test_repetition_is_the_share_of_pairs_of_maps_with_the_same_pattern(heads, stored):
    found = repetition(heads)
    assert len(found) == 2 * (3 + 3 * 2)
    for row in found.itertuples():
        a, b = (plain_patterns(stored[task][row.model]) for task in (row.task_a, row.task_b))
        assert row.tasks == ("same" if row.task_a == row.task_b else "different")
        agree = [
            one[head_a] == other[head_b]
            for one, other in itertools.product(a, b)
            for head_a, head_b in itertools.product(one, other)
            if (head_a == head_b) == (row.heads == "same")
        ]
        assert row.share == pytest.approx(np.mean(agree, dtype=np.float64))
        assert row.n == len(agree) / 16


def test_heads_with_one_pattern_each_repeat_it_in_all_tasks(heads):
    pattern = (heads["layer"] - 1) * HEADS + heads["head"] - 1
    fixed = heads.assign(share=(heads["pattern"].map(PATTERNS.index) == pattern % 5).astype(float))
    shares = repetition(fixed).groupby(["tasks", "heads"])["share"].agg(["min", "max"])
    assert shares.loc[("different", "same")].tolist() == [1, 1]
    assert shares.loc[("same", "different")].tolist() == pytest.approx([2 / 30] * 2)  # heads 1 and 6 are alike
