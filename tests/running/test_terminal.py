"""The progress bar over a run, fed with the messages that Snakemake sends."""

import io
import logging
import time

import pytest

from bert_attention.running.jobs import PROGRESS_BAR_IS_SHOWN
from bert_attention.running.terminal import show_progress_bar


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.fixture
def run(monkeypatch):
    """A function that sends a message with an event, and the terminal."""
    monkeypatch.setenv(PROGRESS_BAR_IS_SHOWN, "no")  # so that it is put back afterwards
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "80")
    terminal = Terminal()
    logger = logging.Logger("snakemake")
    logger.addHandler(logging.StreamHandler(terminal))
    show_progress_bar(logger)
    return lambda text, level=logging.INFO, **fields: logger.log(level, text, extra=fields), terminal


def test_a_run_shows_a_bar_and_its_jobs_and_no_lines(run):
    send, terminal = run
    send("Building DAG of jobs...")
    assert "Building DAG" in terminal.getvalue()
    send("Job stats: a table", event="run_info", stats={"total": 2, "segments": 2})
    for job in (1, 2):
        send("rule segments: 20 lines", event="job_info", jobid=job, rule_name="segments", wildcards={"model": "bert"})
        time.sleep(0.4)  # the bar is drawn four times a second
        send("Finished jobid", event="job_finished", job_id=job)
        send("1 of 2 steps", event="progress", done=job, total=2)
    shown = terminal.getvalue()
    assert "segments bert" in shown
    assert "1 of 2" in shown
    assert "2 of 2 jobs done in" in shown
    assert "20 lines" not in shown
    send("Complete log: somewhere")
    assert "Complete log" in terminal.getvalue()


def test_what_snakemake_says_of_itself_is_left_out(run):
    send, terminal = run
    send("SNAKEMAKE: 15 lines", event="workflow_started")
    send("Provided cores: 2", event="resources_info")
    send("Nothing to be done")
    assert terminal.getvalue() == "Nothing to be done\n"


def test_failures_are_printed_whole(run):
    send, terminal = run
    send("Job stats", event="run_info", stats={"total": 2})
    send("rule a: 20 lines", event="job_info", jobid=1, rule_name="a", wildcards={})
    send("Error in rule a: [its log]", logging.ERROR, event="job_error", jobid=1)
    send("a warning", logging.WARNING)
    assert "Error in rule a: [its log]" in terminal.getvalue()
    assert "a warning" in terminal.getvalue()


def test_messages_of_an_unknown_form_are_left_to_snakemake(run):
    send, terminal = run
    send("Job stats: a table", event="run_info")  # without the numbers
    send("rule a: 20 lines", event="job_info")
    assert "Job stats: a table" in terminal.getvalue()
    assert "rule a: 20 lines" in terminal.getvalue()


def test_without_a_terminal_nothing_changes(monkeypatch):
    monkeypatch.delenv(PROGRESS_BAR_IS_SHOWN, raising=False)
    logger, stream = logging.Logger("snakemake"), io.StringIO()
    logger.addHandler(logging.StreamHandler(stream))
    show_progress_bar(logger)
    logger.info("rule a: 20 lines", extra={"event": "job_info"})
    assert stream.getvalue() == "rule a: 20 lines\n"
