"""The codebook of the result tables."""

import pytest

from bert_attention.paper.codebook import codebook, column_meanings, meaning
from bert_attention.results import results

TABLES = results().tables


@pytest.mark.parametrize("table", TABLES)
def test_every_column_is_described(table):
    for column in TABLES[table].columns:
        assert meaning(table, column).strip().endswith("."), column


def test_every_description_is_of_a_column():
    columns = {(name, column) for name, entry in TABLES.items() for column in entry.columns}
    known = {key for name, column in columns for key in (f"{name}.{column}", column)}
    assert set(column_meanings()) <= known
    shared = {column for name, column in columns if f"{name}.{column}" not in column_meanings()}
    assert {key for key in column_meanings() if "." not in key} == shared


def test_the_codebook_has_the_tables_in_order_with_the_bounds_of_intervals():
    text = codebook(["vig_patterns", "clark_positions", "no_table"])
    assert [line for line in text.splitlines() if line.startswith("#")] == [
        "# Codebook",
        "## clark_positions",
        "## vig_patterns",
    ]
    assert TABLES["vig_patterns"].description in text
    assert "| `attention` (`low`, `high`) | The mean attention, as a fraction. |" in text
    assert "| `share` (`share_low`, `share_high`) | " in text
