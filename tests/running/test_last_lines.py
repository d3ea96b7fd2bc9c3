"""The last lines of a run."""

import os

import pytest

from bert_attention.plan import Plan
from bert_attention.results import results
from bert_attention.running.encoders import PlannedEncoder
from bert_attention.running.last_lines import errors_logged, results_made

BERT = PlannedEncoder("bert", 2)


def files_of(*models):
    return Plan(results(), "small", list(results().papers), dict.fromkeys(models, BERT))


@pytest.fixture
def run_in(tmp_path, monkeypatch):
    """A function that makes files below the results of the edition small, in a folder that becomes the current one."""
    monkeypatch.chdir(tmp_path)

    def make(*names):
        for name in names:
            file = tmp_path / "results" / "small" / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.touch()

    return make


def test_few_files_are_named_and_older_ones_are_not(run_in, tmp_path):
    figure = "one/figures/clark_figure_4_entropy"
    run_in("one/tables/clark_entropy.csv", f"{figure}.pdf", f"{figure}.png")
    os.utime(tmp_path / "results/small/one/tables/clark_entropy.csv", (10, 10))
    made = results_made(files_of("one"), started=1000)
    assert made == f"\nMade in this run:\n  results/small/{figure}.pdf\n"
    assert results_made(files_of("one"), started=2e10) == ""


def test_many_files_are_counted_and_pages_named(run_in):
    figures, tables = (
        [f"one/{name}" for name in names]
        for names in ([f"figures/{i}.pdf" for i in range(9)], [f"tables/{i}.csv" for i in range(5)])
    )
    run_in("one/paper.pdf", "index.html", *figures, *tables)
    lines = results_made(files_of("one"), started=0).splitlines()
    assert "  9 figures, 5 tables in results/small/" in lines
    assert "  results/small/index.html: all findings, figures and tables: open it in a browser" in lines
    assert lines[-1] == "  results/small/one/paper.pdf: all of it as a paper"
    assert not any("explorer" in line for line in lines)


STAMP = "2026-11-22 04:00:00,123"
TRACEBACK = "Traceback (most recent call last):\n  File x\nValueError: no\n"


def logged(folder, name, text):
    log = folder / name
    log.parent.mkdir(parents=True, exist_ok=True)
    log.write_text(text)
    return log


def test_a_failed_run_ends_with_the_last_error_of_each_log(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    os.utime(logged(tmp_path, "logs/small/old.log", f"{STAMP} ERROR of an earlier run\n"), (10, 10))
    logged(
        tmp_path,
        "logs/small/segments.log",
        f"{STAMP} ERROR a\n{STAMP} ERROR a.txt, line 2: is empty\n  Remedy: fill it\n",
    )
    logged(tmp_path, "logs/small/entropy.log", f"{STAMP} CRITICAL uncaught error\n{TRACEBACK}")
    logged(tmp_path, "logs/small/done.log", f"{STAMP} INFO done\n")
    logged(tmp_path, "logs/small/stopped.log", f"{STAMP} ERROR interrupted\n")
    logged(tmp_path, ".snakemake/storage/s3/bucket/logs/stored.log", f"{STAMP} ERROR it is empty\n")
    assert errors_logged(started=1000).splitlines() == [
        "",
        "This run has failed:",
        "  .snakemake/storage/s3/bucket/logs/stored.log",
        "    it is empty",
        "  logs/small/entropy.log",
        "    ValueError: no",
        "  logs/small/segments.log",
        "    a.txt, line 2: is empty",
        "      Remedy: fill it",
    ]


def test_a_run_that_was_stopped_has_not_failed(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    logged(tmp_path, "logs/small/segments.log", f"{STAMP} ERROR interrupted\n")
    logged(tmp_path, "logs/small/entropy.log", f"{STAMP} INFO read\n")
    last_lines = errors_logged(started=0)
    assert last_lines.startswith("\nThis run was stopped, or its jobs were killed (out of memory?)")
    assert "To go on, give the same command again" in last_lines
    assert "failed" not in last_lines


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
    ],
)
def test_of_a_job_that_slurm_ended_the_reason_is_what_slurm_says(tmp_path, monkeypatch, said, expected):
    monkeypatch.chdir(tmp_path)
    logged(tmp_path, ".snakemake/slurm_logs/rule_a/8.log", said)
    assert errors_logged(started=0).endswith(f"  .snakemake/slurm_logs/rule_a/8.log\n    {expected}\n")
