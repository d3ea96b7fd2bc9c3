"""The scoreboard as the paper prints it: its claims, their numbers by verdict, and reasons."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping

import pandas as pd

from bert_attention.claims.scoreboard import published_text, replicated_text
from bert_attention.claims.verdicts import NOT_COMPARABLE, VERDICTS

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
        ``claims``: by paper, the rows as texts; ``counts``: by paper and for ``all``, how many claims have each
        verdict; ``holding``: of the claims that have a direction, in how many it holds; ``reasons``: the reasons that
        keep several claims from being compared or measured, each with its number of claims.

    Raises
    ------
    ValueError
        If a verdict or a paper is unknown.
    """
    others = set(models) - {model}
    ours = scoreboard[~scoreboard["model"].isin(others)]
    for column, known in (("verdict", VERDICTS), ("paper", papers)):
        unknown = set(ours[column]) - set(known)
        if unknown:
            raise ValueError(f"scoreboard: unknown {column} {', '.join(map(str, sorted(unknown, key=str)))}")
    by_paper = {paper: ours[ours["paper"] == paper] for paper in papers}
    with_direction = ours["direction"].dropna()
    return {
        "claims": {paper: [_claim(row) for row in rows.to_dict("records")] for paper, rows in by_paper.items()},
        "counts": {name: _counts(rows) for name, rows in {**by_paper, "all": ours}.items()},
        "holding": {"holds": str((with_direction == "holds").sum()), "of": str(len(with_direction))},
        "reasons": _reasons(ours),
    }


def _counts(rows: pd.DataFrame) -> dict[str, str]:
    return {verdict: str((rows["verdict"] == verdict).sum()) for verdict in VERDICTS} | {"claims": str(len(rows))}


def _claim(row: Mapping) -> dict[str, str]:
    direction = _text(row["direction"]) if row["verdict"] == NOT_COMPARABLE else ""
    return {
        "id": row["id"],
        "statement": f"{_text(row['statement']).removesuffix('.')} ({_text(row['place'])}).",
        "published": published_text(row),
        "replicated": replicated_text(row),
        "verdict": f"{row['verdict']}; {direction}" if direction else row["verdict"],
    }


def _text(value: object) -> str:
    return "" if pd.isna(value) else str(value)


def _reasons(rows: pd.DataFrame) -> list[dict[str, str]]:
    """Each reason of more than a few claims, without what is special to one of them, with the number of its claims."""
    parts = ([part.partition(":")[0] for part in reason.split("; ")] for reason in rows["reason"].dropna())
    # Each kind once a claim, and in the order of the claims: a set would have another order in every process.
    kinds = Counter(kind for reason in parts for kind in dict.fromkeys(reason))
    return [{"reason": kind, "claims": str(number)} for kind, number in kinds.most_common() if number >= _MANY]
