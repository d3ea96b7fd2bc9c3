"""Compute the difference of two encoders in each finding, by one jackknife over the texts that both read."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from itertools import combinations

import pandas as pd

from bert_attention.judging.claims import Paper
from bert_attention.judging.encoders import truths
from bert_attention.judging.evidence import LEVEL, difference
from bert_attention.judging.scoreboard import Tables, compared
from bert_attention.statistics.false_discoveries import largest_p_value

# Corpora of which an encoder reads no texts of its own: all encoders share them.
_SHARED = {"token_frequency", "vectors", "labeled_maps"}
# Vig's articles have examples instead of a corpus. Their statements are measured on the running text.
_ANY_TEXT = {"wikipedia"}


def differences(
    papers: Iterable[Paper], tables: Tables, scoreboard: pd.DataFrame, alike: Collection[str]
) -> pd.DataFrame:
    """Return table ``comparison_differences``: a row for each finding of all encoders, and each two of them.

    ``tables`` are as in :func:`bert_attention.judging.scoreboard.scoreboard`, and ``alike`` the corpora of which all
    encoders read the same texts (:func:`bert_attention.corpora.same_texts.read_alike`). The level is the highest
    p-value of a difference among the findings on the same kind of evidence, by the method of Benjamini and Hochberg.
    """
    found = truths(scoreboard)
    claims = {(paper.name, claim.name): claim for paper in papers for claim in paper.claims}
    asked = [claims[finding] for finding in found.index]
    numbers = {model: compared(asked, model, tables) for model in found.columns}
    kinds = scoreboard.drop_duplicates(["paper", "id"]).set_index(["paper", "id"])["text"]
    rows = []
    for (paper, name), claim in zip(found.index, asked, strict=True):
        is_paired = ({*claim.needs} - _SHARED or _ANY_TEXT) <= {*alike}
        for one, other in combinations(found.columns, 2):
            bounds, p = difference(numbers[one][name], numbers[other][name], is_paired)
            values = {name: float(value) for name, value in bounds._asdict().items()}
            described = {"paper": paper, "id": name, "model": one, "other_model": other, "is_paired": is_paired}
            rows.append({**described, **values, "p": p, "text": kinds[paper, name]})
    columns = ["paper", "id", "model", "other_model", "is_paired", "value", "low", "high", "p", "text"]
    table = pd.DataFrame(rows, columns=columns).rename(columns={"value": "difference"})
    levels = {
        kind: largest_p_value(of_kind["p"].dropna(), LEVEL)
        for kind, of_kind in table.groupby(["text", "model", "other_model"])
    }
    keys = table[["text", "model", "other_model"]].itertuples(index=False, name=None)
    return table.assign(level=[levels[key] for key in keys]).drop(columns="text")
