"""The scoreboard for the paper: the claims, counts of verdicts, and reasons for leaving claims unjudged."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping

import pandas as pd

from bert_attention.judging.encoders import sentence
from bert_attention.judging.evidence import MET
from bert_attention.judging.legend import SMALLEST, STATEMENTS
from bert_attention.judging.verdicts import CONFIRMED
from bert_attention.judging.words import counts, numbers_judged, row_texts

_MANY = 4  # fewest claims of a reason that the paper prints


def judged_claims(scoreboard: pd.DataFrame, model: str, models: Collection[str], papers: Mapping[str, str]) -> dict:
    """Return the paper's data on the scoreboard.

    Claims about encoders other than ``model`` are left out. ``papers`` are titles by short name, in the order of the
    paper.

    ``claims`` are the rows of each paper, as texts. ``findings`` are the rows of facts, by the verdict on the
    statement. ``also_random`` is the number of confirmed facts whose threshold random weights meet, too. ``counts`` are
    the numbers of facts with each verdict, and of recalled facts, by work and kind of evidence. ``across`` says how
    many findings hold on which encoder; it is empty for one encoder. ``numbers`` counts published numbers by verdict.
    ``reasons`` are those that keep several claims from being compared or measured, with
    their numbers of claims. ``verdicts`` and ``smallest`` are the legend. ``robust`` is True if statements were judged
    under other choices of the analysis. Labels and statements of recalled claims end with a dagger.
    """
    others = set(models) - {model}
    ours = scoreboard[~scoreboard["model"].isin(others)]
    rows = ours.fillna(dict.fromkeys(("work", "text", "statement", "place", "finding"), "")).to_dict("records")
    return {
        "claims": {paper: [row_texts(row) for row in rows if row["paper"] == paper] for paper in papers},
        "findings": {
            verdict: [row_texts(row) for row in rows if row["counted"] and row["finding"] == verdict]
            for verdict in STATEMENTS
        },
        "also_random": str(sum(_is_confirmed(row) and row["control"] == MET for row in rows)),
        "counts": counts(ours).reset_index().astype(str).to_dict("records"),
        "across": sentence(scoreboard),
        "numbers": {verdict: str(number) for verdict, number in numbers_judged(ours).items()},
        "reasons": _reasons(ours),
        "verdicts": [
            {"name": verdict.name, "predicate": verdict.predicate, "meaning": verdict.meaning}
            for verdict in STATEMENTS.values()
        ],
        "smallest": SMALLEST,
        "robust": "holds" in ours and bool(ours["holds"].any()),
    }


def _is_confirmed(row: Mapping) -> bool:
    return row["counted"] and row["finding"] == CONFIRMED


def _reasons(rows: pd.DataFrame) -> list[dict[str, str]]:
    """Return the reasons that several claims share, without details of a single claim, with the numbers of claims."""
    parts = ([part.partition(":")[0] for part in reason.split("; ")] for reason in rows["reason"].dropna())
    # Count a reason once per claim. A dictionary keeps the order, while a set differs between processes.
    kinds = Counter(kind for reason in parts for kind in dict.fromkeys(reason))
    return [{"reason": kind, "claims": str(number)} for kind, number in kinds.most_common() if number >= _MANY]
