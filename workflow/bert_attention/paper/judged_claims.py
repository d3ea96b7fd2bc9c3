"""The scoreboard in the paper: verdicts on statements with their counts, the claims, and reasons."""

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
    """Return the paper's data on the scoreboard.

    Parameters
    ----------
    scoreboard
        One row per claim and model.
    model, models
        The paper's encoder, and all encoders of the edition. Claims about other encoders are left out.
    papers
        Titles by short name, in the order of the paper.

    Returns
    -------
    dict
        ``claims``: by paper, the rows as texts. ``findings``: the rows of facts, by the verdict on the statement.
        ``counts``: the number of facts with each verdict, in a row for each paper and kind of evidence. ``numbers``:
        the number of published numbers with each verdict. ``reasons``: the reasons that keep several claims from being
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
    """Return the reasons that several claims share, without details of a single claim, with the numbers of claims."""
    parts = ([part.partition(":")[0] for part in reason.split("; ")] for reason in rows["reason"].dropna())
    # Count a reason once per claim, in the order of the claims. A set has another order in every process.
    kinds = Counter(kind for reason in parts for kind in dict.fromkeys(reason))
    return [{"reason": kind, "claims": str(number)} for kind, number in kinds.most_common() if number >= _MANY]
