"""Differences between the scoreboards of two runs of one edition on different processors, by statement.

    python -m benchmarks.two_runs results/embedded elsewhere/results/embedded "description of the second run"
    MKL_CBWR=AVX2 ATEN_CPU_CAPABILITY=default ONEDNN_MAX_CPU_ISA=SSE41 snakemake ...    # one processor as another kind

A conclusion must not depend on the processor: statements that change should be inconclusive in one of the two runs.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import pandas as pd

from benchmarks import report
from bert_attention.judging.evidence import INCONCLUSIVE
from bert_attention.tables import read_table


def compare(first: pd.DataFrame, second: pd.DataFrame) -> pd.DataFrame:
    """Return the statements that both scoreboards judge, by id and model, with each ``finding`` and ``control``."""
    keys, judged = ["id", "model"], ["text", "finding", "control"]
    boards = [board[board["finding"].notna()].set_index(keys)[judged] for board in (first, second)]
    return boards[0].join(boards[1], suffixes=("_first", "_second"), how="inner")


def page(both: pd.DataFrame, other: str) -> str:
    """Return the block of benchmarks/README.md."""
    columns = ("text", "statements", "unchanged", "to or from inconclusive", "reversed", "control changed")
    changed = both[both["finding_first"] != both["finding_second"]]
    half = changed[(changed[["finding_first", "finding_second"]] == INCONCLUSIVE).any(axis=1)]
    controls = both[both["control_first"].fillna("") != both["control_second"].fillna("")]
    rows = []
    for text, judged in both.groupby("text_first"):
        counts = [len(part[part["text_first"] == text]) for part in (changed, half, controls)]
        rows.append((text, len(judged), len(judged) - counts[0], counts[1], counts[0] - counts[1], counts[2]))
    named = [f"{id_} ({row.finding_first}, {row.finding_second})" for (id_, _), row in changed.iterrows()]
    return f"{report.table(columns, rows)}\n\nThe second run: {other}. Changed: {', '.join(named) or 'none'}."


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("first", type=Path)
    parser.add_argument("second", type=Path)
    parser.add_argument("other")
    arguments = parser.parse_args()
    boards = [read_table(folder / "scoreboard.csv") for folder in (arguments.first, arguments.second)]
    text = page(compare(*boards), arguments.other)
    report.replace_block("two_runs", text)
    print(text)


if __name__ == "__main__":
    main()
