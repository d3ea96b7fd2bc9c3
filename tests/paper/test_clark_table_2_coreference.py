"""Table 2 of Clark et al. 2019, as printed."""

import pandas as pd
import pytest

from bert_attention.clark.column_values import BASELINES, CANDIDATES, COREFERENCE_DIRECTIONS, MENTION_TYPES
from bert_attention.paper.clark_table_2_coreference import format_table
from bert_attention.paper.layout import as_latex, as_markdown
from tests.paper.printed import published_rows

PUBLISHED = published_rows("clark", "table_2")


@pytest.fixture
def table():
    """A table in which each number tells where it should stand."""
    rows = [{"system": name, "candidates": "mentions"} for name in BASELINES]
    rows += [
        {"system": "best_head", "candidates": c, "direction": d, "selection": s, "layer": 3, "head": 1 + n}
        for n, c in enumerate(CANDIDATES)
        for d in COREFERENCE_DIRECTIONS
        for s in ("same_data", "held_out")
    ]
    cells = [
        {**row, "mention_type": name, "accuracy": 0.2 + place / 100 + kind / 1000, "low": 0.1, "high": 0.9, "n": 1000}
        for place, row in enumerate(rows)
        for kind, name in enumerate(MENTION_TYPES)
    ]
    frame = pd.DataFrame(cells).astype({"layer": "Int64", "head": "Int64"})
    gain = (frame["accuracy"] - 0.21).where(frame["system"] == "best_head")
    return frame.assign(gain=gain, gain_low=gain - 0.03, gain_high=gain + 0.03)


def lines_of(table):
    return [row for group in table.groups for row in group]


def test_each_number_stands_in_its_place(table):
    lines = lines_of(format_table(table, PUBLISHED))
    assert lines[1] == ["head match", "—", "21.0 (10.0–90.0)", "21.1", "21.2", "21.3", "—", "—", "52", "47", "67", "40"]
    assert lines[3] == ["neural (quoted)", *["—"] * 7, "83", "—", "—", "—"]
    ours = ["best head, among mentions", "3-1", "23.0 (10.0–90.0)", "23.1", "23.2", "23.3", "24.0"]
    assert lines[4] == [*ours, "5-4", "65", "64", "73", "58"]
    assert lines[-1] == [
        *["best head*, among all words", "3-3", "33.0 (10.0–90.0)", "33.1", "33.2", "33.3", "34.0"],
        *["—"] * 5,
    ]
    assert len(lines) == 10


def test_the_gain_over_head_match_is_noted(table):
    note = "Best head among mentions minus head match, in points: 2.0 (−1.0 to 5.0)"
    assert f"{note}; in the paper 13." in format_table(table, PUBLISHED).notes


def test_it_prints_with_a_type_that_has_no_mentions(table):
    table.loc[table["mention_type"] == "nominal", ["accuracy", "low", "high"]] = float("nan")
    printed = format_table(table, PUBLISHED)
    assert lines_of(printed)[0][5] == "—"
    assert "| rule-based | — | 22.0" in as_markdown(printed)
    assert "nan" not in as_latex(printed)
