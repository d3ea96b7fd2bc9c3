"""The progress bar over a run, fed with the messages that Snakemake sends."""

import io
import logging
import time
from pathlib import Path

import pytest

from bert_attention.running.jobs import PROGRESS_BAR_IS_SHOWN
from bert_attention.running.terminal import show_progress_bar


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.fixture
def run(monkeypatch, tmp_path):
    """A function that sends a message with an event, and the terminal; the last run took 100 seconds for `long`."""
    benchmarks = tmp_path / "benchmarks" / "model"
    benchmarks.mkdir(parents=True)
    for name, text in {"long.a": "s\th:m:s\n90\t-\n", "long.b": "s\n110\n", "odd": "x\n1\n", "none": ""}.items():
        (benchmarks / f"{name}.tsv").write_text(text)
    monkeypatch.setenv(PROGRESS_BAR_IS_SHOWN, "no")  # so that it is put back afterwards
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "80")
    terminal = Terminal()
    logger = logging.Logger("snakemake")
    logger.addHandler(logging.StreamHandler(terminal))
    show_progress_bar(logger, tmp_path)
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


def test_the_time_left_follows_from_the_last_run_and_the_speed_of_this_one(run, monkeypatch):
    """A job of 100 seconds is done in 240, so that what took 105 will take 252; before that, nothing is said."""
    send, terminal = run
    clock = [1000.0]
    monkeypatch.setattr(time, "monotonic", lambda: clock[0])
    send("Job stats", event="run_info", stats={"total": 3, "long": 2, "drawn": 1})
    send("", event="job_info", jobid=1, rule_name="long", wildcards={})
    time.sleep(0.4)
    assert "left" not in terminal.getvalue()
    clock[0] += 240
    send("", event="job_finished", job_id=1)
    time.sleep(0.4)
    assert "about 4 min left" in terminal.getvalue()
    send("", event="progress", done=3, total=3)


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
    show_progress_bar(logger, Path())
    logger.info("rule a: 20 lines", extra={"event": "job_info"})
    assert stream.getvalue() == "rule a: 20 lines\n"
