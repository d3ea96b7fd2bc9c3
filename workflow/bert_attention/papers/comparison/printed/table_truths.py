"""The number of findings that are true, false or open on each of two encoders of an edition."""

from __future__ import annotations

import pandas as pd

from bert_attention.judging.encoders import FALSE, OPEN, TRUE, crossings, sentence, truths
from bert_attention.printing.layout import PrintedTable

_AT = {TRUE: "of", FALSE: "of", OPEN: "on"}


def format_table(scoreboard: pd.DataFrame) -> PrintedTable:
    """Format a table of three by three numbers for each two encoders."""
    groups = [
        [
            [
                f"{truth} {_AT[truth]} {one}",
                *(f"{number} {title} {_AT[title]} {other}" for title, number in row.items()),
            ]
            for truth, row in table.iterrows()
        ]
        for (one, other), table in crossings(truths(scoreboard)).items()
    ]
    notes = (
        sentence(scoreboard) or "The edition has one encoder.",
        "A finding is true or false if its interval lies on one side of the threshold, at the limit for so many "
        "findings; otherwise it is open. The control does not count here.",
    )
    return PrintedTable([("", ["findings", "true", "false", "open"])], groups, notes)
