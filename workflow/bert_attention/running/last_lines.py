"""The last lines of a run: the results that it made, or its errors; and the warnings that its jobs logged."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from pathlib import Path

from bert_attention.files import visible_files
from bert_attention.plan import Plan

_LOGS = ("logs", ".snakemake/slurm_logs", ".snakemake/storage")  # the last has copies of logs from object storage
_ERROR = re.compile(r"^\d{4}-\d\d-\d\d [\d:,]+ (?:ERROR|CRITICAL) ", flags=re.M)
# A warning of this project, as Python's logging writes it. The warnings of other packages are about their own code.
_WARNING = re.compile(r"^\d{4}-\d\d-\d\d [\d:,]+ WARNING (?P<file>.*?):\d+: UserWarning: (?P<text>.*)$", flags=re.M)
_OTHER_PACKAGES = re.compile(r"/(?:site|dist)-packages/(?!bert_attention/)")
_TABLE = re.compile(r"^(?:control/)?[a-z]+(?:_[a-z0-9]+)+: ")  # a warning about a table begins like this
# Snakemake's own log reports a failed job like this. On a cluster, the message can have several lines.
_FAILED_JOB = re.compile(
    r"^Error in rule (?P<rule>\w+):\n    message: (?P<message>.*?)\n    jobid: (?P<job>\d+)\n"
    r"(?:    (?!log: )[^\n]*\n)*(?:    log: (?P<logs>[^\n]*?)(?: \(check log file[^\n]*)?\n)?",
    flags=re.M | re.S,
)
_END_OF_MESSAGE = re.compile(r"\n    sbatch (?:call|script):|\nFor further error details")
_NOT_SUBMITTED = re.compile(r"sbatch failed|ubmission failed|failed array sbatch|^Error submitting")
_SAID = re.compile(r"The error message was '(.*)'\.", flags=re.S)
# Slurm writes this line into the log of a job before ending the job.
_ENDED_BY_SLURM = re.compile(r"^slurmstepd\S*: error: (?P<message>.*)$", flags=re.M)
_TRACEBACK = "Traceback (most recent call last):"
_MOST_LISTED = 12  # files or errors; more are counted
_KINDS = {"figure": "figures/*.pdf", "printed table": "tables/*.md", "table": "tables/*.csv"}


def results_made(plan: Plan, started: float) -> str:
    """Return a text that lists the results made since a run started, and those to read first; empty without results."""
    folder = Path(f"results/{plan.edition}")
    made = [file for file in visible_files(folder, "**/*.*") if file.stat().st_mtime >= started]
    if not made:
        return ""
    listed = [str(file) for file in made if file.suffix not in (".png", ".tex", ".typ")]
    if len(listed) > _MOST_LISTED:
        counts = {kind: sum(file.match(form) for file in made) for kind, form in _KINDS.items()}
        listed = [", ".join(_counted(count, kind) for kind, count in counts.items() if count) + f" in {folder}/"]
        listed += [f"{file}: {use}" for file, use in _pages(plan).items() if file in made]
    lines = ["", "Made in this run:", *(f"  {line}" for line in listed)]
    scoreboard = Path(plan.table("scoreboard"))
    return "\n".join(lines + (_claims_judged(scoreboard) if scoreboard in made else [])) + "\n"


def _counted(count: int, kind: str) -> str:
    """Return a count of files in words: ``1 figure``, ``2 figures``."""
    return f"{count} {kind}" if count == 1 else f"{count} {kind}s"


def _pages(plan: Plan) -> dict[Path, str]:
    """Return the files to open first after all results were made, each with its use."""
    uses = {"paper.pdf": "all results as a paper", "explorer.html": "a page that shows the heads"}
    folder = Path(f"results/{plan.edition}")
    pages = {folder / model / page: use for page, use in uses.items() for model in plan.encoders}
    return {folder / "index.html": "all findings, figures and tables: open it in a browser", **pages}


def _claims_judged(scoreboard: Path) -> list[str]:
    """Return lines on the verdicts on the papers' claims, and on the file that lists the claims."""
    from bert_attention.judging.words import summary  # noqa: PLC0415 (only this end of a run needs pandas)
    from bert_attention.tables import read_table  # noqa: PLC0415

    return ["", *summary(read_table(scoreboard)), f"All claims are in {scoreboard.with_suffix('.md')}"]


def errors_logged(started: float, snakemake_logs: Iterable[Path | str] = ()) -> str:
    """Return a text with the errors of a run, or advice if no log has an error.

    Errors are those in logs of jobs written since the run started. For a failed job whose log names no error, such as a
    job that the cluster refused, it is what Snakemake's log says. ``snakemake_logs`` are the files of Snakemake's log
    of the run.
    """
    found = {log: _last_error(log) for log in _logs_since(started)}
    errors = {str(log): error for log, error in found.items() if error not in ("", "interrupted")}
    errors |= {job: error for log in snakemake_logs for job, error in _failed_jobs(Path(log), errors).items()}
    if not errors:
        return """
This run was stopped, or its jobs were killed (out of memory?): their logs name no error.
To continue, give the same command again: finished files stay, and interrupted jobs start again.
"""
    lines = ["", "This run has failed:"]
    for where, error in list(errors.items())[:_MOST_LISTED]:
        lines += [f"  {where}", *(f"    {line}" for line in error.splitlines())]
    if len(errors) > _MOST_LISTED:
        lines.append(f"  and {len(errors) - _MOST_LISTED} more")
    return "\n".join([*lines, ""])


def _logs_since(started: float) -> list[Path]:
    """Return the logs of jobs that were written since a run started."""
    logs = (log for folder in _LOGS for log in visible_files(folder, "**/*.log"))
    return sorted(log for log in logs if log.stat().st_mtime >= started)


def _failed_jobs(snakemake_log: Path, with_error: Iterable[str]) -> dict[str, str]:
    """Return what Snakemake's log says of the last attempt of each failed job, if no log of the job names an error."""
    known, found = set(map(os.path.abspath, with_error)), {}
    for match in _FAILED_JOB.finditer(snakemake_log.read_text(encoding="utf-8", errors="replace")):
        message = _END_OF_MESSAGE.split(match["message"])[0].strip()
        logs = map(os.path.abspath, (match["logs"] or "").split(", "))
        if message != "None" and known.isdisjoint(logs):
            found[f"rule {match['rule']}, job {match['job']}"] = _explained(message)
    return found


def _explained(message: str) -> str:
    """Return the message on a failed job, with a remedy if the job was not submitted."""
    if not _NOT_SUBMITTED.search(message):
        return message
    said = _SAID.search(message)
    reason = said[1] if said else f"{message.rstrip(':')}; the message of the submit command is above"
    return f"the submission failed: {reason}\n  Remedy: correct the profile, and give the same command again"


def warnings_logged(started: float) -> str:
    """Return a text with the distinct warnings that jobs have logged since a run started, and where."""
    found: dict[str, list[Path]] = {}
    for log in _logs_since(started):
        text = log.read_text(encoding="utf-8", errors="replace")
        ours = (match["text"] for match in _WARNING.finditer(text) if not _OTHER_PACKAGES.search(match["file"]))
        for warning in dict.fromkeys(_TABLE.sub("", warning) for warning in ours):
            found.setdefault(warning, []).append(log)
    if not found:
        return ""
    lines = ["", "Warnings of this run:"]
    for warning, logs in list(found.items())[:_MOST_LISTED]:
        first = f"{len(logs)} logs, the first of them " if len(logs) > 1 else ""
        lines += [f"  {warning}", f"    in {first}{logs[0]}"]
    if len(found) > _MOST_LISTED:
        lines.append(f"  and {len(found) - _MOST_LISTED} more")
    return "\n".join([*lines, ""])


def _last_error(log: Path) -> str:
    """Return the last error in a log, or an empty text. Only the last line of a traceback is kept."""
    text = log.read_text(encoding="utf-8", errors="replace").rstrip()
    if ended := _ENDED_BY_SLURM.search(text):
        return f"Slurm ended it: {ended['message'].strip('* ')}"
    *before, error = _ERROR.split(text)
    if before and _TRACEBACK in error:
        return error.splitlines()[-1]
    return error if before else ""
