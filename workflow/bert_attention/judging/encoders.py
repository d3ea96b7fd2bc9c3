"""Findings that hold on all encoders of an edition, on some, or on none."""

from __future__ import annotations

import math

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


def alike(board: pd.DataFrame, verdicts: pd.DataFrame) -> set[tuple[str, str]]:
    """Return the findings that are confirmed on some encoders only, but whose numbers are no reason for this.

    On an encoder with another verdict, the number may be equal, or farther on the stated side. The 95% interval of the
    difference comes from the intervals of both numbers (Zou and Donner 2008, "Construction of confidence limits about
    effect measures"). The encoders read the same text, which makes it too wide rather than too narrow. ``verdicts`` are
    those of :func:`asked_of_all`.
    """
    rows = board.set_index(["paper", "id", "model"])
    found = set()
    for finding, row in verdicts.iterrows():
        numbers = {name: _judged(rows.loc[(*finding, name)]) for name in verdicts.columns}
        confirmed = [numbers[name] for name in verdicts.columns if row[name] == CONFIRMED]
        others = [numbers[name] for name in verdicts.columns if row[name] != CONFIRMED]
        if confirmed and others and all(_is_no_farther(one, other) for one in confirmed for other in others):
            found.add(finding)
    return found


def _judged(row: pd.Series) -> tuple[float, float, float]:
    """Return the number that a statement is about, and its bounds, so that larger numbers are on the stated side.

    It is a correlation if the statement is about one. A range has two sides: there, numbers that are nearer to its
    middle are larger.
    """
    if pd.notna(row["correlation"]):
        return row["correlation"], row["correlation_low"], row["correlation_high"]
    value, low, high = row["replicated"], row["low"], row["high"]
    if pd.isna(row["needed_high"]):
        return value, low, high
    if pd.isna(row["needed_low"]):
        return -value, -high, -low
    middle = (row["needed_low"] + row["needed_high"]) / 2
    sign = 1 if value < middle else -1
    return sign * (value - middle), *sorted((sign * (low - middle), sign * (high - middle)))


def _is_no_farther(one: tuple[float, float, float], other: tuple[float, float, float]) -> bool:
    """Return True if the interval of the difference of two numbers does not lie above 0; False if it is unknown."""
    (value, low, _), (smaller, _, high) = one, other
    return value - smaller <= math.hypot(value - low, high - smaller)


def sentence(board: pd.DataFrame) -> str:
    """Return how many findings are confirmed on all encoders, on single ones, and on none; empty for one encoder.

    A second sentence says for how many of the findings on some encoders the numbers are a reason.
    """
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
    counted = f"{asked}, {', '.join(parts)}, and {(on == ()).sum()} on {neither}."
    on_some = int(on.map(len).between(1, len(encoders) - 1).sum())
    if not on_some:
        return counted
    differing = on_some - len(alike(board, verdicts))
    some = "one only" if len(encoders) == 2 else "some only"
    return f"{counted} Of the {on_some} on {some}, the encoders' numbers differ beyond their intervals in {differing}."
