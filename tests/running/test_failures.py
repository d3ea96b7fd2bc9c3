"""What a failed run says last, fed with the messages that Snakemake sends."""

import logging

import pytest

from bert_attention.running.failures import Failures, reason

STAMP = "2026-11-22 04:00:00,123"


@pytest.fixture
def run():
    """A function that sends a message with an event, and what remembers failures."""
    failures, logger = Failures(), logging.Logger("snakemake")
    logger.addHandler(failures)
    return lambda **fields: logger.info("", extra=fields), failures


def test_the_last_lines_say_which_job_why_and_where_its_log_is(run, tmp_path):
    send, failures = run
    log = tmp_path / "segments.log"
    log.write_text(f"{STAMP} INFO read\n{STAMP} ERROR a.txt, line 2: is empty\n  Remedy: fill it\n")
    send(event="job_error", rule_name="segments", jobid=3, output=["a.jsonl"], log=[str(log)])
    assert failures.last_lines == ""
    failures.end_run()
    assert failures.last_lines.splitlines() == [
        "",
        "This run has failed:",
        "  job  segments, for a.jsonl",
        "  why  a.txt, line 2: is empty",
        "       Remedy: fill it",
        f"  log  {log}",
    ]


@pytest.mark.parametrize("has_copy", [True, False])
def test_of_a_log_in_object_storage_the_copy_is_read_while_it_is_there(run, tmp_path, monkeypatch, has_copy):
    monkeypatch.chdir(tmp_path)
    stored, copy = "s3://bucket/run/logs/a.log", ".snakemake/storage/s3/bucket/run/logs/a.log"
    if has_copy:
        (tmp_path / copy).parent.mkdir(parents=True)
        (tmp_path / copy).write_text(f"{STAMP} ERROR it is empty\n")
    send, failures = run
    told = " (send to storage)"
    send(event="job_error", rule_name="a", jobid=1, output=[f"s3://bucket/run/a.csv{told}"], log=[f"{stored}{told}"])
    failures.end_run()
    assert "  job  a, for s3://bucket/run/a.csv\n" in failures.last_lines
    assert ("why  it is empty" in failures.last_lines) == has_copy
    assert f"  log  {copy if has_copy else stored}\n" in failures.last_lines


def test_a_run_that_was_stopped_has_not_failed(run):
    send, failures = run
    send(event="job_error", rule_name="segments", jobid=3, output=[], log=[])
    logging_record = "Terminating processes on user request, this might take some time."
    failures.handle(logging.makeLogRecord({"msg": logging_record}))
    failures.end_run()
    assert failures.last_lines.startswith("\nThis run was stopped. To go on, give the same command again")
    assert "failed" not in failures.last_lines


def test_a_job_that_succeeds_on_a_second_try_has_not_failed(run):
    send, failures = run
    for job in (1, 2):
        send(event="job_error", rule_name=f"rule_{job}", jobid=job, output=[], log=[])
    send(event="job_finished", job_id=1)
    failures.end_run()
    assert "rule_2" in failures.last_lines
    assert "rule_1" not in failures.last_lines


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            f"{STAMP} CRITICAL uncaught error\nTraceback (most recent call last):\n  File x\nValueError: no\n",
            "ValueError: no",
        ),
        ("Traceback (most recent call last):\n  File x\nImportError: no torch\n", "ImportError: no torch"),
        (f"{STAMP} ERROR first\n{STAMP} ERROR second\n", "second"),
        (f"{STAMP} INFO read\n", "its log names no error: it was killed"),
        (None, "its log names no error: it was killed"),
    ],
)
def test_the_reason_is_the_last_error_of_the_log(tmp_path, text, expected):
    log = tmp_path / "job.log"
    if text is not None:
        log.write_text(text)
    assert reason((str(log),)).startswith(expected)


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        (
            "slurmstepd-node7: error: StepId=11.0 exceeded memory limit (756752384 > 629145600), being killed\n"
            "slurmstepd-node7: error: *** STEP 11.0 ON node7 CANCELLED AT 2026-11-22T07:02:47 ***\n",
            "Slurm ended it: StepId=11.0 exceeded memory limit (756752384 > 629145600), being killed",
        ),
        (
            "slurmstepd-vm: error: *** JOB 8 ON vm CANCELLED AT 2026-11-22T06:59:12 DUE TO TIME LIMIT ***\n",
            "Slurm ended it: JOB 8 ON vm CANCELLED AT 2026-11-22T06:59:12 DUE TO TIME LIMIT",
        ),
        ("srun: error: vm: task 0: Exited with exit code 1\n", "from an earlier run"),
    ],
)
def test_of_a_job_that_slurm_ended_the_reason_is_what_slurm_says(tmp_path, said, expected):
    """Its own log may be that of an earlier run."""
    own, of_slurm = tmp_path / "job.log", tmp_path / "8.log"
    own.write_text(f"{STAMP} ERROR from an earlier run\n")
    of_slurm.write_text(said)
    assert reason((str(own), str(of_slurm))) == expected
