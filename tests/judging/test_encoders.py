"""Findings that hold on all encoders, on some, or on none."""

from math import nan

import pandas as pd
import pytest

from bert_attention.judging.encoders import alike, asked_of_all, sentence
from bert_attention.papers.comparison.printed.table_findings import format_table

# The verdicts on each finding, by encoder; None if the finding cannot be asked.
VERDICTS = {
    "heads_on_next": ("confirmed", "confirmed"),
    "heads_on_previous": ("confirmed", "not confirmed"),
    "early_layers_on_cls": ("inconclusive", "confirmed"),
    "middle_layers_on_sep": ("not confirmed", "not specific to training"),
    "gain_of_sep_on_sep": ("confirmed", None),
}


NUMBERS = (
    "replicated",
    "low",
    "high",
    "needed_low",
    "needed_high",
    "correlation",
    "correlation_low",
    "correlation_high",
    "correlation_threshold",
)


def board_of(verdicts, *models):
    rows = [
        {
            "paper": "clark",
            "id": name,
            "model": model,
            "finding": verdict,
            "counted": verdict is not None,
            "subject": "",
        }
        | dict.fromkeys(NUMBERS, nan)
        for name, found in verdicts.items()
        for model, verdict in zip(models, found, strict=False)
    ]
    translation = {"paper": "kobayashi", "id": "aligners", "model": "opus", "finding": "confirmed", "counted": True}
    return pd.DataFrame([*rows, translation])


def test_findings_are_counted_that_every_encoder_can_be_asked():
    board = board_of(VERDICTS, "large", "small")
    assert asked_of_all(board).index.get_level_values("id").tolist() == [*VERDICTS][:4]
    assert sentence(board) == (
        "Of 4 findings that can be tested on both encoders, 1 is confirmed on both, 1 only on large, 1 only on small, "
        "and 1 on neither. Of the 2 on one only, the encoders' numbers differ beyond their intervals in 2."
    )


def test_several_encoders():
    verdicts = {name: (*found, "confirmed") for name, found in VERDICTS.items()}
    assert sentence(board_of(verdicts, "large", "small", "other")) == (
        "Of 4 findings that can be tested on all 3 encoders, 1 is confirmed on all 3, 0 only on large, 0 only on "
        "small, 1 only on other, 2 on several, and 0 on none. Of the 3 on some only, the encoders' numbers differ "
        "beyond their intervals in 3."
    )


@pytest.mark.parametrize(
    ("columns", "is_alike"),
    [
        ({"replicated": (3.0, 1.0), "low": (2.0, 0.5), "high": (4.0, 1.5), "needed_low": 0.0}, False),
        ({"replicated": (3.0, 1.0), "low": (1.0, 0.0), "high": (5.0, 2.0), "needed_low": 0.0}, True),
        ({"replicated": (1.0, 3.0), "low": (0.5, 2.0), "high": (1.5, 4.0), "needed_low": 0.0}, True),  # the other side
        ({"replicated": (-3.0, -1.0), "low": (-4.0, -1.5), "high": (-2.0, -0.5), "needed_high": 0.0}, False),
        (
            {"replicated": (3.0, 6.0), "low": (2.9, 5.9), "high": (3.1, 6.1), "needed_low": 0.0, "needed_high": 5.0},
            False,
        ),
        (
            {"replicated": (3.0, 2.0), "low": (2.9, 1.9), "high": (3.1, 2.1), "needed_low": 0.0, "needed_high": 5.0},
            True,
        ),
        ({"correlation": (0.6, 0.7), "correlation_low": (0.55, 0.6), "correlation_high": (0.65, 0.8)}, True),
        ({"correlation": (0.6, 0.2), "correlation_low": (0.55, 0.1), "correlation_high": (0.65, 0.3)}, False),
        ({"replicated": (3.0, 1.0), "needed_low": 0.0}, False),  # without intervals, nothing is known
    ],
)
def test_verdicts_can_differ_although_numbers_do_not(columns, is_alike):
    board = board_of({"a": ("confirmed", "not confirmed")}, "large", "small")
    for column, values in columns.items():
        board.loc[board["paper"] == "clark", column] = values
    assert alike(board, asked_of_all(board)) == ({("clark", "a")} if is_alike else set())


def test_one_encoder_is_not_compared():
    assert sentence(board_of(VERDICTS, "large")) == ""


@pytest.fixture
def printed():
    numbers = {"label": "Some heads", "provenance": "transcribed", "text": "silver", "unit": "heads", "published": 4.0}
    numbers |= {"replicated": 2.0, "low": 1.0, "high": 3.0, "verdict": "not comparable", "cells": 1}
    empty = (
        "control_value",
        "correlation",
        "gain",
        "gain_low",
        "gain_high",
        "published_low",
        "published_list",
        "replicated_list",
    )
    board = board_of(VERDICTS, "large", "small").assign(**numbers, **dict.fromkeys(empty))
    return format_table(board)


def test_findings_that_hold_on_one_encoder_are_listed_with_both_numbers(printed):
    only_large, only_small = printed.groups
    assert [row[0] for row in only_large] == ["Only on large (1)", "Some heads* ≈"]
    assert only_large[1][1:] == ["4", "—", "2 heads (1–3)", "2 heads (1–3) [n]"]
    assert only_small[1][3:] == ["2 heads (1–3) [i]", "2 heads (1–3)"]
