"""The cluster profiles against a real Slurm on this one machine (tests/slurm/cluster.py)."""

from __future__ import annotations

import itertools
import re
import shutil
import subprocess
import sys
import time
from dataclasses import dataclass

import pytest

from tests.slurm import cluster
from tests.slurm.cluster import GPU, MAIN, why_unavailable
from tests.workflow.conftest import Checkout, Finished, copy_project

pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif(why_unavailable() is not None, reason=f"{why_unavailable()}"),
]

TARGET = "clark_figure_2"
TABLE = "results/reduced/all-MiniLM-L6-v2/tables/clark_positions.csv"
FIGURE = "results/reduced/all-MiniLM-L6-v2/figures/clark_figure_2_positions.pdf"
SHARDS = "resources/reduced/all-MiniLM-L6-v2/attention/segments_zeros"
EDITIONS = ("tests/editions/reduced.yaml", "shards.yaml")
# The runs on the cluster make the table, the figure and the files that only they need.
MADE_ON_CLUSTER = ("results", "logs", SHARDS, "resources/reduced/all-MiniLM-L6-v2/sums")
# On a real cluster, this would be too often.
POLLING = ("--seconds-between-status-checks", "1", "--latency-wait", "5")
SLURM = ("--workflow-profile", "profiles/slurm", "--slurm-init-seconds-before-status-checks", "1", *POLLING)
GENERIC = ("--workflow-profile", "profiles/cluster-generic", *POLLING)
# Less memory than a job of extraction takes anywhere: between 500 MB and 1.2 GB were counted, depending on the machine.
TOO_LITTLE = 450
LIMIT = 1200  # seconds


@dataclass(frozen=True)
class SlurmJob:
    """A job as squeue lists it; the comment has the rule and its wildcards."""

    number: int
    comment: str
    state: str
    partition: str
    memory: str
    gpus: str


def slurm_jobs() -> list[SlurmJob]:
    """Return all jobs that Slurm remembers, in the order of their submission."""
    columns = {"jobid": 20, "comment": 100, "state": 20, "partition": 20, "minmemory": 20, "tres-per-job": 40}
    layout = ",".join(f"{name}:{width}" for name, width in columns.items())
    command = ["squeue", "-h", "--states=all", "-O", layout]
    listed = subprocess.run(command, capture_output=True, text=True, check=False).stdout.splitlines()
    ends = [0, *itertools.accumulate(columns.values())]
    rows = [[line[start:end].strip() for start, end in itertools.pairwise(ends)] for line in listed]
    return sorted((SlurmJob(int(row[0]), *row[1:]) for row in rows), key=lambda job: job.number)


def of_rule(rule: str, jobs: list[SlurmJob]) -> list[SlurmJob]:
    """Return the jobs of a rule."""
    return [job for job in jobs if re.match(rf"rule_{rule}(_wildcards_|$)", job.comment)]


@pytest.fixture(scope="module")
def slurm(tmp_path_factory):
    """A running Slurm with two GPUs, which leaves no settings behind."""
    command = [sys.executable, cluster.__file__, str(tmp_path_factory.mktemp("slurm"))]
    program = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    try:
        answer = program.stdout.readline().strip()
        if answer != "ready":
            pytest.skip(answer)
        yield program
    finally:
        program.stdin.close()
        program.wait(timeout=120)
        program.stdout.close()
    assert not (cluster.SETTINGS / "slurm.conf").exists()


def on_cluster(checkout: Checkout, *arguments: str, meanwhile=lambda: None) -> Finished:
    """Run Snakemake on the cluster, and call a function repeatedly until the run ends."""
    log = checkout.folder / "terminal.txt"
    command = checkout.command(*arguments, edition=EDITIONS, cores=None)
    options = {"cwd": checkout.folder, "stdin": subprocess.DEVNULL, "stderr": subprocess.STDOUT}
    with open(log, "w", encoding="utf-8") as terminal:
        run = subprocess.Popen(command, stdout=terminal, **options)
        try:
            end = time.monotonic() + LIMIT
            while run.poll() is None:
                assert time.monotonic() < end, log.read_text()
                meanwhile()
                time.sleep(0.2)
        finally:
            run.kill()
            run.wait()
    return Finished(run.returncode, log.read_text())


@pytest.fixture(scope="module")
def local(tmp_path_factory):
    """The project after a run on this machine alone."""
    checkout = copy_project(tmp_path_factory.mktemp("local"))
    (checkout.folder / "shards.yaml").write_text("attention: {shards: 2}\n")  # as many as the cluster has GPUs
    finished = checkout.snakemake(TARGET, edition=EDITIONS)
    assert finished.status == 0, finished.text
    return checkout


class Cancelling:
    """Looks at the queue, and cancels a job of extraction as soon as two of them run side by side."""

    cancelled: SlurmJob | None = None
    side_by_side = 0

    def __call__(self) -> None:
        running = [job for job in of_rule("extract_attention", slurm_jobs()) if job.state == "RUNNING"]
        self.side_by_side = max(self.side_by_side, len(running))
        if len(running) > 1 and self.cancelled is None:
            self.cancelled = running[-1]
            subprocess.run(["scancel", str(self.cancelled.number)], check=True)


@pytest.fixture(scope="module")
def cancelled(slurm, local, tmp_path_factory):
    """The project after a run with a cancelled job; that run, the object that cancelled the job, and all jobs."""
    checkout = Checkout(tmp_path_factory.mktemp("cluster") / "project")
    shutil.copytree(local.folder, checkout.folder)
    for part in MADE_ON_CLUSTER:
        shutil.rmtree(checkout.folder / part)
    cancelling = Cancelling()
    finished = on_cluster(checkout, TARGET, *SLURM, "--retries", "0", meanwhile=cancelling)
    return checkout, finished, cancelling, slurm_jobs()


@pytest.fixture(scope="module")
def resumed(cancelled):
    """The project after a second run, whose extraction first asks for too little memory; that run and its jobs."""
    checkout, _, _, before = cancelled
    rules = checkout.folder / "workflow" / "rules" / "attention.smk"
    text = rules.read_text(encoding="utf-8")
    assert "mem_mb=memory(3000)" in text
    rules.write_text(text.replace("mem_mb=memory(3000)", f"mem_mb=memory({TOO_LITTLE})"), encoding="utf-8")
    finished = on_cluster(checkout, TARGET, *SLURM, "--retries", "4")
    return checkout, finished, [job for job in slurm_jobs() if job.number > before[-1].number]


def test_shards_run_side_by_side_on_gpus_and_a_cancelled_job_is_reported(cancelled):
    checkout, finished, cancelling, jobs = cancelled
    extraction = of_rule("extract_attention", jobs)
    assert cancelling.side_by_side == len(extraction) == 2, finished.text
    assert {(job.partition, job.gpus, job.memory) for job in extraction} == {(GPU, "gres:gpu:1", "3000M")}
    assert finished.status != 0
    number = cancelling.cancelled.number
    assert {job.state for job in jobs if job.number == number} == {"CANCELLED"}
    assert f"SLURM-job '{number}' failed, SLURM status is: 'CANCELLED'" in finished.text
    last_lines = finished.text[finished.text.index("This run has failed:") :]
    shard = re.search(r"\d-of-2", cancelling.cancelled.comment)[0]
    assert ".snakemake/slurm_logs/rule_extract_attention/" in last_lines
    assert re.search(rf"Slurm ended it: (JOB|STEP) {number}\S* ON \S+ CANCELLED", last_lines)
    assert not (checkout.folder / SHARDS / f"{shard}.safetensors").exists()


def test_the_next_run_makes_what_was_cancelled_and_what_needs_it(cancelled, resumed):
    before, (_, finished, jobs) = cancelled[3], resumed
    assert finished.status == 0, finished.text
    made = {job.comment for job in of_rule("extract_attention", before) if job.state == "COMPLETED"}
    again = {job.comment for job in of_rule("extract_attention", jobs)}
    assert len(made) == len(again) == 1
    assert not made & again
    summed = [job for job in of_rule("sum_up", before) if job.state == "COMPLETED"]
    sums = {"sum_up_clark_positions": 2 - len(summed)}
    assert finished.jobs == {"extract_attention": 1, **sums, "clark_positions": 1, TARGET: 1}


def test_a_job_that_takes_too_much_memory_is_killed_and_gets_more(resumed):
    checkout, finished, jobs = resumed
    *killed, completed = of_rule("extract_attention", jobs)  # the sums of the one missing shard
    assert killed
    assert {job.state for job in killed} == {"FAILED"}
    assert completed.state == "COMPLETED"
    attempts = [job.memory for job in (*killed, completed)]
    assert attempts == [f"{TOO_LITTLE * attempt}M" for attempt in range(1, len(attempts) + 1)]
    (log,) = (checkout.folder / ".snakemake" / "slurm_logs").rglob(f"{killed[0].number}.log")
    assert "exceeded memory limit" in log.read_text()
    assert "This run has failed" not in finished.text


@pytest.mark.parametrize(
    ("profile", "file", "named", "reason"),
    [
        (SLURM, "slurm/partitions.yaml", "  main: {}", "sbatch: error: invalid partition specified: large"),
        (
            GENERIC,
            "cluster-generic/config.yaml",
            "queue: main",
            "Error submitting jobscript (exit code 1); the message",
        ),
    ],
)
def test_the_error_names_a_job_that_slurm_rejects_and_the_reason(slurm, tmp_path, profile, file, named, reason):
    checkout = copy_project(tmp_path)
    (checkout.folder / "shards.yaml").write_text("attention: {shards: 2}\n")
    settings = checkout.folder / "profiles" / file
    settings.write_text(settings.read_text().replace(named, named.replace("main", "large")))
    finished = on_cluster(checkout, "resources/reduced/corpora/wikipedia.jsonl", *profile, "--retries", "0")
    assert finished.status != 0
    assert "sbatch: error: invalid partition specified: large" in finished.text
    last_lines = finished.text.partition("This run has failed:\n")[2]
    assert re.match(r"  rule wikipedia, job \d+\n    the submission failed: ", last_lines)
    assert reason in last_lines
    assert "Remedy: correct the profile" in last_lines
    assert "out of memory" not in last_lines


def test_only_extraction_uses_gpus_and_results_equal_those_of_a_local_run(local, cancelled, resumed):
    jobs = [*cancelled[3], *resumed[2]]
    sums = of_rule("sum_up", jobs)
    assert [(job.partition, job.gpus, job.memory) for job in sums] == [(MAIN, "N/A", "3000M")] * 2
    assert len(jobs) == len(sums) + len(of_rule("extract_attention", jobs))  # figures are drawn on the submit host
    for path in (TABLE, FIGURE):
        assert (resumed[0].folder / path).read_bytes() == (local.folder / path).read_bytes(), path


def test_the_generic_profile_notices_cancelled_jobs_and_finished_ones(slurm, local, tmp_path):
    shutil.copytree(local.folder, tmp_path, dirs_exist_ok=True)
    table = (tmp_path / TABLE).read_bytes()
    (tmp_path / TABLE).unlink()
    (sums,) = (tmp_path / "resources").rglob("sums/clark_positions/2-of-2.npz")
    sums.unlink()
    known, cancelled = {job.number for job in slurm_jobs()}, []

    def cancel_first():
        new = [job.number for job in slurm_jobs() if job.number not in known and job.state == "RUNNING"]
        if new and not cancelled:
            cancelled.extend(new[:1])
            subprocess.run(["scancel", str(new[0])], check=True)

    finished = on_cluster(Checkout(tmp_path), TABLE, *GENERIC, meanwhile=cancel_first)

    assert finished.status == 0, finished.text
    assert finished.jobs == {"sum_up_clark_positions": 1, "clark_positions": 1}
    tries = [(job.state, job.memory, job.partition) for job in slurm_jobs() if job.number not in known]
    assert tries == [("CANCELLED", "3000M", MAIN), ("COMPLETED", "6000M", MAIN)]
    assert (tmp_path / TABLE).read_bytes() == table
    assert len(list((tmp_path / "logs" / "cluster").glob("*.log"))) == 2
