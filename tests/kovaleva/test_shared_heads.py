"""Heads that tasks share: known answers."""

import itertools

import numpy as np
import pandas as pd
import pytest

from bert_attention.heads import head_table
from bert_attention.kovaleva.shared_heads import shared_heads


def table_of(task, values, odd=None, even=None, metric="accuracy"):
    halves = {"odd_blocks": values if odd is None else odd, "even_blocks": values if even is None else even}
    return head_table(value=values, **halves).assign(task=task, metric=metric)


def shared(*tables, seed=0):
    return shared_heads(pd.concat(tables, ignore_index=True), seed).set_index(["task_a", "task_b", "worst"])


def test_two_tasks_that_need_the_same_heads():
    values = np.random.default_rng(0).permutation(24.0 + np.arange(24)).reshape(4, 6)
    rows = shared(table_of("rte", values), table_of("sst2", values**2))
    row = rows.loc[("rte", "sst2", 2)]
    assert (row["overlap"], row["n"]) == (2, 24)
    assert row["spearman"] == pytest.approx(1)
    assert row["chance"] == pytest.approx(2 * 2 / 24)
    assert row["p"] == pytest.approx(2 / (24 * 23), abs=0.003)


def test_two_tasks_that_need_different_heads():
    values = np.arange(24.0).reshape(4, 6)
    row = shared(table_of("rte", values), table_of("sst2", -values)).loc[("rte", "sst2", 10)]
    assert (row["overlap"], row["p"]) == (0, 1)
    assert row["spearman"] == pytest.approx(-1)


def test_agreement_on_a_layer_is_none_on_heads():
    """Both tasks need two heads of the last layer, and one of them is the same."""
    a, b = np.full((2, 3, 4), 0.5)
    a[2, [0, 1]] = b[2, [1, 2]] = 0.1
    row = shared(table_of("rte", a), table_of("sst2", b)).loc[("rte", "sst2", 2)]
    assert row["overlap"] == 1
    assert row["chance"] == pytest.approx(4 / 12)
    assert row["chance_in_layer"] == pytest.approx(1)
    pairs = list(itertools.combinations(range(4), 2))
    expected = np.mean([len({0, 1} & set(pair)) >= 1 for pair in pairs])
    assert row["p_in_layer"] == pytest.approx(expected, abs=0.03)


def test_heads_that_tie_for_the_last_place_count_in_part():
    a = np.array([[0.1, 0.2, 0.2, 0.9]])
    row = shared(table_of("rte", a), table_of("sst2", a)).loc[("rte", "sst2", 2)]
    assert row["overlap"] == 1 + 2 * 0.5 * 0.5


def test_a_task_is_compared_with_itself_by_halves_of_its_examples():
    a = np.arange(12.0).reshape(3, 4)
    rows = shared(table_of("rte", a, odd=a, even=-a))
    assert rows.index.get_level_values("task_b").tolist() == ["rte", "rte"]
    assert rows.loc[("rte", "rte", 2), "spearman"] == pytest.approx(-1)


def test_heads_that_all_do_alike_correlate_with_nothing():
    values = np.full((2, 2), 0.5)
    row = shared(table_of("rte", values)).loc[("rte", "rte", 2)]
    assert np.isnan(row["spearman"])
    assert row["overlap"] == row["chance"] == 1


def test_each_task_goes_by_its_main_metric():
    a = np.arange(6.0).reshape(2, 3)
    tables = (table_of("mrpc", -a), table_of("mrpc", a, metric="f1"), table_of("stsb", a, metric="pearson"))
    assert shared(*tables).loc[("mrpc", "stsb", 2), "spearman"] == pytest.approx(1)
