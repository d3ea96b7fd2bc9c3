"""What the page says of a head: numbers of the tables, in words."""

import pandas as pd
import pytest

from bert_attention.explorer.notes import Fact, head_notes, most_telling

POSITIONS = pd.DataFrame(
    [(1, 1, "previous", 0.62), (1, 1, "cls", 0.31), (1, 2, "cls", 0.04), (1, 1, "sep_from_sep", 0.9)],
    columns=["layer", "head", "target", "attention"],
)
DEPENDENCY_HEADS = pd.DataFrame(
    [
        ("all", "same_data", "described", 1, 1, "dependent_to_head", 0.4, 0.3),
        ("det", "same_data", "described", 1, 2, "dependent_to_head", 0.83, 0.54),
        ("obj", "same_data", "described", 2, 1, "head_to_dependent", 0.6, 0.2),
        ("amod", "same_data", "described", 1, 2, "dependent_to_head", 0.9, 0.7),
        ("amod", "held_out", "described", 2, 2, "dependent_to_head", 0.9, 0.7),
        ("amod", "same_data", "released", 2, 2, "dependent_to_head", 0.9, 0.7),
    ],
    columns=["relation", "selection", "variant", "layer", "head", "direction", "accuracy", "baseline_accuracy"],
)


def test_shares_of_attention_and_the_largest_in_brief():
    notes = head_notes({"clark_positions": POSITIONS})
    assert notes[1, 1].facts == [
        Fact("Its attention goes to", "previous token", "62 %", 0.62),
        Fact("Its attention goes to", "[CLS]", "31 %", 0.31),
    ]
    assert notes[1, 1].brief == "previous token 62 %"
    assert notes[1, 2].facts[0].value == "4.0 %"
    assert notes[1, 2].brief == ""


def test_relations_that_a_head_is_the_best_for():
    notes = head_notes({"clark_positions": POSITIONS, "clark_dependency_heads": DEPENDENCY_HEADS})
    first, second = notes[1, 2].facts[:2]
    assert (first.label, first.value) == ("amod", "90 % right, dependent to head; a fixed offset: 70 %")
    assert second.label == "det"
    assert notes[1, 2].brief == "amod, det"
    assert notes[1, 1].brief == "previous token 62 %"  # the best for all relations together is no one relation's
    assert (2, 2) not in notes
    assert most_telling(notes) == (1, 2)


def test_weight_against_norm_leaves_out_the_rows_of_whole_layers():
    table = pd.DataFrame(
        [(1, 1.0, "cls", "weight", 0.3), (1, 1.0, "cls", "share_of_norm", 0.02), (1, None, "cls", "weight", 0.5)],
        columns=["layer", "head", "category", "measure", "value"],
    )
    notes = head_notes({"kobayashi_categories": table})
    assert notes[1, 1].facts == [Fact("Weight against norm", "[CLS]", "30 % of weight, 2.0 % of norm", 0.02)]
    assert list(notes) == [(1, 1)]


def test_vigs_patterns_stand_beside_what_chance_gives():
    table = pd.DataFrame(
        [(1, 1, "identical", 0.25, 0.031), (1, 1, "identical_others", 0.1, 0.01)],
        columns=["layer", "head", "pattern", "attention", "baseline"],
    )
    value = "25 %; by chance or distance alone: 3.1 %"
    assert head_notes({"vig_patterns": table})[1, 1].facts == [Fact("Vig's six patterns", "the same word", value, 0.25)]


def test_without_tables_there_is_a_first_head():
    assert most_telling(head_notes({})) == (1, 1)


def test_a_table_that_says_nothing_of_heads_is_an_error():
    with pytest.raises(KeyError, match="clark_probes"):
        head_notes({"clark_probes": POSITIONS})
