"""The scoreboard as the paper prints it: verdicts on statements, how many there are of each, claims, and reasons."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping

import pandas as pd

from bert_attention.claims.scoreboard import (
    STATEMENTS,
    counts,
    gain_text,
    number_text,
    numbers_judged,
    published_text,
    replicated_text,
    verdict_text,
)

_MANY = 4


def judged_claims(scoreboard: pd.DataFrame, model: str, models: Collection[str], papers: Mapping[str, str]) -> dict:
    """What the paper prints of the scoreboard.

    Parameters
    ----------
    scoreboard
        One row a claim and model.
    model, models
        The paper's encoder and all of the edition; claims about other encoders are left out.
    papers
        Titles by short names, in the order of the paper.

    Returns
    -------
    dict
        ``claims``: by paper, the rows as texts; ``findings``: those of facts, by the verdict on the statement;
        ``counts``: how many facts have which verdict, a row for each paper and kind of evidence; ``numbers``:
        how many published numbers have which verdict; ``reasons``: the reasons that keep several claims from being
        compared or measured, each with its number of claims.
    """
    others = set(models) - {model}
    ours = scoreboard[~scoreboard["model"].isin(others)]
    facts = ours[ours["counted"]]
    counted = counts(ours).reset_index()
    return {
        "claims": {paper: [_claim(row) for row in ours[ours["paper"] == paper].to_dict("records")] for paper in papers},
        "findings": {
            verdict: [_claim(row) for row in facts[facts["finding"] == verdict].to_dict("records")]
            for verdict in STATEMENTS
        },
        "counts": [{name: str(value) for name, value in row.items()} for row in counted.to_dict("records")],
        "numbers": {verdict: str(number) for verdict, number in numbers_judged(ours).items()},
        "reasons": _reasons(ours),
    }


def _claim(row: Mapping) -> dict[str, str]:
    return {
        "id": row["id"],
        "paper": row["paper"],
        "label": row["label"],
        "text": _text(row["text"]),
        "statement": f"{_text(row['statement']).removesuffix('.')} ({_text(row['place'])}).",
        "published": published_text(row),
        "replicated": replicated_text(row),
        "control": number_text(row["control_value"]),
        "gain": gain_text(row),
        "finding": _text(row["finding"]),
        "verdict": verdict_text({**row, "reason": None}),
    }


def _text(value: object) -> str:
    return "" if pd.isna(value) else str(value)


def _reasons(rows: pd.DataFrame) -> list[dict[str, str]]:
    """Each reason of more than a few claims, without what is special to one of them, with the number of its claims."""
    parts = ([part.partition(":")[0] for part in reason.split("; ")] for reason in rows["reason"].dropna())
    # Each kind once a claim, and in the order of the claims: a set would have another order in every process.
    kinds = Counter(kind for reason in parts for kind in dict.fromkeys(reason))
    return [{"reason": kind, "claims": str(number)} for kind, number in kinds.most_common() if number >= _MANY]
