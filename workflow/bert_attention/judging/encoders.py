"""Findings that hold on all encoders of an edition, on some, or on none."""

from __future__ import annotations

import pandas as pd

from bert_attention.judging.verdicts import CONFIRMED


def asked_of_all(board: pd.DataFrame) -> pd.DataFrame:
    """Return the verdicts on the findings that are counted on every encoder.

    Has a row for each finding, named by ``paper`` and ``id``, and a column for each encoder, both in the scoreboard's
    order. There are no rows if the scoreboard has a single encoder. Translation models are asked other findings, so the
    encoders are the models that share most findings.
    """
    counted = board[(board["counted"] == True) & board["finding"].notna() & board["model"].notna()]  # noqa: E712
    models = counted.groupby(["paper", "id"], sort=False)["model"].agg(tuple)
    shared = models[models.map(len) > 1].value_counts(sort=True)
    encoders = [] if shared.empty else list(shared.index[0])
    found = counted[counted["model"].isin(encoders)].pivot(index=["paper", "id"], columns="model", values="finding")
    return found.reindex(index=models.index, columns=encoders).dropna() if encoders else found.iloc[:0]


def confirmed_on(verdicts: pd.DataFrame) -> pd.Series:
    """Return the encoders on which each finding is confirmed, as a tuple of their names."""
    is_confirmed = verdicts.eq(CONFIRMED)
    return is_confirmed.apply(lambda row: tuple(is_confirmed.columns[row]), axis=1)


def sentence(board: pd.DataFrame) -> str:
    """Return how many findings are confirmed on all encoders, on single ones, and on none; empty for one encoder."""
    verdicts = asked_of_all(board)
    if verdicts.empty:
        return ""
    encoders = tuple(verdicts.columns)
    on = confirmed_on(verdicts)
    both, neither = ("both", "neither") if len(encoders) == 2 else (f"all {len(encoders)}", "none")
    noun = "finding" if len(verdicts) == 1 else "findings"
    asked = f"Of {len(verdicts)} {noun} that can be tested on {both} encoders"
    on_all = int((on == encoders).sum())
    parts = [f"{on_all} {'is' if on_all == 1 else 'are'} confirmed on {both}"]
    parts += [f"{(on == (name,)).sum()} only on {name}" for name in encoders]
    if several := int((on.map(len).between(2, len(encoders) - 1)).sum()):
        parts.append(f"{several} on several")
    return f"{asked}, {', '.join(parts)}, and {(on == ()).sum()} on {neither}."
