"""Why a statement is not confirmed, and what it asks for."""

import pandas as pd
import pytest

from bert_attention.judging.explanations import RANDOM_IS_BEYOND, RANDOM_IS_FARTHER, explanation
from bert_attention.judging.requirements import layers_here, needed_bounds
from bert_attention.judging.scoreboard import HARDLY
from bert_attention.judging.verdicts import weaknesses
from bert_attention.results import RANK_CORRELATION
from bert_attention.tables import columns_of

NAN = float("nan")
OTHER_MODEL = "not the model google-bert/bert-base-uncased; not the paper's running text"
BY_CHANCE = "these numbers correlate as well in 6.8% of random orders"
DOUBT = {"finding": "inconclusive", "condition": "inconclusive", "low": 0.4, "high": 0.6, "needed_low": 0.5}
HEADS_DOUBT = DOUBT | {"low": 0, "high": 1, "needed_low": 0, "unit": "heads"}
OF_CURVE = DOUBT | {"correlation": 0.7, "correlation_low": 0.6, "correlation_high": 0.8, "correlation_threshold": 0.5}
AGAINST_RANDOM = {"finding": "inconclusive", "condition": "met", "gain": 0.05, "gain_low": -0.01, "gain_high": 0.11}
SURE = {"low": 0.5, "high": 0.6, "verdict": "not comparable"}
FALSE = {"finding": "not confirmed", "needed_low": 0.5}
SMALL = {"smallest": 0.01, "effect_high": 0.008}
UNSPECIFIC = {"finding": "not specific to training", "gain_high": -0.1}


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"finding": "confirmed"}, ""),
        (FALSE, "needs more than 50%"),
        (FALSE | {"unit": ""}, "needs more than 0.5"),
        (FALSE | {"unit": RANK_CORRELATION}, "needs more than 0.5"),
        (FALSE | {"cells": 3}, "needs more than 50% in all 3 cases"),
        (FALSE | {"needed_low": NAN, "needed_high": 0.1}, "needs less than 10%"),
        (FALSE | {"needed_high": 0.6}, "needs 50% to 60%"),
        (FALSE | {"needed_high": 0.5}, "needs exactly 50%"),
        (FALSE | {"needed_low": NAN}, ""),
        (UNSPECIFIC, RANDOM_IS_FARTHER),
        (UNSPECIFIC | {"gain_high": 0.1, "control": "met"}, RANDOM_IS_BEYOND),
        (
            UNSPECIFIC | {"gain_high": 0.005, "control": "not met", "smallest": 0.01},
            "random weights differ by less than 1 point",
        ),
        (FALSE | SMALL | {"effect_low": 0.002}, "true, but by less than 1 point"),
        (FALSE | SMALL | {"effect_low": -0.001}, "an effect of less than 1 point, if any"),
        (
            FALSE | SMALL | {"effect_low": 0.002, "unit": RANK_CORRELATION, "smallest": 0.1},
            "true, but by less than 0.1",
        ),
        (FALSE | {"unit": "heads", "replicated": 0}, "no head does"),
        (
            DOUBT | SMALL | {"low": 0.503, "effect_low": 0.003, "effect_high": 0.02},
            "the interval contains the smallest effect worth stating, 1 point",
        ),
        (DOUBT, "the interval contains the threshold, 50%"),
        (DOUBT | {"low": 0.51, "reason": f"{OTHER_MODEL}; no interval"}, "no interval"),
        (HEADS_DOUBT, "the interval contains the threshold, 0"),
        (OF_CURVE | {"reason": f"{OTHER_MODEL}; {BY_CHANCE}"}, BY_CHANCE),
        (OF_CURVE | {"correlation_low": 0.4}, "the interval contains the threshold, 0.5"),
        (AGAINST_RANDOM, "the difference from random weights, 5.0 (−1.0 to 11.0) points, may be 0"),
        (AGAINST_RANDOM | {"gain_low": 0.01, "reason": "p = 0.047 is above 0.035"}, "p = 0.047 is above 0.035"),
        (
            AGAINST_RANDOM | {"finding": "true, perhaps not specific", "gain_low": 0.01},
            "the difference from random weights, 5.0 (1.0\N{EN DASH}11.0) points, is not 0 alone, but may be 0 among "
            "so many statements",
        ),
        ({"finding": "confirmed", "published": 0.9} | SURE, "the interval excludes the published 90%"),
        ({"finding": "confirmed", "published": 0.55} | SURE, ""),
        ({"finding": "true, no control applies", "reason": f"{OTHER_MODEL}; {HARDLY}"}, HARDLY),
        ({"finding": "true, no control applies", "reason": OTHER_MODEL}, ""),
        (
            {"finding": "true, no control applies", "reason": f"{OTHER_MODEL}; 0 of 3 random encoders have such heads"},
            "0 of 3 random encoders have such heads",
        ),
    ],
)
def test_explanations_of_verdicts(changes, expected):
    row = dict.fromkeys(columns_of("scoreboard"), NAN) | {"reason": OTHER_MODEL, "unit": "%", "cells": 1}
    assert explanation(row | changes) == expected


def test_differences_of_model_and_corpora_are_no_weakness():
    assert weaknesses(f"{OTHER_MODEL}; {BY_CHANCE}") == [BY_CHANCE]
    assert weaknesses("") == []


@pytest.mark.parametrize(
    ("condition", "bounds"),
    [
        ({"above": 1}, (1, None)),
        ({"below": 1}, (None, 1)),
        ({"between": [1, 2]}, (1, 2)),
        ({"equals": 3}, (3, 3)),
        ({"equals": [3, 4]}, (None, None)),
        ({"correlation_above": 0.5}, (None, None)),
        ({}, (None, None)),
    ],
)
def test_the_bounds_of_a_condition(condition, bounds):
    found = needed_bounds(condition)
    assert tuple(None if pd.isna(found[name]) else found[name] for name in ("needed_low", "needed_high")) == bounds


@pytest.mark.parametrize(
    ("ranges", "deepest", "expected"),
    [
        ([(6, 10)], 6, "3 to 5"),
        ([(12, 12), (1, 11)], 6, "6, against 1 to 5"),
        ([(5, 12), (1, 4)], 6, "3 to 6, against 1 to 2"),
        ([(1, 1)], 2, "none"),
        ([(6, 10)], 12, ""),
        ([], 6, ""),
    ],
)
def test_the_layers_at_the_relative_depth(ranges, deepest, expected):
    assert layers_here(ranges, 12, deepest) == expected
