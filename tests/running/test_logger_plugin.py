"""Test the terminal output of a run with the messages that Snakemake sends to logger plugins."""

import io
import logging
import time

import pytest
from snakemake_interface_logger_plugins.common import LogEvent
from snakemake_interface_logger_plugins.tests import MockOutputSettings
from snakemake_logger_plugin_bert_attention import LogHandler, configfile_mistake

from bert_attention.running import forecast
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

    start.handlers = handlers
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


class Costs:
    """A forecast in which a job of fine-tuning takes ten times as long as others, with three models for each task."""

    def seconds(self, rule, wildcards=None):
        return {"fine_tuned_model": 90.0}.get(rule, 10.0)


class OfRun:
    forecast = Costs()
    of_dry_run = None

    def lines(self, jobs, cores, edges):
        return [f"{sum(jobs.values())} jobs on {cores} cores", f"edges {edges}", "WARNING disk: full"]


@pytest.fixture
def of_run(monkeypatch):
    """The forecast that a workflow has prepared."""
    monkeypatch.setattr(forecast, "_OF_THIS_RUN", [OfRun()])
    return forecast.forecast_of_this_run()


GRAPH = {"nodes": [], "links": [{"source": 0, "target": 1, "sourcerule": "segments", "targetrule": "sum_up"}]}


def begin(send, **jobs):
    send(None, LogEvent.RULEGRAPH, rulegraph=GRAPH)
    send("Provided cores: 2", LogEvent.RESOURCES_INFO, cores=2)
    send("Provided resources: gpu", LogEvent.RESOURCES_INFO)
    send("Job stats: a table", LogEvent.RUN_INFO, stats={**jobs, "total": sum(jobs.values())})


@pytest.mark.parametrize("stream", [io.StringIO, Terminal])
def test_the_forecast_comes_before_the_first_job(run, of_run, stream):
    shown = stream()
    begin(run(shown), segments=2, all=1)
    lines = "3 jobs on 2 cores\nedges [('segments', 'sum_up')]\nWARNING disk: full\n"
    if stream is Terminal:
        assert shown.getvalue().startswith(lines)
    else:
        assert shown.getvalue().endswith(f"a table\n{lines}")
        assert "None" not in shown.getvalue().replace(lines, "")


@pytest.mark.parametrize("is_verbose", [False, True])
def test_the_summary_of_the_workflow_takes_the_place_of_lists_of_rules(run, of_run, is_verbose):
    shown = io.StringIO()
    send = run(shown, dryrun=True, verbose=is_verbose)
    send("host: x", LogEvent.WORKFLOW_STARTED)
    send("Building DAG of jobs...")
    begin(send, segments=2, all=1)
    send("20 lines", LogEvent.JOB_INFO, jobid=1, rule_name="segments", wildcards={})
    send("Job stats: a table", LogEvent.RUN_INFO, stats={"segments": 2, "all": 1, "total": 3})
    send("Reasons: a list of rules")
    send("a warning", level=logging.WARNING)
    assert of_run.of_dry_run == ({"segments": 2, "all": 1}, [("segments", "sum_up")])
    printed = ["Building DAG of jobs...", "20 lines", "a warning"]
    lists = ["host: x", "Provided cores: 2", "Job stats: a table", "Reasons: a list of rules"]
    assert all(line in shown.getvalue() for line in printed)
    assert [line in shown.getvalue() for line in lists] == [is_verbose] * 4
    assert "jobs on" not in shown.getvalue()


def test_jobs_that_run_elsewhere_have_no_cores_here(run, of_run):
    shown = io.StringIO()
    send = run(shown)
    send("Provided remote nodes: 50", LogEvent.RESOURCES_INFO, nodes=50)
    send("Job stats: a table", LogEvent.RUN_INFO, stats={"segments": 2, "total": 2})
    assert "2 jobs on None cores" in shown.getvalue()


def test_the_bar_weighs_jobs_by_their_forecast(run, of_run, monkeypatch):
    clock = [1000.0]
    monkeypatch.setattr(time, "monotonic", lambda: clock[0])
    terminal = Terminal()
    send = run(terminal)
    (handler,) = run.handlers
    begin(send, fine_tuned_model=1, segments=1)
    (task,) = handler._progress.tasks

    def percent():
        handler._update_bar()
        return round(task.percentage)

    send("", LogEvent.JOB_INFO, jobid=1, rule_name="segments", wildcards={})
    send("", LogEvent.JOB_INFO, jobid=2, rule_name="fine_tuned_model", wildcards={"task": "sst2"})
    assert percent() == 0
    assert task.fields["left"] == ""  # too early to tell
    send("", LogEvent.JOB_FINISHED, job_id=1)
    assert percent() == 10
    assert task.fields["jobs"] == "1 of 2 jobs"
    clock[0] += 45
    assert percent() == 55
    assert task.fields["left"].endswith(" left")
    clock[0] += 1000  # it takes longer than forecast: the bar waits
    assert percent() == 91
    send("", LogEvent.JOB_FINISHED, job_id=2)
    assert percent() == 100


def test_a_failed_job_does_not_count(run, of_run):
    terminal = Terminal()
    send = run(terminal)
    begin(send, segments=2)
    send("", LogEvent.JOB_INFO, jobid=1, rule_name="segments", wildcards={})
    send("Error in rule", LogEvent.JOB_ERROR, logging.ERROR, jobid=1)
    (handler,) = run.handlers
    handler._update_bar()
    assert handler._progress.tasks[0].completed == 0
    handler.close()
    assert "0 of 2 jobs done in" in terminal.getvalue()


@pytest.mark.parametrize(
    ("arguments", "mistake"),
    [
        (["-n", "--configfile", "mine.yaml", "clark_figure_2"], "clark_figure_2: Snakemake takes every word"),
        (
            ["--configfiles", "results/mine/bert/paper.pdf", "--cores", "2"],
            "results/mine/bert/paper.pdf: Snakemake takes",
        ),
        (["--configfile", "mine.yaml", "yours.yaml", "--cores", "2"], "yours.yaml: there is no such file"),
        (["clark_figure_2", "--configfile", "mine.yaml"], ""),
        (["clark_figure_2", "--configfile", "mine.yaml", "--", "clark"], ""),
        (["clark_figure_2"], ""),
    ],
)
def test_a_target_after_configfile_is_named(tmp_path, monkeypatch, run, arguments, mistake):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.yaml").write_text("edition: mine\n")
    assert configfile_mistake(arguments).startswith(mistake)
    assert bool(configfile_mistake(arguments)) == bool(mistake)
    monkeypatch.setattr("sys.argv", ["snakemake", *arguments])
    for has_begun in (False, True):
        shown = io.StringIO()
        send = run(shown)
        if has_begun:
            send("host: x", LogEvent.WORKFLOW_STARTED)
        send("a traceback", LogEvent.ERROR, logging.ERROR, exception="FileNotFoundError")
        assert (f"\nERROR {mistake}" in shown.getvalue()) == (bool(mistake) and not has_begun)
