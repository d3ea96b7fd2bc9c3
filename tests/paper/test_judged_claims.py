"""The scoreboard as the paper prints it."""

import pandas as pd

from bert_attention.paper.judged_claims import judged_claims
from bert_attention.tables import columns_of

PAPERS = {"clark": "Clark", "vig": "Vig"}


def scoreboard(*claims):
    known = {"paper": "clark", "model": "m", "place": "section 1", "statement": "So it is.", "label": "so"}
    known |= {"text": "real", "cells": 1, "verdict": "not measured", "counted": True}
    row = dict.fromkeys(columns_of("scoreboard")) | known
    return pd.DataFrame([{**row, "id": f"C{place}", **claim} for place, claim in enumerate(claims)])


def test_claims_as_texts():
    table = scoreboard(
        {
            "published": 0.5,
            "replicated": -0.12345,
            "low": -0.2,
            "high": 0.1,
            "verdict": "reproduced",
            "finding": "confirmed",
            "control": "not met",
            "gain": 0.2,
            "gain_low": 0.1,
            "gain_high": 0.3,
        },
        {"published_low": 0.1, "published_high": 0.25, "finding": "not confirmed", "verdict": "not comparable"},
    )
    first, second = judged_claims(table, "m", ["m"], PAPERS)["claims"]["clark"]
    assert first == {
        "id": "C0",
        "paper": "clark",
        "label": "so",
        "text": "real",
        "control": "\N{EM DASH}",
        "gain": "0.2 (0.1\N{EN DASH}0.3)",
        "finding": "confirmed",
        "statement": "So it is (section 1).",
        "published": "0.5",
        "replicated": "\N{MINUS SIGN}0.123 (\N{MINUS SIGN}0.2 to 0.1)",
        "verdict": "confirmed (control: not met); reproduced",
    }
    assert (second["published"], second["replicated"]) == ("0.1\N{EN DASH}0.25", "\N{EM DASH}")
    assert second["verdict"] == "not confirmed; not comparable"


def test_reasons_of_several_claims_are_counted_without_what_is_special_to_one():
    table = scoreboard(
        *({"reason": f"other model; other treebank: no rows with relation: {place}"} for place in range(4)),
        {"reason": "rare"},
    )
    found = judged_claims(table, "m", ["m"], PAPERS)["reasons"]
    assert sorted(found, key=str) == [
        {"reason": "other model", "claims": "4"},
        {"reason": "other treebank", "claims": "4"},
    ]


def test_findings_and_counts_are_of_each_kind_of_evidence():
    beyond, failing = "confirmed", "not confirmed"
    table = scoreboard(
        {"finding": beyond, "verdict": None},
        {"finding": beyond, "verdict": None, "text": "silver"},
        {"finding": failing, "verdict": None, "paper": "vig"},
        {"finding": failing, "verdict": None, "restates": "C0", "counted": False},
        {"verdict": "reproduced", "published": 0.5, "counted": False},
    )
    found = judged_claims(table, "m", ["m"], PAPERS)
    assert {kind: [claim["id"] for claim in claims] for kind, claims in found["findings"].items()} == {
        beyond: ["C0", "C1"],
        "not specific to training": [],
        "true, no control applies": [],
        failing: ["C2"],
        "inconclusive": [],
    }
    counted = {(row["paper"], row["text"]): (row[beyond], row[failing]) for row in found["counts"]}
    assert counted == {("clark", "real"): ("1", "0"), ("clark", "silver"): ("1", "0"), ("vig", "real"): ("0", "1")}
    assert found["numbers"] == {"reproduced": "1", "not reproduced": "0", "inconclusive": "0"}


def test_claims_about_other_encoders_are_left_out():
    table = scoreboard({"model": "m"}, {"model": "other"}, {"model": "translation"}, {"model": None})
    claims = judged_claims(table, "m", ["m", "other"], PAPERS)["claims"]["clark"]
    assert [claim["id"] for claim in claims] == ["C0", "C2", "C3"]
