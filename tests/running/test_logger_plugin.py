"""Test the terminal output of a run with the messages that Snakemake sends to logger plugins."""

import io
import logging
import time

import pytest
from snakemake_interface_logger_plugins.common import LogEvent
from snakemake_interface_logger_plugins.tests import MockOutputSettings
from snakemake_logger_plugin_bert_attention import LogHandler

from bert_attention.running.jobs import PROGRESS_BAR_IS_SHOWN


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.fixture
def run(monkeypatch):
    """A function that starts a run on a stream, and returns a function that sends a message of the run."""
    monkeypatch.setenv(PROGRESS_BAR_IS_SHOWN, "no")  # so that it is put back afterwards
    monkeypatch.delenv(PROGRESS_BAR_IS_SHOWN)
    monkeypatch.setenv("TERM", "xterm")
    handlers = []

    def start(stream, **settings):
        monkeypatch.setattr("sys.stderr", stream)
        common = MockOutputSettings()
        vars(common).update(settings)
        handlers.append(LogHandler(common, None))
        logger = logging.Logger("snakemake")
        logger.addHandler(handlers[-1])
        return lambda text, event=None, level=logging.INFO, **fields: logger.log(
            level, text, extra={"event": event, **fields}
        )

    yield start
    for handler in handlers:
        handler.close()


def test_a_terminal_shows_the_bar_the_running_jobs_and_errors(run):
    terminal = Terminal()
    send = run(terminal)
    send("Building DAG of jobs...")
    send("host: x", LogEvent.WORKFLOW_STARTED)
    send("Job stats: a table", LogEvent.RUN_INFO, stats={"total": 2, "segments": 2})
    for job in (1, 2):
        send("20 lines", LogEvent.JOB_INFO, jobid=job, rule_name="segments", wildcards={"model": "bert"})
        if job == 1:
            send("Error in rule a: [its log]", LogEvent.JOB_ERROR, logging.ERROR, jobid=0)
            send("a warning", level=logging.WARNING)
            time.sleep(0.3)  # the bar is drawn four times a second
        send("Finished", LogEvent.JOB_FINISHED, job_id=job)
        send("steps", LogEvent.PROGRESS, done=job, total=2)
    send("Complete log: x")
    shown = terminal.getvalue()
    expected = ("Building DAG", "segments bert", "Error in rule a: [its log]", "a warning", "2 of 2 jobs done in")
    assert all(text in shown for text in (*expected, "Complete log"))
    assert not any(line in shown for line in ("host: x", "a table", "20 lines", "Finished"))


@pytest.mark.parametrize(
    ("stream", "settings"), [(io.StringIO, {}), (Terminal, {"dryrun": True}), (Terminal, {"verbose": True})]
)
def test_other_output_keeps_all_lines(run, stream, settings):
    shown = stream()
    send = run(shown, **settings)
    send("Job stats: a table", LogEvent.RUN_INFO, stats={"total": 2})
    send("20 lines", LogEvent.JOB_INFO, jobid=1, rule_name="a", wildcards={})
    assert shown.getvalue() == "Job stats: a table\n20 lines\n"
