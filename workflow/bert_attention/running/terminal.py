"""What a run shows on a terminal: one progress bar, the jobs that run now, and whatever goes wrong.

Snakemake prints twenty lines for each job. On a terminal, a person wants to know what runs, how much is left and what
failed. Everywhere else Snakemake's lines stay as they are, and its log in ``.snakemake/log`` keeps them in any case.
"""

from __future__ import annotations

import atexit
import logging
import os
import time
from datetime import timedelta

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table
from rich.text import Text

from bert_attention.running.jobs import PROGRESS_BAR_IS_SHOWN

_MOST_JOBS_LISTED = 8
_PREAMBLE = ("workflow_started", "resources_info")  # twenty lines on versions, folders and cores, half a screen
_FAILURES = ("job_error", "group_error", "error")


def show_progress_bar(logger: logging.Logger) -> None:
    """Show a bar instead of the lines that Snakemake's logger prints, where it prints them on a terminal.

    Parameters
    ----------
    logger
        Its messages carry an ``event``, such as ``job_info``; see ``LogEvent`` in Snakemake's interface for loggers.
    """
    for handler in logger.handlers:
        stream = getattr(handler, "stream", None)
        if isinstance(handler, logging.StreamHandler) and stream is not None and stream.isatty():
            handler.addFilter(RunDisplay(handler, Console(file=stream)))
            os.environ[PROGRESS_BAR_IS_SHOWN] = "yes"  # jobs inherit it, and leave the terminal alone


class RunDisplay(logging.Filter):
    """A progress bar over all jobs of a run, and below it the jobs that run now.

    As a filter, it takes what it shows itself away from the handler, from the first job to the last, and what Snakemake
    says of itself before that.
    """

    def __init__(self, handler: logging.Handler, console: Console) -> None:
        super().__init__()
        self._handler = handler
        self._console = console
        self._running: dict[int, tuple[str, float]] = {}  # name and start of each job, by its id
        self._progress = Progress(
            TextColumn("[bold]replicating"),
            BarColumn(bar_width=None),
            MofNCompleteColumn(separator=" of "),
            TextColumn("jobs"),
            TimeElapsedColumn(),
            console=console,
            expand=True,
        )
        self._all_jobs = self._progress.add_task("all jobs", total=None)
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
            self._live.start()
            atexit.register(self._stop)  # also after a failure or Ctrl-C: it hides the cursor
        elif not self._live.is_started:
            return event not in _PREAMBLE
        elif event == "job_info":
            self._running[record.jobid] = (_job_name(record), time.monotonic())
        elif event == "job_finished":
            self._running.pop(record.job_id, None)
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

    def _picture(self) -> RenderableType:
        jobs = Table.grid(padding=(0, 2))
        jobs.add_column(no_wrap=True, overflow="ellipsis")
        jobs.add_column(justify="right")
        now = time.monotonic()
        for name, start in list(self._running.values())[:_MOST_JOBS_LISTED]:
            jobs.add_row(f"  {name}", str(timedelta(seconds=round(now - start))))
        further = len(self._running) - _MOST_JOBS_LISTED
        if further > 0:
            jobs.add_row(f"  and {further} others", "")
        return Group(self._progress, jobs)


def _job_name(record: logging.LogRecord) -> str:
    """The rule of a job, with its wildcards."""
    return " ".join([record.rule_name, *map(str, dict(record.wildcards or {}).values())])
