"""The scoreboard as the paper prints it: its claims, their numbers by verdict, and reasons."""

from __future__ import annotations

from collections.abc import Collection, Mapping

import pandas as pd

from bert_attention.paper.layout import NO_VALUE

VERDICTS = ("reproduced", "direction only", "not reproduced", "not comparable", "not measured")


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
        verdict; ``holding``: of the claims that have a direction, in how many it holds; ``reasons``: each reason of a
        verdict with its number of claims.

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
    reasons = ours["reason"].value_counts()
    return {
        "claims": {paper: [_claim(row) for row in rows.to_dict("records")] for paper, rows in by_paper.items()},
        "counts": {name: _counts(rows) for name, rows in {**by_paper, "all": ours}.items()},
        "holding": {"holds": str((with_direction == "holds").sum()), "of": str(len(with_direction))},
        "reasons": [{"reason": reason, "claims": str(number)} for reason, number in reasons.items()],
    }


def _counts(rows: pd.DataFrame) -> dict[str, str]:
    return {verdict: str((rows["verdict"] == verdict).sum()) for verdict in VERDICTS} | {"claims": str(len(rows))}


def _claim(row: Mapping) -> dict[str, str]:
    return {
        "id": row["id"],
        "place": _text(row["place"]),
        "statement": _text(row["statement"]),
        "published": _published(row),
        "replicated": _with_range(row["replicated"], row["low"], row["high"]),
        "verdict": row["verdict"],
        "direction": _text(row["direction"]),
    }


def _published(row: Mapping) -> str:
    if pd.isna(row["published"]) and pd.notna(row["published_low"]):
        return f"{_number(row['published_low'])} to {_number(row['published_high'])}"
    return _with_range(row["published"], row["published_low"], row["published_high"])


def _with_range(value: float, low: float, high: float) -> str:
    if pd.isna(value):
        return NO_VALUE.text
    between = f" ({_number(low)}\N{EN DASH}{_number(high)})" if pd.notna(low) and pd.notna(high) else ""
    return f"{_number(value)}{between}"


def _number(value: float) -> str:
    """Four significant digits, without zeros that say nothing."""
    return f"{value:.4g}".replace("-", "\N{MINUS SIGN}")


def _text(value: object) -> str:
    return "" if pd.isna(value) else str(value)
