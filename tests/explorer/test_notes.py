"""The page's notes on a head: numbers of the tables, each with its corpus, interval, count and control."""

import pandas as pd
import pytest

from bert_attention.explorer.notes import CORPORA, Fact, briefs, findings, most_telling

WORDS = {name: f"the {name}" for name in CORPORA}
POSITIONS = pd.DataFrame(
    [
        (1, 1, "previous", 0.62, 0.6, 0.64, 500),
        (1, 1, "cls", 0.31, 0.3, 0.32, 500),
        (1, 2, "cls", 0.04, 0.03, 0.05, 500),
        (1, 1, "sep_from_sep", 0.9, 0.8, 1, 500),
    ],
    columns=["layer", "head", "target", "attention", "low", "high", "n"],
)
COLUMNS = ("relation", "selection", "variant", "layer", "head", "direction", "accuracy", "low", "high")
DEPENDENCY_HEADS = pd.DataFrame(
    [
        ("all", "same_data", "described", 1, 1, "dependent_to_head", 0.4, 0.3, 0.5, 0.3, 99),
        ("det", "same_data", "described", 1, 2, "dependent_to_head", 0.83, 0.8, 0.85, 0.54, 90),
        ("obj", "same_data", "described", 2, 1, "head_to_dependent", 0.6, 0.5, 0.7, 0.2, 80),
        ("amod", "same_data", "described", 1, 2, "dependent_to_head", 0.9, 0.8, 1, 0.7, 70),
        ("amod", "held_out", "described", 2, 2, "dependent_to_head", 0.9, 0.8, 1, 0.7, 70),
        ("amod", "same_data", "released", 2, 2, "dependent_to_head", 0.9, 0.8, 1, 0.7, 70),
    ],
    columns=[*COLUMNS, "baseline_accuracy", "n"],
)


def by_label(found):
    return {(finding.group, finding.label): finding for finding in found}


def test_a_number_has_its_corpus_interval_count_and_control():
    control = POSITIONS.assign(attention=0.01)
    found = by_label(findings({"clark_positions": POSITIONS, "control/clark_positions": control}, WORDS))
    finding = found["Its attention goes to", "previous token"]
    assert finding.corpus == "the wikipedia"
    assert finding.facts == {(1, 1): Fact(0.62, 0.6, 0.64, 500, 0.01)}
    assert set(found["Its attention goes to", "[CLS]"].facts) == {(1, 1), (1, 2)}
    assert len(found) == 2


def test_without_a_control_none_is_named():
    (finding,) = findings({"clark_positions": POSITIONS.head(1)}, WORDS)
    assert finding.facts[1, 1].control is None


def test_the_control_of_a_best_head_is_the_best_head_with_random_weights():
    control = DEPENDENCY_HEADS.assign(layer=2, head=2, accuracy=0.2)
    found = by_label(
        findings({"clark_dependency_heads": DEPENDENCY_HEADS, "control/clark_dependency_heads": control}, WORDS)
    )
    finding = found["The best of all heads for", "amod"]
    assert finding.corpus == "the treebank"
    assert finding.facts == {(1, 2): Fact(0.9, 0.8, 1, 70, 0.2, "dependent to head; a fixed offset: 70%")}


def test_a_control_is_the_mean_over_seeds():
    """The control of a relation is the mean over seeds of each seed's best head."""
    best = DEPENDENCY_HEADS.assign(accuracy=0.2, seed=1), DEPENDENCY_HEADS.assign(accuracy=0.4, layer=2, seed=2)
    positions = POSITIONS.assign(attention=0.1, seed=1), POSITIONS.assign(attention=0.3, seed=2)
    tables = {"clark_positions": POSITIONS, "clark_dependency_heads": DEPENDENCY_HEADS}
    controls = {"control/clark_positions": pd.concat(positions), "control/clark_dependency_heads": pd.concat(best)}
    found = by_label(findings(tables | controls, WORDS))
    assert found["Its attention goes to", "previous token"].facts[1, 1].control == pytest.approx(0.2)
    assert found["The best of all heads for", "amod"].facts[1, 2].control == pytest.approx(0.3)


def test_in_brief_relations_go_before_shares_of_attention():
    positions = findings({"clark_positions": POSITIONS}, WORDS)
    assert briefs(positions) == {(1, 1): "previous token 62%"}
    both = findings({"clark_positions": POSITIONS, "clark_dependency_heads": DEPENDENCY_HEADS}, WORDS)
    # The best for all relations together is no one relation's.
    assert briefs(both) == {(1, 1): "previous token 62%", (1, 2): "det, amod", (2, 1): "obj"}
    assert most_telling(both) == (1, 2)
    assert most_telling([]) == (1, 1)


def test_weight_and_norm_leave_out_the_rows_of_whole_layers():
    table = pd.DataFrame(
        [
            (1, 1.0, "cls", "weight", 0.3, 0.2, 0.4, 9),
            (1, 1.0, "cls", "share_of_norm", 0.02, 0.01, 0.03, 9),
            (1, None, "cls", "weight", 0.5, 0.4, 0.6, 9),
        ],
        columns=["layer", "head", "category", "measure", "value", "low", "high", "n"],
    )
    found = by_label(findings({"kobayashi_categories": table}, WORDS))
    assert found["Of all its weight", "[CLS]"].facts == {(1, 1): Fact(0.3, 0.2, 0.4, 9)}
    assert found["Of all its norm", "[CLS]"].facts == {(1, 1): Fact(0.02, 0.01, 0.03, 9)}


def test_vigs_patterns_stand_beside_what_chance_gives():
    table = pd.DataFrame(
        [(1, 1, "identical", 0.25, 0.2, 0.3, 0.031, 9), (1, 1, "identical_others", 0.1, 0, 1, 0.01, 9)],
        columns=["layer", "head", "pattern", "attention", "low", "high", "baseline", "n"],
    )
    (finding,) = findings({"vig_patterns": table}, WORDS)
    assert finding.label == "the same word"
    assert finding.facts[1, 1].remark == "by chance or distance alone: 3.1%"
