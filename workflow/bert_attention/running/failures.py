"""What a run that failed says last: which job, why, and where its log is."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

_ERROR = re.compile(r"^\d{4}-\d\d-\d\d [\d:,]+ (?:ERROR|CRITICAL) (?P<message>.*)$", flags=re.M)
# What Slurm writes into the log of a job that it ends.
_ENDED_BY_SLURM = re.compile(r"^slurmstepd\S*: error: (?P<message>.*)$", flags=re.M)
_TRACEBACK = "Traceback (most recent call last):"
_MOST_JOBS = 8
_STOPPED = "Terminating processes on user request"  # so Snakemake says after Ctrl-C

_HOW_TO_GO_ON = """
This run was stopped. To go on, give the same command again: what was finished stays, and the jobs that were under way
begin anew.
"""


class Failures(logging.Handler):
    """Remembers from Snakemake's messages which jobs have failed, unless they are tried again and succeed.

    Attributes
    ----------
    last_lines
        What a run that has failed, or was stopped, says last; empty before its end.
    """

    def __init__(self) -> None:
        super().__init__()
        self.last_lines = ""
        self._failed: dict[int, logging.LogRecord] = {}
        self._is_stopped = False

    def emit(self, record: logging.LogRecord) -> None:
        """Take up what a message says; see ``LogEvent`` in Snakemake's interface for loggers."""
        event = getattr(record, "event", None)
        if event == "job_error" and hasattr(record, "rule_name"):
            self._failed[getattr(record, "jobid", 0)] = record
        elif event == "job_finished":
            self._failed.pop(getattr(record, "job_id", None), None)
        elif record.getMessage().startswith(_STOPPED):
            self._is_stopped = True

    def end_run(self) -> None:
        """Put the last lines together while the logs, whose paths are relative, can be found; none if none failed.

        Of a run that was stopped, the jobs have not failed: they were stopped, too.
        """
        if self._is_stopped:
            self.last_lines = _HOW_TO_GO_ON
            return
        if not self._failed:
            return
        failed = list(self._failed.values())
        lines = ["", "This run has failed:" if len(failed) == 1 else f"This run has failed, in {len(failed)} jobs:"]
        for failure in failed[:_MOST_JOBS]:
            lines += _told(failure)
        if len(failed) > _MOST_JOBS:
            lines.append(f"  and {len(failed) - _MOST_JOBS} others")
        self.last_lines = "\n".join([*lines, ""])


def _files(record: logging.LogRecord, kind: str) -> list[str]:
    """A job's outputs or logs, without what Snakemake says behind those in object storage."""
    return [str(named).removesuffix(" (send to storage)") for named in getattr(record, kind, None) or ()]


def _to_read(log: str) -> str:
    """A log; of one in object storage, the copy on this machine if it is still here."""
    copy = Path(".snakemake", "storage", log.replace("://", "/", 1))
    return str(copy) if "://" in log and copy.is_file() else log


def _told(record: logging.LogRecord) -> Iterator[str]:
    outputs, logs = _files(record, "output"), [_to_read(log) for log in _files(record, "log")]
    made = f", for {outputs[0]}" if outputs else ""
    yield f"  job  {record.rule_name}{made}"
    first, *others = reason(logs).splitlines()
    yield f"  why  {first}"
    yield from (f"       {line.strip()}" for line in others)
    yield f"  log  {', '.join(logs) or 'it has none'}"


def reason(logs: Sequence[str]) -> str:
    """Why a job failed, from the error that it logged last; of a traceback, the last line.

    What a cluster ended could log nothing itself: then it is what Slurm says, first.
    """
    files = [log for log in map(Path, logs) if log.is_file()]
    texts = [log.read_text(encoding="utf-8", errors="replace") for log in files]
    for text in texts:
        ended = _ENDED_BY_SLURM.search(text)
        if ended:
            return f"Slurm ended it: {ended['message'].strip('* ')}"
    for text in texts:
        errors = list(_ERROR.finditer(text))
        if errors:
            message = errors[-1]["message"] + text[errors[-1].end() :].rstrip()
            return message.splitlines()[-1] if _TRACEBACK in message else message
        if text.strip() and _TRACEBACK in text:
            return text.rstrip().splitlines()[-1]
    return "its log names no error: it was killed (out of memory?), or it failed before it could write one"
