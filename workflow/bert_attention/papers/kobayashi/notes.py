"""Notes of the explorer on heads, from the tables of Kobayashi et al. 2020 and 2021."""

from __future__ import annotations

from bert_attention.explorer.notes import CATEGORIES, Reading

READINGS = tuple(
    Reading(
        f"Share of {name}, by kind of token",
        "wikipedia",
        "kobayashi_categories",
        "value",
        {"measure": measure},
        lambda row: CATEGORIES.get(row.category),
    )
    for name, measure in (("weight", "weight"), ("norm", "share_of_norm"))
)
