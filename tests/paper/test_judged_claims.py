"""The scoreboard as the paper prints it."""

import pandas as pd
import pytest

from bert_attention.paper.judged_claims import judged_claims
from bert_attention.tables import columns_of

PAPERS = {"clark": "Clark", "vig": "Vig"}


def scoreboard(*claims):
    known = {
        "paper": "clark",
        "work": "Clark 2019",
        "model": "m",
        "place": "section 1",
        "statement": "So it is.",
        "label": "so",
    }
    known |= {"text": "real", "cells": 1, "verdict": "not measured", "counted": True, "provenance": "transcribed"}
    row = dict.fromkeys(columns_of("scoreboard")) | known
    return pd.DataFrame([{**row, "id": f"C{number}", **claim} for number, claim in enumerate(claims)])


def test_claims_as_texts():
    numbers = {"published": 0.5, "replicated": -0.12345, "low": -0.2, "high": 0.1}
    numbers |= {"gain": 0.2, "gain_low": 0.1, "gain_high": 0.3}
    table = scoreboard(
        {**numbers, "verdict": "reproduced", "finding": "confirmed", "control": "not met", "reason": "too few"},
        {"published_low": 0.1, "published_high": 0.25, "finding": "not confirmed", "verdict": "not comparable"},
    )
    first, second = judged_claims(table, "m", ["m"], PAPERS)["claims"]["clark"]
    texts = {
        "id": "C0",
        "paper": "clark",
        "work": "Clark 2019",
        "label": "so",
        "text": "real",
        "statement": "So it is (section 1).",
    }
    texts |= {"place": "section 1", "threshold": "—", "model": "m"}
    texts |= {"published": "0.5", "replicated": "−0.12 (−0.20 to 0.10)", "control": "—", "gain": "0.20 (0.10–0.30)"}
    verdict = "confirmed (control: not met); reproduced"
    short = {"in_short": "confirmed; reproduced", "notes": "", "holds": "—"}
    texts |= {"finding": "confirmed", "verdict": verdict, "verdict_and_reason": f"{verdict}; too few"}
    assert first == texts | short
    assert (second["published"], second["replicated"]) == ("0.1–0.25", "—")
    assert second["verdict"] == "not confirmed; not comparable"
    assert second["in_short"] == "not confirmed"  # a number that is not compared says nothing beside the statement


def test_notes_say_what_a_short_verdict_leaves_out():
    outside = {"published": 0.5, "replicated": 0.1, "low": 0.0, "high": 0.2}
    table = scoreboard(
        {**outside, "finding": "confirmed", "control": "met", "verdict": "not comparable", "restates": "other"},
        {**outside, "control": "met", "verdict": "not comparable"},
    )
    first, second = judged_claims(table, "m", ["m"], PAPERS)["claims"]["clark"]
    excluded = "the interval excludes the published 0.5"
    assert first["notes"] == f"random weights meet the threshold; {excluded}; restates other"
    assert (second["in_short"], second["notes"]) == ("not comparable", "")


def test_a_statement_on_a_correlation_shows_it_instead_of_a_mean():
    curve = {"published": 0.5, "replicated": 0.4, "low": 0.3, "high": 0.5, "cells": 6, "control_value": 0.4}
    curve |= {"correlation": 0.8, "correlation_low": 0.6, "correlation_high": 0.9, "control_correlation": -0.1}
    curve["correlation_threshold"] = 0.5
    table = scoreboard({**curve, "verdict": "not comparable"}, {**curve, "verdict": "reproduced"})
    first, second = judged_claims(table, "m", ["m"], PAPERS)["claims"]["clark"]
    names = ("published", "threshold", "replicated", "control")
    assert [first[name] for name in names] == ["6 numbers", "r > 0.5", "r = 0.80 (0.60–0.90)", "r = −0.1"]
    both = ["0.5 (mean of 6)", "r > 0.5", "0.40 (0.30–0.50); r = 0.80 (0.60–0.90)", "0.4; r = −0.1"]
    assert [second[name] for name in names] == both


def test_reasons_are_counted_without_details_if_several_claims_share_them():
    reasons = [f"other model; other treebank: no rows with relation: {number}" for number in range(4)]
    table = scoreboard(*({"reason": reason} for reason in [*reasons, "rare"]))
    found = judged_claims(table, "m", ["m"], PAPERS)["reasons"]
    assert found == [{"reason": name, "claims": "4"} for name in ("other model", "other treebank")]


def test_findings_and_counts_by_kind_of_evidence():
    table = scoreboard(
        {"finding": "confirmed", "verdict": None},
        {"finding": "confirmed", "verdict": None, "text": "silver"},
        {"finding": "not confirmed", "verdict": None, "paper": "vig", "work": "Vig 2018", "provenance": "recalled"},
        {"finding": "not confirmed", "verdict": None, "paper": "vig", "work": "Vig 2019b"},
        {"finding": "not confirmed", "verdict": None, "restates": "C0", "counted": False},
        {"verdict": "reproduced", "published": 0.5, "counted": False},
    )
    found = judged_claims(table, "m", ["m"], PAPERS)
    ids = {verdict: [claim["id"] for claim in claims] for verdict, claims in found["findings"].items() if claims}
    assert ids == {"confirmed": ["C0", "C1"], "not confirmed": ["C2", "C3"]}
    counted = {(row["work"], row["text"]): (row["confirmed"], row["not confirmed"]) for row in found["counts"]}
    assert counted == {
        **{("Clark 2019", "real"): ("1", "0"), ("Clark 2019", "silver"): ("1", "0")},
        **{("Vig 2018", "real"): ("0", "1"), ("Vig 2019b", "real"): ("0", "1")},
    }
    assert [row["recalled"] for row in found["counts"]] == ["0", "0", "1", "0"]
    assert [claim["label"] for claim in found["findings"]["not confirmed"]] == ["so\N{DAGGER}", "so"]
    assert found["numbers"] == {
        "reproduced": "1",
        "also reproduced by random weights": "0",
        "not reproduced": "0",
        "inconclusive": "0",
    }


@pytest.mark.parametrize(
    ("controls", "number"), [(("met", "not met", "met"), "2"), (("inconclusive", None, "met"), "1")]
)
def test_confirmed_findings_that_random_weights_share_are_counted(controls, number):
    confirmed = [{"finding": "confirmed", "control": control} for control in controls]
    others = [{"finding": "not specific to training", "control": "met"}, {**confirmed[2], "counted": False}]
    assert judged_claims(scoreboard(*confirmed, *others), "m", ["m"], PAPERS)["also_random"] == number


def test_claims_about_other_encoders_are_left_out():
    table = scoreboard({"model": "m"}, {"model": "other"}, {"model": "translation"}, {"model": None})
    claims = judged_claims(table, "m", ["m", "other"], PAPERS)["claims"]["clark"]
    assert [claim["id"] for claim in claims] == ["C0", "C2", "C3"]
