"""Published numbers as cells of a printed table."""

from __future__ import annotations

from collections.abc import Callable

import pandas as pd

from bert_attention.paper.layout import NO_VALUE

_RECALLED = "\N{DAGGER}"


def published_cell(published: pd.DataFrame, form: Callable[[float], str], **where: object) -> str:
    """The one published number whose claim says all this, marked if it is recalled; a dash if there is none.

    Parameters
    ----------
    published
        :func:`bert_attention.claims.publications.published_values`.
    form
        How the number is written.

    Raises
    ------
    ValueError
        If several claims say so.
    """
    found = published
    for key, value in where.items():
        found = found[found[key] == value] if key in found else found[:0]
    if len(found) > 1:
        raise ValueError(f"the claims {', '.join(found['id'])} all have {where}")
    if found.empty:
        return NO_VALUE
    claim = found.iloc[0]
    return form(claim["value"]) + (_RECALLED if claim["provenance"] == "recalled" else "")


def note_on_recalled(published: pd.DataFrame) -> tuple[str, ...]:
    """What the mark of recalled numbers means, where there are such."""
    return (f"{_RECALLED}: recalled, not read in the paper.",) if (published["provenance"] == "recalled").any() else ()


def model_name(model: str) -> str:
    """The name of a model of the Hugging Face hub without its owner."""
    return model.rpartition("/")[2]
