"""Findings that are true of all encoders, of some, or of none."""

import math

import pandas as pd
import pytest

from bert_attention.judging.encoders import crossings, sentence, truths
from bert_attention.papers.comparison.printed import table_findings, table_truths

# The verdicts on each finding, by encoder; None if the finding cannot be asked.
VERDICTS = {
    "heads_on_next": ("confirmed", "confirmed"),
    "heads_on_previous": ("confirmed", "not confirmed"),
    "early_layers_on_cls": ("inconclusive", "confirmed"),
    "middle_layers_on_sep": ("not confirmed", "not specific to training"),
    "head_on_sep": ("not specific to training", "confirmed"),
    "gain_of_sep_on_sep": ("confirmed", None),
}
DISTANCES = {"not confirmed": -2.0, "inconclusive": 0.5}


def board_of(verdicts, *models):
    rows = [
        {
            "paper": "clark",
            "id": name,
            "model": model,
            "finding": verdict,
            "counted": verdict is not None,
            "subject": math.nan,  # as in a table that was read
        }
        | {"distance": DISTANCES.get(verdict, 2.0), "p": 0.2 if verdict == "inconclusive" else 0.001, "level": 0.02}
        for name, found in verdicts.items()
        for model, verdict in zip(models, found, strict=False)
    ]
    translation = {"paper": "kobayashi", "id": "aligners", "model": "opus", "finding": "confirmed", "counted": True}
    return pd.DataFrame([*rows, translation])


def test_findings_are_counted_that_every_encoder_can_be_asked():
    board = board_of(VERDICTS, "large", "small")
    assert truths(board).index.get_level_values("id").tolist() == [*VERDICTS][:5]
    assert sentence(board) == (
        "Of 5 findings that can be tested on both encoders, 2 are true of both, 0 are false of both, 2 are true of one "
        "and false of the other, and 1 is open on at least one."
    )


def test_several_encoders():
    verdicts = {name: (*found, "confirmed") for name, found in VERDICTS.items()}
    assert sentence(board_of(verdicts, "large", "small", "other")) == (
        "Of 5 findings that can be tested on all 3 encoders, 2 are true of all 3, 0 are false of all 3, 2 are true of "
        "some and false of others, and 1 is open on at least one."
    )


@pytest.mark.parametrize(("level", "expected"), [(0.02, "true"), (0.0005, "open")])
def test_a_finding_is_true_at_the_level_of_its_family_whatever_the_control(level, expected):
    for verdict in ("confirmed", "not specific to training", "true, perhaps not specific", "true, no control applies"):
        board = board_of({"a": (verdict, "confirmed")}, "large", "small").assign(level=level)
        assert truths(board).loc[("clark", "a"), "large"] == expected


def test_three_by_three_numbers_are_counted():
    board = board_of(VERDICTS, "large", "small")
    (table,) = crossings(truths(board)).values()
    assert table.to_numpy().tolist() == [[2, 1, 0], [1, 0, 0], [1, 0, 0]]
    printed = table_truths.format_table(board)
    assert printed.groups[0][0] == ["true of large", "2 true of small", "1 false of small", "0 open on small"]
    assert len(table_truths.format_table(board_of(VERDICTS, "large")).groups) == 0


def test_one_encoder_is_not_compared():
    assert sentence(board_of(VERDICTS, "large")) == ""


@pytest.fixture
def printed():
    numbers = {"label": "Some heads", "provenance": "transcribed", "text": "silver", "unit": "heads", "published": 4.0}
    numbers |= {"replicated": 2.0, "low": 1.0, "high": 3.0, "verdict": "not comparable", "cells": 1}
    empty = (
        *("control_value", "correlation", "correlation_threshold", "gain", "gain_low", "gain_high"),
        *("published_low", "published_list", "replicated_list", "needed_low", "needed_high"),
    )
    board = board_of(VERDICTS, "large", "small").assign(**numbers, **dict.fromkeys(empty))
    difference = {"model": "large", "other_model": "small", "difference": 1.0, "low": -1.0, "high": 3.0, "level": 0.02}
    rows = [
        {"paper": "clark", "id": name, **difference, "p": 0.001 if name == "heads_on_previous" else 0.03}
        for name in VERDICTS
    ]
    return table_findings.format_table(board, pd.DataFrame(rows))


def test_findings_that_are_not_read_alike_are_listed_with_both_numbers(printed):
    titles = [group[0][0] for group in printed.groups]
    assert titles == [
        "Only on large, and false of small (1)",
        "Only on small, and false of large (1)",
        "True of small, and open on the others (1)",
        "True of all, but not everywhere beyond random weights (1)",
    ]
    only_large, _, is_open, control = (group[1] for group in printed.groups)
    number = "2 heads (1\N{EN DASH}3)"
    difference = "1 head (\N{MINUS SIGN}1 to 3)"
    assert only_large == ["Some heads*", "4", "\N{EM DASH}", number, f"{number} [n]", difference]
    assert is_open[3:] == [f"{number} [i]", number, f"{difference} \N{ALMOST EQUAL TO}"]
    assert control[3:] == [f"{number} [r]", number, f"{difference} \N{ALMOST EQUAL TO}"]
    assert printed.header[0][1][-1] == "difference"
