"""The claims of Vig 2018 and 2019: each claim is measured, and judged by its condition."""

import re
from dataclasses import replace

import pytest

from bert_attention.judging.claims import above
from bert_attention.papers import paper
from bert_attention.papers.vig.columns import FURTHER_PATTERNS, PATTERN_LABELS
from bert_attention.results import SHARE
from tests.conftest import ROOT
from tests.judging import claim_tables
from tests.judging.claim_tables import OTHER, board, changed, rows

HEADS = {"layer": range(1, 13), "head": range(1, 13)}
# Heads 3-1 to 3-5 attend to the next word, 8-1 to 8-5 to delimiters, 4-5 to 4-9 to the previous word, and 1-1 to its
# sentence.
NEXT, DELIMITER, PREVIOUS = (
    [f"{layer}-{head}" for head in range(first, first + 5)] for layer, first in ((3, 1), (8, 1), (4, 5))
)


def of_kinds(others, **values):
    """The value of most heads, and of the heads of each kind."""
    kinds = {"next": NEXT, "delimiter": DELIMITER}
    return {"": others} | {head: value for kind, value in values.items() for head in kinds[kind]}


NEURONS = {
    "neuron_concentration": of_kinds(0.3, next=0.5, delimiter=0.1) | {"1-1": 0.05},
    "neuron_overlap": of_kinds(0.3, next=0.15, delimiter=0.7),
    "overlap_chance": {"": 0.1},
    "delimiter": of_kinds(0.2, delimiter=0.9),
    "next_token": of_kinds(0.1, next=0.6),
    "next_token_ablated": of_kinds(0.1, next=0.01),
    "same_segment": {"": 0.6, "1-1": 0.9},
    "same_segment_ablated": {"": 0.6, "1-1": 0.62},
    "same_segment_chance": {"": 0.6},
}
PATTERNS = {"": 0.2, **{f"next, {head}": 0.6 for head in NEXT}, **{f"cls_from_sep, {head}": 0.7 for head in NEXT}}
PATTERNS |= {f"previous, {head}": 0.55 for head in PREVIOUS}


def with_cells(table, columns):
    """The table with values for all heads, for a head (``3-1``), and for a pattern of a head (``next, 3-1``)."""
    keys = table["layer"].astype(str) + "-" + table["head"].astype(str)
    keys = table["pattern"] + ", " + keys if "pattern" in table else keys
    return table.assign(**{name: keys.map(cells).fillna(cells[""]) for name, cells in columns.items()})


@pytest.fixture
def tables():
    patterns = rows({**HEADS, "pattern": [*PATTERN_LABELS, *FURTHER_PATTERNS]}, baseline=0.05)
    return {
        "vig_patterns": with_cells(patterns, {"attention": PATTERNS}),
        "vig_neurons": with_cells(rows(HEADS), NEURONS),
        "clark_entropy": with_cells(rows(HEADS, source="all"), {"entropy": {"": 2.0, "1-1": 3.6}}),
    }


def test_heads_as_vig_describes_them_meet_all_statements_on_neurons(tables):
    found = board("vig", tables)
    assert "not measured" not in set(found["verdict"])
    part_2 = found.loc["head_8_4_on_delimiters":]
    assert set(part_2["verdict"]) == {"reproduced", ""}
    assert set(part_2["condition"]) == {"met", ""}
    assert found.loc["heads_on_identical_words", "condition"] == "met"
    assert found.loc["share_of_neurons_of_head_1_1", "published_high"] == 4 / 64


FEWER = {
    "neurons_of_head_8_4",
    "neurons_of_delimiter_heads",
    "neurons_of_head_3_1_beside_8_4",
    "neurons_of_next_word_heads",
}


@pytest.mark.parametrize(
    ("table", "column", "cells", "claims"),
    [
        (
            "vig_patterns",
            "attention",
            {"layer == 3": 0.4},
            {"heads_on_next_word", "head_3_1_on_next_word"},
        ),  # at most half of the attention
        (
            "vig_neurons",
            "neuron_concentration",
            {"": 0.3, "layer in [3, 8]": 0.299},
            FEWER,
        ),  # below one neuron
        ("vig_patterns", "baseline", {"": 0.15}, {"heads_on_identical_words"}),
        ("vig_neurons", "same_segment_ablated", {"": 0.9}, {"head_1_1_without_segments", "heads_owing_to_segments"}),
        (
            "vig_neurons",
            "next_token_ablated",
            {"": 0.6},
            {"head_3_1_without_positions", "next_word_heads_without_positions"},
        ),
        (
            "vig_neurons",
            "neuron_overlap",
            {"": 0.3},
            {
                "same_neurons_in_head_8_4",
                "same_neurons_in_delimiter_heads",
                "same_neurons_in_head_3_1",
                "same_neurons_in_next_word_heads",
            },
        ),
    ],
)
def test_heads_of_another_kind_fail_their_statements(tables, table, column, cells, claims):
    found = board("vig", tables | {table: changed(tables[table], column, cells)}, entries=tuple(claims))
    assert set(found.index[found["condition"] == "not met"]) >= claims


@pytest.mark.parametrize(
    ("table", "column", "cells", "reasons"),
    [
        (
            "vig_neurons",
            "delimiter",
            {"": 0, "layer == 8 and head < 5": 0.9},
            {"neurons_of_delimiter_heads": 4, "neurons_of_next_word_heads": 4},
        ),
        (
            "vig_neurons",
            "next_token",
            {"": 0.1, "layer == 3 and head == 1": 0.6},
            {"next_word_heads_without_positions": 1, "neurons_of_next_word_heads": 1},
        ),
        ("vig_patterns", "attention", {"": 0.2, "layer == 4 and head == 5": 0.6}, {"previous_word_heads_on_sep": 1}),
    ],
)
def test_a_handful_of_heads_decides_nothing_about_their_kind(tables, table, column, cells, reasons):
    names = list(reasons)
    assert set(board("vig", tables).loc[names, "condition"]) == {"met"}
    found = board("vig", tables | {table: changed(tables[table], column, cells)}).loc[names]
    assert set(found["finding"]) == {""}
    for name, heads in reasons.items():
        counted = "1 head" if heads == 1 else f"{heads} heads"
        assert found.loc[name, "reason"] == f"only {counted} of this kind, which is too few for a verdict"


def test_claims_on_named_heads_are_measured_on_bert_alone(tables):
    found = board("vig", tables, OTHER)
    assert (found["verdict"] == "not measured").sum() == 14
    kinds = ["cls_from_sep_in_next_word_heads", "neurons_of_delimiter_heads", "same_neurons_in_delimiter_heads"]
    kinds += ["heads_owing_to_segments", "neurons_of_next_word_heads", "same_neurons_in_next_word_heads"]
    assert set(found.loc[[*kinds, "next_word_heads_without_positions"], "condition"]) == {"met"}


def test_the_claim_that_the_docs_add_is_judged(tables, monkeypatch):
    written = re.search(r"```python\n(.*?)```", (ROOT / "docs" / "claims.md").read_text(encoding="utf-8"), re.S)[1]
    own = replace(paper("vig"), claims=[])
    exec(written, {"vig": own, "above": above, "SHARE": SHARE})
    monkeypatch.setattr(claim_tables, "claims_of", lambda _: own)
    found = board("vig", tables).loc["first_layer_on_next_word"]
    assert (found["condition"], found["replicated"]) == ("not met", 0.2)
