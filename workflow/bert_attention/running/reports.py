"""Report of a job on the corpora that it read, in a file for the results page and at the end of the job's log."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from bert_attention.corpora.summaries import Summary, summary_lines, write_summaries
from bert_attention.running.jobs import logger


def report_corpora(summaries: Sequence[Summary], path: Path | str) -> None:
    """Write summaries of corpora to a file, and log them."""
    write_summaries(summaries, path)
    for line in summary_lines(summaries):
        logger.info("%s", line)
