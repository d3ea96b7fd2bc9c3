"""The last lines of a run."""

import os

import pytest

from bert_attention.plan import Plan
from bert_attention.results import results
from bert_attention.running.encoders import PlannedEncoder
from bert_attention.running.last_lines import errors_logged, results_made

PLAN = Plan(results(), "small", list(results().papers), {"one": PlannedEncoder("bert", 2)})
RESULTS = "results/small"
STAMP = "2026-11-22 04:00:00,123"
SLURM = "slurmstepd-node7: error:"


@pytest.fixture
def write(tmp_path, monkeypatch):
    """A function that writes a file into the working directory, which is empty at first."""
    monkeypatch.chdir(tmp_path)

    def file(name, text=""):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    return file


def test_few_results_are_named_and_older_results_are_not(write):
    figure = f"{RESULTS}/one/figures/clark_figure_4_entropy"
    os.utime(write(f"{RESULTS}/one/tables/clark_entropy.csv"), (10, 10))
    for form in ("pdf", "png"):
        write(f"{figure}.{form}")
    assert results_made(PLAN, started=1000) == f"\nMade in this run:\n  {figure}.pdf\n"
    assert results_made(PLAN, started=2e10) == ""


def test_many_results_are_counted_and_the_pages_are_named(write):
    names = [*(f"one/figures/{i}.pdf" for i in range(9)), *(f"one/tables/{i}.csv" for i in range(5))]
    for name in (*names, "one/paper.pdf", "index.html"):
        write(f"{RESULTS}/{name}")
    lines = results_made(PLAN, started=0).splitlines()
    assert "  9 figures, 5 tables in results/small/" in lines
    assert "  results/small/index.html: all findings, figures and tables: open it in a browser" in lines
    assert lines[-1] == "  results/small/one/paper.pdf: all results as a paper"
    assert not any("explorer" in line for line in lines)


@pytest.mark.parametrize(
    ("text", "error"),
    [
        (f"{STAMP} ERROR a\n{STAMP} ERROR a.txt, line 2: is empty\n  Remedy: fill it\n",
         ["a.txt, line 2: is empty", "  Remedy: fill it"]),
        (f"{STAMP} CRITICAL uncaught error\nTraceback (most recent call last):\n  File x\nValueError: no\n",
         ["ValueError: no"]),
        (f"{SLURM} StepId=11.0 exceeded memory limit (7 > 6), being killed\n{SLURM} *** STEP 11.0 CANCELLED ***\n",
         ["Slurm ended it: StepId=11.0 exceeded memory limit (7 > 6), being killed"]),
        (f"{SLURM} *** JOB 8 ON vm CANCELLED AT 2026-11-22T06:59:12 DUE TO TIME LIMIT ***\n",
         ["Slurm ended it: JOB 8 ON vm CANCELLED AT 2026-11-22T06:59:12 DUE TO TIME LIMIT"]),
    ],
)  # fmt: skip
@pytest.mark.parametrize("folder", ["logs/small", ".snakemake/storage/s3/logs", ".snakemake/slurm_logs/rule_a"])
def test_a_failed_run_ends_with_the_last_error_of_each_new_log(write, folder, text, error):
    os.utime(write("logs/small/old.log", f"{STAMP} ERROR of an earlier run\n"), (10, 10))
    write("logs/small/done.log", f"{STAMP} INFO done\n")
    write("logs/small/stopped.log", f"{STAMP} ERROR interrupted\n")
    write(f"{folder}/8.log", text)
    expected = ["", "This run has failed:", f"  {folder}/8.log", *(f"    {line}" for line in error)]
    assert errors_logged(started=1000).splitlines() == expected


def test_a_stopped_run_has_not_failed(write):
    write("logs/small/segments.log", f"{STAMP} ERROR interrupted\n")
    last_lines = errors_logged(started=0)
    assert last_lines.startswith("\nThis run was stopped, or its jobs were killed (out of memory?)")
    assert "To continue, give the same command again" in last_lines
