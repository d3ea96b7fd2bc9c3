"""Show a run on a terminal: a forecast, one progress bar, the running jobs, warnings and errors.

``profiles/default`` names this logger plugin of Snakemake. Without it, Snakemake prints twenty lines for each job.
These lines remain in a redirected output, in a dry run and with ``--verbose``, and always in ``.snakemake/log``.
The forecast is printed everywhere. The bar weighs jobs by their forecast time. A dry run ends with the workflow's
summary in place of Snakemake's lists of rules, unless ``--verbose`` asks for these.
"""

from __future__ import annotations

import logging
import os
import sys
import time
from collections.abc import Sequence
from datetime import timedelta
from itertools import takewhile
from pathlib import Path

from snakemake_interface_logger_plugins.base import LogHandlerBase
from snakemake_interface_logger_plugins.common import LogEvent

_MOST_JOBS_LISTED = 8
_SHARE_BEFORE_PACE = 0.1  # the bar tells the time that is left after this share of the work
_RUNNING_SHARE = 0.9  # a running job counts for at most this share of its forecast time
_PREAMBLE = (LogEvent.WORKFLOW_STARTED, LogEvent.RESOURCES_INFO)  # half a screen on versions, folders and cores
_FAILURES = (LogEvent.JOB_ERROR, LogEvent.GROUP_ERROR, LogEvent.ERROR)
_CONFIGFILE = ("--configfile", "--configfiles")
_CONFIG_SUFFIXES = (".yaml", ".yml", ".json")


def configfile_mistake(arguments: Sequence[str]) -> str:
    """Return a message on the first word after ``--configfile`` that is not an existing edition; empty without one.

    Snakemake takes every word after this option for a file, targets too. Its own message is a traceback, printed before
    the Snakefile is read.
    """
    start = next((index for index, word in enumerate(arguments) if word in _CONFIGFILE), len(arguments))
    for word in takewhile(lambda word: not word.startswith("-"), arguments[start + 1 :]):
        if Path(word).suffix not in _CONFIG_SUFFIXES:
            problem = "Snakemake takes every word after --configfile for the file of an edition"
            return f"{word}: {problem}\n  Remedy: name targets first: snakemake {word} ... --configfile ..."
        if not Path(word).is_file():
            return f"{word}: there is no such file\n  Remedy: correct the path after --configfile"
    return ""


def _jobs_of(stats: dict[str, int]) -> dict[str, int]:
    """Return the number of jobs by rule, without their total."""
    return {rule: number for rule, number in stats.items() if rule != "total"}


class LogHandler(LogHandlerBase):
    """Handler that prints Snakemake's messages, or shows a progress bar on a terminal.

    The plugin interface prescribes the class's name.
    """

    writes_to_stream = True
    writes_to_file = False
    has_filter = False  # Snakemake's own filter applies
    has_formatter = False
    needs_rulegraph = True  # the forecast needs the longest chain of jobs

    def __post_init__(self) -> None:
        """Choose between lines and a bar. Only the bar imports ``rich``, since every Snakemake process loads this."""
        settings = self.common_settings
        self._stream = sys.stdout if settings.stdout else sys.stderr
        self._running: dict[int, tuple[str, float, float]] = {}  # name, start and forecast seconds of each job
        self._edges: list[tuple[str, str]] = []  # rules, and the rules whose jobs wait for them
        self._cores: int | None = None  # None if jobs run elsewhere
        self._jobs_done, self._jobs, self._seconds_done = 0, 0, 0.0
        self._has_begun = False  # True once Snakemake has read the editions and the Snakefile
        self._live = None
        self._is_short_plan = settings.dryrun and not settings.verbose
        self._has_summary = False  # True once the workflow has been told what the dry run plans
        self._shows_bar = self._stream.isatty() and not settings.dryrun and not settings.verbose
        if self._shows_bar:
            from rich.console import Console  # noqa: PLC0415
            from rich.live import Live  # noqa: PLC0415
            from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn  # noqa: PLC0415

            from bert_attention.running.jobs import PROGRESS_BAR_IS_SHOWN  # noqa: PLC0415

            os.environ[PROGRESS_BAR_IS_SHOWN] = "yes"  # jobs inherit the variable and do not write to the terminal
            console = Console(file=self._stream, highlight=False)
            counts = (TextColumn("{task.percentage:.0f}%"), TextColumn("{task.fields[jobs]}"))
            times = (TimeElapsedColumn(), TextColumn("{task.fields[left]}"))
            columns = (TextColumn("[bold]replicating"), BarColumn(bar_width=None), *counts, *times)
            self._progress = Progress(*columns, console=console, expand=True)
            self._live = Live(console=console, get_renderable=self._picture, refresh_per_second=4, transient=True)

    def emit(self, record: logging.LogRecord) -> None:
        """Print a message, or update the bar."""
        event = getattr(record, "event", None)
        if event == LogEvent.RULEGRAPH:
            self._edges = [(edge["sourcerule"], edge["targetrule"]) for edge in record.rulegraph["links"]]
            return
        if event == LogEvent.RESOURCES_INFO:
            self._cores = getattr(record, "cores", self._cores)
        self._has_begun = self._has_begun or event in (LogEvent.WORKFLOW_STARTED, LogEvent.RUN_INFO)
        if not self._shows_bar or not self._live.is_started:
            if event == LogEvent.RUN_INFO:
                self._tell_workflow(record.stats)
            if self._is_printed(record):
                print(self.format(record), file=self._stream, flush=True)
            if event == LogEvent.ERROR and not self._has_begun and (mistake := configfile_mistake(sys.argv[1:])):
                print(f"\nERROR {mistake}", file=self._stream, flush=True)
            if event == LogEvent.RUN_INFO:
                self._show_plan(record.stats)
        elif event == LogEvent.JOB_INFO:
            wildcards = dict(record.wildcards or {})
            name = " ".join([record.rule_name, *map(str, wildcards.values())])
            self._running[record.jobid] = (name, time.monotonic(), self._seconds_of(record.rule_name, wildcards))
        elif event == LogEvent.JOB_FINISHED:
            _, _, seconds = self._running.pop(record.job_id, ("", 0.0, 0.0))
            self._jobs_done += 1
            self._seconds_done += seconds
        elif event == LogEvent.PROGRESS and record.done == record.total:
            self._stop()
        elif event in _FAILURES or record.levelno >= logging.WARNING:
            self._running.pop(getattr(record, "jobid", None), None)
            self._live.console.print(self.format(record), soft_wrap=True, markup=False)

    def _is_printed(self, record: logging.LogRecord) -> bool:
        """Return True if a message is printed: not one whose place the bar or the summary of a dry run takes."""
        event = getattr(record, "event", None)
        if self._shows_bar:
            return event not in (*_PREAMBLE, LogEvent.RUN_INFO)
        if not self._is_short_plan:
            return True
        is_list_of_rules = event == LogEvent.RUN_INFO or (event is None and record.levelno == logging.INFO)
        return event not in _PREAMBLE and not (self._has_summary and is_list_of_rules)

    def _tell_workflow(self, stats: dict[str, int]) -> None:
        """Tell the workflow what a dry run plans, given the number of jobs by rule."""
        forecast = self._forecast()
        if forecast is not None and self.common_settings.dryrun:
            forecast.of_dry_run = (_jobs_of(stats), self._edges)  # the workflow prints the summary below the jobs
            self._has_summary = True

    def _show_plan(self, stats: dict[str, int]) -> None:
        """Print the forecast and start the bar, given the number of jobs by rule."""
        jobs = _jobs_of(stats)
        forecast = self._forecast()
        if forecast is not None and not self.common_settings.dryrun:
            print("\n".join(forecast.lines(jobs, self._cores, self._edges)), file=self._stream, flush=True)
        if self._shows_bar:
            self._jobs = stats["total"]
            total = sum(number * self._seconds_of(rule) for rule, number in jobs.items())
            self._progress.add_task("all jobs", total=total, jobs="", left="")
            self._live.start()

    def _forecast(self) -> object:
        """Return the forecast of this run, or None if the workflow has not prepared one."""
        from bert_attention.running.forecast import forecast_of_this_run  # noqa: PLC0415 (a job's process needs none)

        return forecast_of_this_run()

    def _seconds_of(self, rule: str, wildcards: dict | None = None) -> float:
        """Return the forecast time of a job. Without a forecast, all jobs count the same."""
        forecast = self._forecast()
        return 1.0 if forecast is None else forecast.forecast.seconds(rule, wildcards)

    def close(self) -> None:
        """Remove the bar, even after a failure or Ctrl-C, to show the cursor again."""
        self._stop()
        super().close()

    def _stop(self) -> None:
        """Replace the bar with a line that says how many jobs were done."""
        if self._live is not None and self._live.is_started:
            self._live.stop()
            (task,) = self._progress.tasks
            elapsed = timedelta(seconds=round(task.elapsed or 0))
            self._live.console.print(f"{self._jobs_done} of {self._jobs} jobs done in {elapsed}")

    def _update_bar(self) -> None:
        """Set the bar to the share of the forecast time that is done, running jobs included."""
        from bert_attention.running.forecast import duration  # noqa: PLC0415

        if not self._progress.tasks:  # rich draws the bar before it starts
            return
        now = time.monotonic()
        jobs = list(self._running.values())  # another thread begins and ends jobs
        running = sum(min(now - start, _RUNNING_SHARE * seconds) for _, start, seconds in jobs)
        (task,) = self._progress.tasks
        done = min(self._seconds_done + running, task.total)
        share = done / task.total if task.total else 1.0
        left = ""
        if share > _SHARE_BEFORE_PACE:
            left = f"{duration((task.elapsed or 0) * (1 - share) / share)} left"
        counted = f"{self._jobs_done} of {self._jobs} jobs"
        self._progress.update(task.id, completed=done, jobs=counted, left=left)

    def _picture(self) -> object:
        """Return the bar with the running jobs below it."""
        from rich.console import Group  # noqa: PLC0415
        from rich.table import Table  # noqa: PLC0415

        self._update_bar()
        jobs = Table.grid(padding=(0, 2))
        jobs.add_column(no_wrap=True, overflow="ellipsis")
        jobs.add_column(justify="right")
        running = list(self._running.values())
        for name, start, _ in running[:_MOST_JOBS_LISTED]:
            jobs.add_row(f"  {name}", str(timedelta(seconds=round(time.monotonic() - start))))
        if len(running) > _MOST_JOBS_LISTED:
            jobs.add_row(f"  and {len(running) - _MOST_JOBS_LISTED} others", "")
        return Group(self._progress, jobs)
