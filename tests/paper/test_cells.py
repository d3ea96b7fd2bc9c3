"""Cells of result tables for the prose of the paper."""

import pandas as pd
import pytest

from bert_attention.paper.cells import (
    MissingCellError,
    accuracy,
    cell,
    layer_means,
    p_value,
    peak,
    row,
    shares,
    values,
)


@pytest.fixture
def heads():
    return pd.DataFrame(
        {
            "layer": [0, 1, 1, 2, 2],
            "head": [None, 1, 2, 1, 2],
            "kind": ["a", "a", "a", "a", "b"],
            "value": [9.0, 0.1, 0.3, 0.5, None],
        }
    )


def test_a_cell_is_found_by_the_values_of_its_row(heads):
    assert cell(heads, "value", layer=1, head=2) == 0.3
    assert cell(heads, "value", head=None) == 9.0


@pytest.mark.parametrize(
    ("where", "said"),
    [
        ({"layer": 3}, "has no row with layer = 3"),
        ({"layer": 1}, "2 rows have layer = 1, expected one"),
        ({"layer": 2, "head": 2}, "value is empty where layer = 2, head = 2"),
        ({"layer": 1, "head": None}, r"has no row with layer = 1, head = \(empty\)"),
    ],
)
def test_a_missing_cell_is_named(heads, where, said):
    with pytest.raises(MissingCellError, match=said):
        cell(heads, "value", **where)


def test_layers_are_averaged_without_that_of_all(heads):
    assert layer_means(heads, "value", kind="a").to_dict() == pytest.approx({1: 0.2, 2: 0.5})
    assert peak(layer_means(heads, "value", kind="a")) == "50.0\N{NO-BREAK SPACE}% in layer 2"


def test_a_mean_leaves_no_empty_cell_out(heads):
    with pytest.raises(MissingCellError, match="value has an empty cell"):
        layer_means(heads, "value")
    with pytest.raises(MissingCellError, match="has no row for value"):
        values(heads[heads["layer"] > 2], "value")


def test_texts():
    scored = pd.DataFrame({"accuracy": [0.4405], "low": [0.4337], "high": [0.4479]})
    assert accuracy(row(scored, low=0.4337)) == "44.0\N{NO-BREAK SPACE}% (43.4\N{EN DASH}44.8)"
    assert shares(pd.Series([0.2, 0.1])) == "10.0 to 20.0\N{NO-BREAK SPACE}%"
    assert shares(pd.Series([0.2, 0.2])) == "20.0\N{NO-BREAK SPACE}%"
    assert [p_value(p) for p in (0.0004, 0.0009, 0.012)] == ["p < 0.001", "p = 0.001", "p = 0.012"]
