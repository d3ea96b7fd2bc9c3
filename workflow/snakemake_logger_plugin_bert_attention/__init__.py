"""Show a run on a terminal: one progress bar, the running jobs, warnings and errors.

``profiles/default`` names this logger plugin of Snakemake. Without it, Snakemake prints twenty lines for each job.
These lines remain in a redirected output, in a dry run and with ``--verbose``, and always in ``.snakemake/log``.
"""

from __future__ import annotations

import logging
import os
import sys
import time
from datetime import timedelta

from snakemake_interface_logger_plugins.base import LogHandlerBase
from snakemake_interface_logger_plugins.common import LogEvent

_MOST_JOBS_LISTED = 8
_PREAMBLE = (LogEvent.WORKFLOW_STARTED, LogEvent.RESOURCES_INFO)  # half a screen on versions, folders and cores
_FAILURES = (LogEvent.JOB_ERROR, LogEvent.GROUP_ERROR, LogEvent.ERROR)


class LogHandler(LogHandlerBase):
    """Handler that prints Snakemake's messages, or shows a progress bar on a terminal.

    The plugin interface prescribes the class's name.
    """

    writes_to_stream = True
    writes_to_file = False
    has_filter = False  # Snakemake's own filter applies
    has_formatter = False
    needs_rulegraph = False

    def __post_init__(self) -> None:
        """Choose between lines and a bar. Only the bar imports ``rich``, since every Snakemake process loads this."""
        settings = self.common_settings
        self._stream = sys.stdout if settings.stdout else sys.stderr
        self._running: dict[int, tuple[str, float]] = {}  # name and start of each job
        self._live = None
        self._shows_bar = self._stream.isatty() and not settings.dryrun and not settings.verbose
        if self._shows_bar:
            from rich.console import Console  # noqa: PLC0415
            from rich.live import Live  # noqa: PLC0415
            from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn  # noqa: PLC0415

            from bert_attention.running.jobs import PROGRESS_BAR_IS_SHOWN  # noqa: PLC0415

            os.environ[PROGRESS_BAR_IS_SHOWN] = "yes"  # jobs inherit the variable and do not write to the terminal
            console = Console(file=self._stream, highlight=False)
            bar = (BarColumn(bar_width=None), MofNCompleteColumn(separator=" of "), TextColumn("jobs"))
            columns = (TextColumn("[bold]replicating"), *bar, TimeElapsedColumn())
            self._progress = Progress(*columns, console=console, expand=True)
            self._live = Live(console=console, get_renderable=self._picture, refresh_per_second=4, transient=True)

    def emit(self, record: logging.LogRecord) -> None:
        """Print a message, or update the bar."""
        event = getattr(record, "event", None)
        if not self._shows_bar or not self._live.is_started:
            if self._shows_bar and event == LogEvent.RUN_INFO:
                self._progress.add_task("all jobs", total=record.stats["total"])
                self._live.start()
            elif not self._shows_bar or event not in _PREAMBLE:
                print(self.format(record), file=self._stream, flush=True)
        elif event == LogEvent.JOB_INFO:
            name = " ".join([record.rule_name, *map(str, dict(record.wildcards or {}).values())])
            self._running[record.jobid] = (name, time.monotonic())
        elif event == LogEvent.JOB_FINISHED:
            self._running.pop(record.job_id, None)
            self._progress.advance(self._progress.task_ids[0])
        elif event == LogEvent.PROGRESS and record.done == record.total:
            self._stop()
        elif event in _FAILURES or record.levelno >= logging.WARNING:
            self._running.pop(getattr(record, "jobid", None), None)
            self._live.console.print(self.format(record), soft_wrap=True, markup=False)

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
            self._live.console.print(f"{int(task.completed)} of {task.total} jobs done in {elapsed}")

    def _picture(self) -> object:
        """Return the bar with the running jobs below it."""
        from rich.console import Group  # noqa: PLC0415
        from rich.table import Table  # noqa: PLC0415

        jobs = Table.grid(padding=(0, 2))
        jobs.add_column(no_wrap=True, overflow="ellipsis")
        jobs.add_column(justify="right")
        running = list(self._running.values())
        for name, start in running[:_MOST_JOBS_LISTED]:
            jobs.add_row(f"  {name}", str(timedelta(seconds=round(time.monotonic() - start))))
        if len(running) > _MOST_JOBS_LISTED:
            jobs.add_row(f"  and {len(running) - _MOST_JOBS_LISTED} others", "")
        return Group(self._progress, jobs)
