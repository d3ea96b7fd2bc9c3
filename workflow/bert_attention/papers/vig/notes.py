"""Notes of the explorer on heads, from the tables of Vig 2018 and 2019."""

from __future__ import annotations

from bert_attention.explorer.notes import Reading, in_percent

_PATTERNS = {
    "next": "next token",
    "previous": "previous token",
    "identical": "the same word",
    "identical_other_sentence": "the same word in the other sentence",
    "predictive": "words that predict the word",
    "delimiter": "[CLS] and [SEP]",
}

READINGS = (
    Reading(
        "Vig's six patterns",
        "wikipedia",
        "vig_patterns",
        "attention",
        {},
        lambda row: _PATTERNS.get(row.pattern),
        remark=lambda row: f"by chance or distance alone: {in_percent(row.baseline)}",
    ),
)
