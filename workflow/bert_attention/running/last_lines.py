"""The last lines of a run: the results that it made, or the errors that its jobs logged."""

from __future__ import annotations

import re
from pathlib import Path

from bert_attention.plan import Plan

_LOGS = ("logs", ".snakemake/slurm_logs", ".snakemake/storage")  # the last has copies of logs from object storage
_ERROR = re.compile(r"^\d{4}-\d\d-\d\d [\d:,]+ (?:ERROR|CRITICAL) ", flags=re.M)
# Slurm writes this line into the log of a job before ending the job.
_ENDED_BY_SLURM = re.compile(r"^slurmstepd\S*: error: (?P<message>.*)$", flags=re.M)
_TRACEBACK = "Traceback (most recent call last):"
_MOST_LISTED = 12  # files or errors; more are counted
_KINDS = {"figures": "figures/*.pdf", "printed tables": "tables/*.md", "tables": "tables/*.csv"}


def results_made(plan: Plan, started: float) -> str:
    """Return a text that lists the results made since a run started, and those to read first; empty without results."""
    folder = Path(f"results/{plan.edition}")
    made = [file for file in sorted(folder.rglob("*.*")) if file.stat().st_mtime >= started]
    if not made:
        return ""
    listed = [str(file) for file in made if file.suffix not in (".png", ".tex", ".typ")]
    if len(listed) > _MOST_LISTED:
        counts = {kind: sum(file.match(form) for file in made) for kind, form in _KINDS.items()}
        listed = [", ".join(f"{count} {kind}" for kind, count in counts.items() if count) + f" in {folder}/"]
        listed += [f"{file}: {use}" for file, use in _pages(plan).items() if file in made]
    lines = ["", "Made in this run:", *(f"  {line}" for line in listed)]
    scoreboard = Path(plan.table("scoreboard"))
    return "\n".join(lines + (_claims_judged(scoreboard) if scoreboard in made else [])) + "\n"


def _pages(plan: Plan) -> dict[Path, str]:
    """Return the files to open first after all results were made, each with its use."""
    uses = {"paper.pdf": "all results as a paper", "explorer.html": "a page that shows the heads"}
    folder = Path(plan.folder("edition"))
    pages = {folder / model / page: use for page, use in uses.items() for model in plan.encoders}
    return {folder / "index.html": "all findings, figures and tables: open it in a browser", **pages}


def _claims_judged(scoreboard: Path) -> list[str]:
    """Return lines on the verdicts on the papers' claims, and on the file that lists the claims."""
    from bert_attention.claims.scoreboard import summary  # noqa: PLC0415 (only this end of a run needs pandas)
    from bert_attention.tables import read_table  # noqa: PLC0415

    return ["", *summary(read_table(scoreboard)), f"All claims are in {scoreboard.with_suffix('.md')}"]


def errors_logged(started: float) -> str:
    """Return a text with the error in each log written since a run started, or advice if no log has an error."""
    logs = sorted(log for folder in _LOGS for log in Path(folder).rglob("*.log") if log.stat().st_mtime >= started)
    errors = {log: error for log in logs if (error := _last_error(log)) not in ("", "interrupted")}
    if not errors:
        return """
This run was stopped, or its jobs were killed (out of memory?): their logs name no error.
To continue, give the same command again: finished files stay, and interrupted jobs start again.
"""
    lines = ["", "This run has failed:"]
    for log, error in list(errors.items())[:_MOST_LISTED]:
        lines += [f"  {log}", *(f"    {line}" for line in error.splitlines())]
    if len(errors) > _MOST_LISTED:
        lines.append(f"  and {len(errors) - _MOST_LISTED} more")
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
