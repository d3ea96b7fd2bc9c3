"""What a run shows on a terminal: one progress bar, the jobs that run now, and whatever goes wrong.

Snakemake prints twenty lines for each job. On a terminal, a person wants to know what runs, how much is left and what
failed. Everywhere else Snakemake's lines stay as they are, and its log in ``.snakemake/log`` keeps them in any case.

How much time is left follows from what the same rules took in the last run, and from how fast this one is beside it. A
first run has nothing to go by, and says nothing.
"""

from __future__ import annotations

import atexit
import csv
import logging
import os
import time
from collections import defaultdict
from collections.abc import Mapping
from contextlib import suppress
from datetime import timedelta
from pathlib import Path
from statistics import mean

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table
from rich.text import Text

from bert_attention.running.jobs import PROGRESS_BAR_IS_SHOWN

_MOST_JOBS_LISTED = 8
_PREAMBLE = ("workflow_started", "resources_info")  # twenty lines on versions, folders and cores, half a screen
_FAILURES = ("job_error", "group_error", "error")
_SHORT_JOB = 5.0  # seconds of a job that notes no time, such as one that draws a figure
_ENOUGH = 0.05  # of a run's work, before its speed tells how long the rest will take


def seconds_of_last_run(benchmarks: Path) -> dict[str, float]:
    """The seconds that a job of each rule took when it last ran, by the files that Snakemake's benchmarks left."""
    found = defaultdict(list)
    for path in benchmarks.rglob("*.tsv"):
        with suppress(OSError, KeyError, ValueError, TypeError), path.open(encoding="utf-8", newline="") as file:
            found[path.name.partition(".")[0]] += [float(row["s"]) for row in csv.DictReader(file, delimiter="\t")]
    return {rule: mean(seconds) for rule, seconds in found.items() if seconds}


def show_progress_bar(logger: logging.Logger, benchmarks: Path) -> None:
    """Show a bar instead of the lines that Snakemake's logger prints, where it prints them on a terminal.

    Parameters
    ----------
    logger
        Its messages carry an ``event``, such as ``job_info``; see ``LogEvent`` in Snakemake's interface for loggers.
    benchmarks
        The folder where jobs of the last run noted their time.
    """
    for handler in logger.handlers:
        stream = getattr(handler, "stream", None)
        if isinstance(handler, logging.StreamHandler) and stream is not None and stream.isatty():
            handler.addFilter(RunDisplay(handler, Console(file=stream), seconds_of_last_run(benchmarks)))
            os.environ[PROGRESS_BAR_IS_SHOWN] = "yes"  # jobs inherit it, and leave the terminal alone


class RunDisplay(logging.Filter):
    """A progress bar over all jobs of a run, and below it the jobs that run now.

    As a filter, it takes what it shows itself away from the handler, from the first job to the last, and what Snakemake
    says of itself before that.
    """

    def __init__(self, handler: logging.Handler, console: Console, seconds: Mapping[str, float]) -> None:
        super().__init__()
        self._seconds = seconds  # of a job of each rule, in the last run
        self._started = 0.0
        self._work = self._done = 0.0  # of all jobs of this run, and of those that are done, in such seconds
        self._handler = handler
        self._console = console
        self._running: dict[int, tuple[str, float, float]] = {}  # name, start and work of each job, by its id
        self._progress = Progress(
            TextColumn("[bold]replicating"),
            BarColumn(bar_width=None),
            MofNCompleteColumn(separator=" of "),
            TextColumn("jobs"),
            TimeElapsedColumn(),
            TextColumn("{task.fields[left]}"),
            console=console,
            expand=True,
        )
        self._all_jobs = self._progress.add_task("all jobs", total=None, left="")
        self._live = Live(console=console, get_renderable=self._picture, refresh_per_second=4, transient=True)

    def filter(self, record: logging.LogRecord) -> bool:
        """Take up what a message says of the run; whether the handler is to print it."""
        try:
            return self._take_up(record)
        except (AttributeError, KeyError):  # messages of another version of Snakemake: its lines appear as ever
            self._stop()
            self._handler.removeFilter(self)
            return True

    def _take_up(self, record: logging.LogRecord) -> bool:
        event = getattr(record, "event", None)
        if event == "run_info":
            self._progress.update(self._all_jobs, total=record.stats["total"])
            self._started = time.monotonic()
            planned = {rule: count for rule, count in record.stats.items() if rule != "total"}
            self._work = sum(count * self._work_of(rule) for rule, count in planned.items() if self._seconds)
            self._live.start()
            atexit.register(self._stop)  # also after a failure or Ctrl-C: it hides the cursor
        elif not self._live.is_started:
            return event not in _PREAMBLE
        elif event == "job_info":
            self._running[record.jobid] = (_job_name(record), time.monotonic(), self._work_of(record.rule_name))
        elif event == "job_finished":
            self._done += self._running.pop(record.job_id, ("", 0.0, 0.0))[2]
            self._progress.advance(self._all_jobs)
        elif event == "progress" and record.done == record.total:
            self._stop()
        elif event in _FAILURES or record.levelno >= logging.WARNING:
            self._running.pop(getattr(record, "jobid", None), None)
            self._console.print(Text(self._handler.format(record)), soft_wrap=True)
        return False

    def _stop(self) -> None:
        """Take the bar away, and say how many jobs were done."""
        if not self._live.is_started:
            return
        self._live.stop()
        task = self._progress.tasks[0]
        elapsed = timedelta(seconds=round(task.elapsed or 0))
        self._console.print(f"{int(task.completed)} of {task.total} jobs done in {elapsed}", highlight=False)

    def _work_of(self, rule: str) -> float:
        return self._seconds.get(rule, _SHORT_JOB)

    def _time_left(self) -> str:
        """About how long the rest of the run takes; empty as long as that cannot be told."""
        now = time.monotonic()
        begun = sum(min(now - start, work) for _, start, work in self._running.values())
        if self._done + begun <= _ENOUGH * self._work or not self._work:
            return ""
        left = (now - self._started) * max(0.0, self._work / (self._done + begun) - 1)
        return "under a minute left" if left < 60 else f"about {round(left / 60)} min left"

    def _picture(self) -> RenderableType:
        self._progress.update(self._all_jobs, left=self._time_left())
        jobs = Table.grid(padding=(0, 2))
        jobs.add_column(no_wrap=True, overflow="ellipsis")
        jobs.add_column(justify="right")
        now = time.monotonic()
        for name, start, _ in list(self._running.values())[:_MOST_JOBS_LISTED]:
            jobs.add_row(f"  {name}", str(timedelta(seconds=round(now - start))))
        further = len(self._running) - _MOST_JOBS_LISTED
        if further > 0:
            jobs.add_row(f"  and {further} others", "")
        return Group(self._progress, jobs)


def _job_name(record: logging.LogRecord) -> str:
    """The rule of a job, with its wildcards."""
    return " ".join([record.rule_name, *map(str, dict(record.wildcards or {}).values())])
