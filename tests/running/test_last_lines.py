"""The last lines of a run."""

import os

import pytest

from bert_attention.plan import Plan
from bert_attention.results import results
from bert_attention.running.encoders import PlannedEncoder
from bert_attention.running.last_lines import errors_logged, results_made, warnings_logged

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


@pytest.mark.parametrize("link", ["tables/.#clark_positions.csv", "figures/clark_figure_2_positions.pdf"])
def test_links_without_a_target_are_no_results_and_no_logs(write, tmp_path, link):
    """DataLad leaves such links in place of dropped files, and editors make them as locks."""
    write(f"{RESULTS}/one/tables/clark_entropy.csv")
    write("logs/small/tabulate.log", f"{STAMP} ERROR a.txt: is empty\n")
    for path in (f"{RESULTS}/one/{link}", "logs/small/lock.log"):
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).symlink_to("someone@host.4711:1700000000")
    assert results_made(PLAN, 0) == f"\nMade in this run:\n  {RESULTS}/one/tables/clark_entropy.csv\n"
    assert "a.txt: is empty" in errors_logged(0)


def test_many_results_are_counted_and_the_pages_are_named(write):
    names = [*(f"one/figures/{i}.pdf" for i in range(9)), "one/tables/1.md", *(f"one/tables/{i}.csv" for i in range(5))]
    for name in (*names, "one/paper.pdf", "index.html"):
        write(f"{RESULTS}/{name}")
    lines = results_made(PLAN, started=0).splitlines()
    assert "  9 figures, 1 printed table, 5 tables in results/small/" in lines
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


def failure(message, log, rule="segments", job=4):
    """Return what Snakemake's log has on a failed job."""
    where = f"    jobid: {job}\n    output: a\n    log: {log}, b.log (check log file(s) for error details)\n"
    return (
        f"[date]\nError in rule {rule}:\n    message: {message}\nFor further error details see the log\n{where}[date]\n"
    )


@pytest.mark.parametrize(
    ("message", "said"),
    [
        ("SLURM sbatch failed. The error message was 'sbatch: error: no account\nsbatch: error: Batch job failed'.\n"
         "    sbatch call:\n        sbatch --mem 2000 --wrap=\"a && b\"\n",
         ["    the submission failed: sbatch: error: no account", "    sbatch: error: Batch job failed"]),
        ("Error submitting jobscript (exit code 3):\n",
         ["    the submission failed: Error submitting jobscript (exit code 3); the message of the submit command is "
          "above"]),
    ],
)  # fmt: skip
def test_a_job_that_the_cluster_refuses_is_named_with_the_reason(write, message, said):
    write("logs/small/segments.log")  # Snakemake leaves an empty log
    tries = failure("another reason", "logs/small/segments.log") + failure(message, "logs/small/segments.log")
    log = write(".snakemake/log/now.log", f"Building DAG of jobs...\n{tries}Complete log\n")
    first, failed, job, *found, remedy = errors_logged(0, [log]).splitlines()
    assert (first, failed, job) == ("", "This run has failed:", "  rule segments, job 4")
    assert found == said
    assert remedy == "      Remedy: correct the profile, and give the same command again"


def test_a_job_whose_log_names_the_error_is_listed_once(write):
    write("logs/small/segments.log", f"{STAMP} ERROR text.txt: is empty\n")
    reported = [failure("None", "logs/small/segments.log"), failure("SLURM-job '4' failed", "logs/small/segments.log")]
    log = write(
        "now.log", "".join([*reported, failure("SLURM-job '5' failed: NODE_FAIL", "logs/x.log", "treebank", 5)])
    )
    assert errors_logged(0, [log]).splitlines()[2:] == [
        *("  logs/small/segments.log", "    text.txt: is empty"),
        *("  rule treebank, job 5", "    SLURM-job '5' failed: NODE_FAIL"),
    ]


def test_each_warning_of_a_run_is_repeated_once(write):
    few = "6 texts are too few for intervals"
    for table in ("clark_entropy", "vig_patterns"):
        warned = (
            f"{STAMP} WARNING /my project/workflow/bert_attention/tables.py:58: UserWarning: {table}: {few}\n  warn(\n"
        )
        write(f"logs/small/{table}.log", warned * 2)
    other = "/venv/lib/site-packages/torch/nn.py:3: UserWarning: a slow path\n"
    write("logs/small/a.log", f"{STAMP} WARNING {other}{STAMP} WARNING en_small is unknown\n{STAMP} INFO done\n")
    write("logs/small/z.log", f"{STAMP} WARNING /tmp/segments.py:9: UserWarning: the text is short\n")
    os.utime(write("logs/small/old.log", f"{STAMP} WARNING /a.py:1: UserWarning: of an earlier run\n"), (10, 10))
    assert warnings_logged(started=1000).splitlines() == [
        *("", "Warnings of this run:"),
        *(f"  {few}", "    in 2 logs, the first of them logs/small/clark_entropy.log"),
        *("  the text is short", "    in logs/small/z.log"),
    ]
    assert warnings_logged(started=2e10) == ""
