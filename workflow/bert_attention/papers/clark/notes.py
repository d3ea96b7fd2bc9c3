"""Notes of the explorer on heads, from the tables of Clark et al. 2019."""

from __future__ import annotations

from bert_attention.explorer.notes import ATTENTION, BEST, CATEGORIES, SUMMARIES, Reading, in_percent

_TARGETS = {"previous": "previous token", "next": "next token", "self": "the token itself"} | CATEGORIES
# Values of the rows of clark_coreference.
_ANTECEDENTS = {"system": "best_head", "candidates": "mentions", "selection": "same_data", "mention_type": "all"}

READINGS = (
    Reading(
        BEST,
        "treebank",
        "clark_dependency_heads",
        "accuracy",
        {"selection": "same_data", "variant": "described"},
        lambda row: SUMMARIES.get(row.relation, row.relation.replace("_", " ")),
        remark=lambda row: f"{row.direction.replace('_', ' ')}; a fixed offset: {in_percent(row.baseline_accuracy)}",
        best_head_alone=True,
        evidence="clark_evidence",
    ),
    Reading(
        BEST,
        "coreference",
        "clark_coreference",
        "accuracy",
        _ANTECEDENTS,
        lambda row: f"coreference, {row.direction.replace('_', ' ')}",
        best_head_alone=True,
    ),
    Reading(ATTENTION, "wikipedia", "clark_positions", "attention", {}, lambda row: _TARGETS.get(row.target)),
    Reading(
        "Breadth of attention",
        "wikipedia",
        "clark_entropy",
        "entropy",
        {"source": "all"},
        lambda _: "entropy",
        unit="nats",
        remark=lambda row: f"uniform attention: {row.uniform:.2f}",
    ),
)
