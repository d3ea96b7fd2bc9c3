"""The findings that are not read alike on all encoders of an edition."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd

from bert_attention.judging.encoders import FALSE, TRUE, sentence, truths
from bert_attention.judging.evidence import INCONCLUSIVE
from bert_attention.judging.kinds import MODEL_LABELED, SILVER
from bert_attention.judging.legend import STATEMENTS
from bert_attention.judging.verdicts import CONFIRMED, NO_CONTROL, NOT_CONFIRMED, NOT_SPECIFIC, PERHAPS_SPECIFIC
from bert_attention.judging.words import difference_text, number_texts, with_mark
from bert_attention.printing.layout import Bold, PrintedTable
from bert_attention.statistics.forms import NO_VALUE

_ONLY = "Only on"
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


def format_table(scoreboard: pd.DataFrame, comparison_differences: pd.DataFrame) -> PrintedTable:
    """Format each encoder's number with a mark of its verdict, and the differences of the first from the others.

    Groups are of findings that are read alike.
    """
    found = truths(scoreboard)
    encoders = list(found.columns)
    first, others = encoders[:1], encoders[1:]
    of_first = comparison_differences[comparison_differences["model"].isin(first)]
    differences = {(row["paper"], row["id"], row["other_model"]): row for row in of_first.to_dict("records")}
    rows = {
        (row["paper"], row["id"], row["model"]): row
        for row in scoreboard.to_dict("records")
        if row["model"] in encoders
    }
    verdicts = {finding: {rows[*finding, name]["finding"] for name in encoders} for finding in found.index}
    groups = []
    for title, findings in _groups(found, verdicts).items():
        line = [Bold(f"{title} ({len(findings)})"), *[""] * (2 + len(encoders) + len(others))]
        groups.append([line])
        for finding in findings:
            of_encoders = [rows[*finding, name] for name in encoders]
            between = [_difference(differences[*finding, other], of_encoders[0]) for other in others]
            groups[-1].append([*_cells(of_encoders), *between])
    notes = (
        sentence(scoreboard) or "The edition has one encoder.",
        "With 95% intervals, over texts. A difference is of the first encoder minus another, by one jackknife if both "
        "read the same texts; ≈ marks those that are not told from 0, among so many.",
        ", ".join(f"{mark.strip()} {STATEMENTS[name].predicate}" for name, mark in _MARKS.items() if mark) + ".",
        "Published numbers are those of the papers' encoder on the papers' corpora.",
        "* from automatic parses, ** from labels by a language model.",
    )
    titles = ["difference"] if len(others) == 1 else [f"minus {other}" for other in others]
    return PrintedTable([("", ["finding", "published", "threshold", *encoders, *titles])], groups, notes)


def _groups(found: pd.DataFrame, verdicts: Mapping[tuple, set[str]]) -> dict[str, list[tuple]]:
    """Return the findings by title. Contradictions come first."""
    groups: dict[str, list[tuple]] = {}
    for finding, row in found.iterrows():
        if title := _title(row, verdicts[finding]):
            groups.setdefault(title, []).append(finding)
    return dict(sorted(groups.items(), key=lambda group: not group[0].startswith(_ONLY)))


def _title(row: pd.Series, verdicts: set[str]) -> str:
    """Return the title of the findings with these truths; empty if all encoders have the same truth and verdict."""
    on, off = (", ".join(row.index[row == truth]) for truth in (TRUE, FALSE))
    if on and off:
        return f"{_ONLY} {on}, and false of {off}"
    if row.nunique() > 1:
        return (f"True of {on}" if on else f"False of {off}") + ", and open on the others"
    return (
        "True of all, but not everywhere beyond random weights" if CONFIRMED in verdicts and len(verdicts) > 1 else ""
    )


def _cells(rows: Sequence[Mapping]) -> list[str]:
    """Return a finding's label, its published number, its threshold, and the number of each encoder."""
    first = {**rows[0], "subject": ""}  # each number is followed by its own subject
    label = with_mark(first["label"], first) + _KINDS.get(first["text"], "")
    texts = number_texts(first)
    return [label, texts["published"] or NO_VALUE, texts["threshold"], *map(_number_and_mark, rows)]


def _difference(row: Mapping, claim: Mapping) -> str:
    return difference_text(row, claim) + ("" if row["p"] <= row["level"] else " ≈")


def _number_and_mark(row: Mapping) -> str:
    number = number_texts(row)["replicated"]
    subject = f"; {row['subject']}" if isinstance(row["subject"], str) and row["subject"] else ""
    return number + subject + _MARKS[row["finding"]]
