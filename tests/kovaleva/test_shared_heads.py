"""Heads that tasks share: known answers."""

import numpy as np
import pandas as pd
import pytest

from bert_attention.heads import head_table
from bert_attention.papers.kovaleva.shared_heads import shared_heads

VALUES = np.random.default_rng(0).permutation(24.0 + np.arange(24)).reshape(4, 6)


def table_of(task, values, odd=None, even=None, metric="accuracy"):
    halves = {"odd_blocks": values if odd is None else odd, "even_blocks": values if even is None else even}
    return head_table(value=values, **halves).assign(task=task, metric=metric)


def shared(*tables):
    return shared_heads(pd.concat(tables, ignore_index=True), seed=0).set_index(["task_a", "task_b", "worst"])


def test_tasks_agree_if_they_need_the_same_heads():
    tables = [table_of("rte", VALUES), table_of("sst2", VALUES**2), table_of("mrpc", -VALUES, metric="f1")]
    rows = shared(*tables, table_of("mrpc", VALUES))  # skipped, because accuracy is not the main metric of MRPC
    same, different = rows.loc[("rte", "sst2", 2)], rows.loc[("rte", "mrpc", 10)]
    assert same[["overlap", "n", "spearman"]].tolist() == pytest.approx([2, 24, 1])
    assert same["chance"] == pytest.approx(2 * 2 / 24)
    assert same["p"] == pytest.approx(2 / (24 * 23), abs=0.003)
    assert different[["overlap", "p", "spearman"]].tolist() == pytest.approx([0, 1, -1])


def test_agreement_on_a_layer_is_not_agreement_on_heads():
    """Both tasks need two of the last layer's four heads. One of them is the same, as for 5 of 6 random pairs."""
    a, b = np.full((2, 3, 4), 0.5)
    a[2, [0, 1]] = b[2, [1, 2]] = 0.1
    row = shared(table_of("rte", a), table_of("sst2", b)).loc[("rte", "sst2", 2)]
    assert row[["overlap", "chance", "chance_in_layer"]].tolist() == pytest.approx([1, 4 / 12, 1])
    assert row["p_in_layer"] == pytest.approx(5 / 6, abs=0.03)


def test_heads_that_tie_for_the_last_rank_are_counted_fractionally():
    a = np.array([[0.1, 0.2, 0.2, 0.9]])
    row = shared(table_of("rte", a), table_of("sst2", a)).loc[("rte", "sst2", 2)]
    assert row["overlap"] == 1 + 2 * 0.5 * 0.5


def test_a_task_is_compared_with_itself_by_halves_of_its_examples():
    row = shared(table_of("rte", VALUES, odd=VALUES, even=-VALUES)).loc[("rte", "rte", 2)]
    assert row["spearman"] == pytest.approx(-1)


def test_equal_values_have_no_correlation():
    row = shared(table_of("rte", np.full((2, 2), 0.5))).loc[("rte", "rte", 2)]
    assert np.isnan(row["spearman"])
    assert row["overlap"] == row["chance"] == 1
