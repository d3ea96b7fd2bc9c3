"""The findings that are confirmed on some encoders of an edition, but not on all."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd

from bert_attention.judging.encoders import alike, asked_of_all, confirmed_on, sentence
from bert_attention.judging.evidence import INCONCLUSIVE
from bert_attention.judging.kinds import MODEL_LABELED, SILVER
from bert_attention.judging.verdicts import CONFIRMED, NO_CONTROL, NOT_CONFIRMED, NOT_SPECIFIC, PERHAPS_SPECIFIC
from bert_attention.judging.words import number_texts, with_mark
from bert_attention.printing.layout import Bold, PrintedTable
from bert_attention.statistics.forms import NO_VALUE

_KINDS = {SILVER: "*", MODEL_LABELED: "**"}
# Marks of numbers on which a finding is not confirmed.
_MARKS = {
    CONFIRMED: "",
    NOT_CONFIRMED: " [n]",
    INCONCLUSIVE: " [i]",
    NOT_SPECIFIC: " [r]",
    PERHAPS_SPECIFIC: " [p]",
    NO_CONTROL: " [t]",
}


def format_table(scoreboard: pd.DataFrame) -> PrintedTable:
    """Format each encoder's number with a mark of its verdict, in groups of findings that hold on the same encoders."""
    verdicts = asked_of_all(scoreboard)
    encoders = list(verdicts.columns)
    rows = {
        (row["paper"], row["id"], row["model"]): row
        for row in scoreboard.to_dict("records")
        if row["model"] in encoders
    }
    on = confirmed_on(verdicts) if encoders else pd.Series(dtype=object)
    unclear = alike(scoreboard, verdicts)
    groups = []
    for names in sorted(set(on) - {(), tuple(encoders)}, key=lambda names: (len(names), encoders.index(names[0]))):
        findings = [finding for finding, where in on.items() if where == names]
        title = [Bold(f"Only on {', '.join(names)} ({len(findings)})"), *[""] * (2 + len(encoders))]
        groups.append(
            [title, *(_cells([rows[*finding, name] for name in encoders], finding in unclear) for finding in findings)]
        )
    notes = (
        sentence(scoreboard) or "The edition has one encoder.",
        "With 95% intervals, over texts.",
        "[n] not confirmed, [i] inconclusive, [r] also true of random weights, [p] true, perhaps not specific, "
        "[t] true, but no control applies.",
        "≈ The numbers do not differ beyond their intervals, or differ in the other direction.",
        "Published numbers are those of the papers' encoder on the papers' corpora.",
        "* from automatic parses, ** from labels by a language model.",
    )
    return PrintedTable([("", ["finding", "published", "threshold", *encoders])], groups, notes)


def _cells(rows: Sequence[Mapping], is_unclear: bool) -> list[str]:
    """Return a finding's label, its published number, its threshold, and the number of each encoder."""
    first = {**rows[0], "subject": ""}  # each number is followed by its own subject
    label = with_mark(first["label"], first) + _KINDS.get(first["text"], "") + (" ≈" if is_unclear else "")
    texts = number_texts(first)
    return [label, texts["published"] or NO_VALUE, texts["threshold"], *map(_number_and_mark, rows)]


def _number_and_mark(row: Mapping) -> str:
    number = number_texts(row)["replicated"]
    subject = f"; {row['subject']}" if row["subject"] else ""
    return number + subject + _MARKS[row["finding"]]
