"""Findings on heads: numbers of the tables, each with its corpus, interval, count and control."""

import pandas as pd
import pytest

from bert_attention.explorer.notes import CORPORA, Fact, briefs, findings, head_best_for_most
from bert_attention.papers import readings
from bert_attention.plan import group_of
from bert_attention.results import results

READINGS = readings(results().papers)
CORPUS_NAMES = {name: f"the {name}" for name in CORPORA}
POSITIONS = pd.DataFrame(
    [
        (1, 1, "previous", 0.62, 0.6, 0.64, 500),
        (1, 1, "cls", 0.31, 0.3, 0.32, 500),
        (1, 2, "cls", 0.04, 0.03, 0.05, 500),
        (1, 1, "sep_from_sep", 0.9, 0.8, 1, 500),
    ],
    columns=["layer", "head", "target", "attention", "low", "high", "n"],
)
DEPENDENCY_HEADS = pd.DataFrame(
    [
        ("all", "same_data", "described", 1, 1, 0.4, 0.3, 0.5, 0.3, 99),
        ("det", "same_data", "described", 1, 2, 0.83, 0.8, 0.85, 0.54, 90),
        ("obj", "same_data", "described", 2, 1, 0.6, 0.5, 0.7, 0.2, 80),
        ("amod", "same_data", "described", 1, 2, 0.9, 0.8, 1, 0.7, 70),
        ("amod", "held_out", "described", 2, 2, 0.9, 0.8, 1, 0.7, 70),
        ("amod", "same_data", "released", 2, 2, 0.9, 0.8, 1, 0.7, 70),
    ],
    columns=["relation", "selection", "variant", "layer", "head", "accuracy", "low", "high", "baseline_accuracy", "n"],
).assign(direction="dependent_to_head")
TABLES = {"clark_positions": POSITIONS, "clark_dependency_heads": DEPENDENCY_HEADS}


def found_in(tables):
    return {(finding.group, finding.label): finding for finding in findings(READINGS, tables, CORPUS_NAMES)}


def test_a_reading_is_of_a_table_of_its_paper():
    for paper in results().papers:
        for reading in readings([paper]):
            assert group_of(reading.table) == paper
            assert {reading.column, *reading.where} <= {*results().tables[reading.table].columns}
            assert reading.evidence is None or reading.evidence in results().tables
    groups = [finding.group for finding in findings(reversed(READINGS), TABLES, CORPUS_NAMES)]
    assert list(dict.fromkeys(groups)) == ["Best head for", "Attention to"]


def test_a_number_has_its_corpus_interval_and_count():
    found = found_in({"clark_positions": POSITIONS})
    assert len(found) == 2
    finding = found["Attention to", "previous token"]
    assert finding.corpus == "the wikipedia"
    assert finding.facts == {(1, 1): Fact(0.62, 0.6, 0.64, 500)}
    assert set(found["Attention to", "[CLS]"].facts) == {(1, 1), (1, 2)}


def test_a_control_is_the_mean_over_seeds():
    """For relations, each seed has the best head of its random encoder."""
    best = DEPENDENCY_HEADS.assign(accuracy=0.2, seed=1), DEPENDENCY_HEADS.assign(accuracy=0.4, layer=2, seed=2)
    positions = POSITIONS.assign(attention=0.1, seed=1), POSITIONS.assign(attention=0.3, seed=2)
    controls = {"control/clark_positions": pd.concat(positions), "control/clark_dependency_heads": pd.concat(best)}
    found = found_in(TABLES | controls)
    assert found["Attention to", "previous token"].facts[1, 1].control == pytest.approx(0.2)
    finding = found["Best head for", "amod"]
    assert finding.corpus == "the treebank"
    remark = "dependent to head; a fixed offset: 70%"
    assert finding.facts == {(1, 2): Fact(0.9, 0.8, 1, 70, pytest.approx(0.3), remark)}


def test_a_brief_names_relations_or_else_the_main_target():
    positions = findings(READINGS, {"clark_positions": POSITIONS}, CORPUS_NAMES)
    assert briefs(positions) == {(1, 1): "previous token 62%"}
    both = findings(READINGS, TABLES, CORPUS_NAMES)
    # The best head for all relations together does not count.
    assert briefs(both) == {(1, 1): "previous token 62%", (1, 2): "det, amod", (2, 1): "obj"}
    rare = DEPENDENCY_HEADS.assign(
        accuracy=DEPENDENCY_HEADS["accuracy"].mask(DEPENDENCY_HEADS["relation"] == "obj", 0.02)
    )
    assert (2, 1) not in briefs(findings(READINGS, {"clark_dependency_heads": rare}, CORPUS_NAMES))
    assert head_best_for_most(both) == (1, 2)
    assert head_best_for_most([]) == (1, 1)


def test_rows_of_whole_layers_are_left_out():
    columns = ["layer", "head", "category", "measure", "value", "low", "high", "n"]
    rows = [(1, 1.0, "cls", "weight", 0.3, 0.2, 0.4, 9), (1, 1.0, "cls", "share_of_norm", 0.02, 0.01, 0.03, 9)]
    rows.append((1, None, "cls", "weight", 0.5, 0.4, 0.6, 9))
    found = found_in({"kobayashi_categories": pd.DataFrame(rows, columns=columns)})
    assert found["Share of weight, by kind of token", "[CLS]"].facts == {(1, 1): Fact(0.3, 0.2, 0.4, 9)}
    assert found["Share of norm, by kind of token", "[CLS]"].facts == {(1, 1): Fact(0.02, 0.01, 0.03, 9)}
