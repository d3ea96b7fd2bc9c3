"""Findings that are true of all encoders of an edition, of some, or of none.

A finding is read as a truth about an encoder: true or false if the evidence on its threshold says so at the level of
its family, else open. The control does not matter here: it tells what training does, not what is true.
"""

from __future__ import annotations

from itertools import combinations

import pandas as pd

from bert_attention.judging.evidence import MET, NOT_MET, Evidence

TRUE, FALSE, OPEN = "true", "false", "open"
_TRUTHS = {MET: TRUE, NOT_MET: FALSE}


def truths(board: pd.DataFrame) -> pd.DataFrame:
    """Return the truth of the findings that are counted on every encoder: ``true``, ``false`` or ``open``.

    Has a row for each finding, named by ``paper`` and ``id``, and a column for each encoder, both in the scoreboard's
    order. There are no rows if the scoreboard has a single encoder. Translation models are asked other findings, so the
    encoders are the models that share most findings.
    """
    counted = board[(board["counted"] == True) & board["finding"].notna() & board["model"].notna()]  # noqa: E712
    counted = counted.assign(truth=[truth(*row) for row in counted[["distance", "p", "level"]].to_numpy(float)])
    models = counted.groupby(["paper", "id"], sort=False)["model"].agg(tuple)
    shared = models[models.map(len) > 1].value_counts(sort=True)
    encoders = [] if shared.empty else list(shared.index[0])
    found = counted[counted["model"].isin(encoders)].pivot(index=["paper", "id"], columns="model", values="truth")
    return found.reindex(index=models.index, columns=encoders).dropna() if encoders else found.iloc[:0]


def truth(distance: float, p: float, level: float) -> str:
    """Return ``true``, ``false`` or ``open``, given the evidence on a threshold and the level of its test."""
    return _TRUTHS.get(Evidence(distance, p).verdict(level), OPEN)


def contradict(found: pd.DataFrame) -> pd.Series:
    """Return True for the findings that are true of one encoder and false of another."""
    return found.eq(TRUE).any(axis=1) & found.eq(FALSE).any(axis=1)


def crossings(found: pd.DataFrame) -> dict[tuple[str, str], pd.DataFrame]:
    """Return, for each two encoders, how many findings have each truth of the first (rows) and the second (columns)."""
    order = [TRUE, FALSE, OPEN]
    return {
        (one, other): pd.crosstab(found[one], found[other]).reindex(index=order, columns=order, fill_value=0)
        for one, other in combinations(found.columns, 2)
    }


def sentence(board: pd.DataFrame) -> str:
    """Return how many findings are true or false of all encoders, contradictory, or open; empty for one encoder."""
    found = truths(board)
    if found.empty:
        return ""
    both = "both" if len(found.columns) == 2 else f"all {len(found.columns)}"
    noun = "finding" if len(found) == 1 else "findings"
    some, other = ("one", "the other") if len(found.columns) == 2 else ("some", "others")
    true, false, contradicting = found.eq(TRUE).all(axis=1), found.eq(FALSE).all(axis=1), contradict(found)
    is_open = ~(true | false | contradicting)
    return (
        f"Of {len(found)} {noun} that can be tested on {both} encoders, {true.sum()} {_is(true)} true of {both}, "
        f"{false.sum()} {_is(false)} false of {both}, {contradicting.sum()} {_is(contradicting)} true of {some} and "
        f"false of {other}, and {is_open.sum()} {_is(is_open)} open on at least one."
    )


def _is(chosen: pd.Series) -> str:
    return "is" if chosen.sum() == 1 else "are"
