"""Published numbers as cells of a printed table."""

from __future__ import annotations

from collections.abc import Callable

import pandas as pd

from bert_attention.statistics.forms import NO_VALUE
from bert_attention.tables import RECALLED


def published_cell(published: pd.DataFrame, form: Callable[[float], str], **where: object) -> str:
    """Return the published number that matches, marked if it is recalled, or a dash if no number matches.

    ``published`` has the columns ``value`` and ``provenance``, and ``where`` gives values of the row by column. Raise
    ValueError if several numbers match.
    """
    found = published[(published.reindex(columns=[*where]) == pd.Series(where)).all(axis=1)]
    if len(found) > 1:
        raise ValueError(f"{len(found)} published numbers have {where}")
    if found.empty:
        return NO_VALUE
    number = found.iloc[0]
    return form(number["value"]) + (RECALLED if number["provenance"] == "recalled" else "")


def note_on_recalled(published: pd.DataFrame) -> tuple[str, ...]:
    """Return a note on the mark of recalled numbers, if there are such numbers."""
    return (
        (f"{RECALLED}: cited from memory, not checked in the paper.",)
        if (published["provenance"] == "recalled").any()
        else ()
    )


def model_name(model: str) -> str:
    """Return the name of a model of the Hugging Face hub without its owner."""
    return model.rpartition("/")[2]
