"""The codebook of the result tables."""

import pytest

from bert_attention.paper.codebook import codebook
from bert_attention.results import results

TABLES = results().tables


@pytest.mark.parametrize("table", TABLES)
def test_every_column_is_described(table):
    for column in TABLES[table].columns:
        assert results().meaning(table, column).strip().endswith("."), column


@pytest.mark.parametrize("paper", results().columns)
def test_every_description_is_of_a_column(paper):
    """A paper describes columns of its own tables, and columns of several papers are described once."""
    own = {name: entry for name, entry in TABLES.items() if paper in (name.partition("_")[0], "")}
    assert own
    known = {key for name, entry in own.items() for column in entry.columns for key in (f"{name}.{column}", column)}
    assert set(results().columns[paper]) <= known


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
