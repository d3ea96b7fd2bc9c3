"""Runs that are killed: after each kill the next run continues, and all files equal those of the undisturbed first run.

The first run has two cores, and the last of the killed runs has one: neither kills nor cores change a byte.
"""

import os
import re
import signal
import subprocess
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.workflow.conftest import Checkout, copy_project

# Each run is killed after it has finished this many jobs and has run further jobs for this many seconds.
KILLED_AFTER = ((0, 1.0), (1, 3.0), (2, 2.0))
LONGEST_RUN = 1800  # seconds
# Copied and drawn files, an attention store, sums, a table, a figure, and word vectors, which are trained.
TARGETS = ("clark_figure_2", "resources/reduced/corpora/vectors.txt")
MADE = ("resources", "results/reduced")


@contextmanager
def started(checkout: Checkout, cores: int = 2, targets: Sequence[str] = TARGETS) -> Iterator[subprocess.Popen]:
    """A run that has locked its folder, started by a user's command. The run and its jobs are killed at the end."""
    with open(checkout.folder / "printed.txt", "w") as printed:
        process = subprocess.Popen(
            checkout.command(*targets, cores=cores),
            cwd=checkout.folder,
            stdin=subprocess.DEVNULL,
            stdout=printed,
            stderr=subprocess.STDOUT,
            start_new_session=True,  # makes all its processes one group
        )
    try:
        while process.poll() is None and not locks(checkout):
            time.sleep(0.02)
        yield process
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def jobs_of(checkout: Checkout) -> tuple[list[str], list[str]]:
    """The rules of the finished jobs and of the running jobs of the last run."""
    printed = (checkout.folder / "printed.txt").read_text()
    finished = re.findall(r"^Finished jobid: \d+ \(Rule: (\w+)\)", printed, flags=re.M)
    begun = re.findall(r"^(?:local)?rule (\w+):$", printed, flags=re.M)
    return finished, sorted((Counter(begun) - Counter(finished)).elements())


def locks(checkout: Checkout) -> list[Path]:
    """The lock files of Snakemake in a folder."""
    return list((checkout.folder / ".snakemake").glob("locks/*"))


def finished_files(checkout: Checkout) -> dict[str, str]:
    """The digests of the files that runs made, without the temporary files of killed jobs."""
    return {
        file: digest
        for file, digest in checkout.digests(*MADE).items()
        if not any(part.startswith(".") and part.endswith(".partial") for part in Path(file).parts)
    }


def test_killed_runs_resume_and_leave_no_trace(first_run, tmp_path):
    whole = first_run[0].digests(*MADE)
    killed, interrupted = copy_project(tmp_path / "killed"), []
    for jobs, seconds in KILLED_AFTER:
        with started(killed) as process:
            finished, running = jobs_of(killed)
            while len(finished) < jobs or not running:
                time.sleep(0.05)
                assert process.poll() is None, finished
                finished, running = jobs_of(killed)
            time.sleep(seconds)
            assert process.poll() is None, finished
        interrupted += jobs_of(killed)[1]
        assert finished_files(killed).items() <= whole.items(), interrupted
        unlocked = killed.snakemake("--unlock")  # as the README says
        assert unlocked.status == 0, unlocked.text
    with started(killed, cores=1) as process:
        assert process.wait(LONGEST_RUN) == 0, jobs_of(killed)
    made = finished_files(killed)
    assert made.items() <= whole.items(), interrupted
    assert {TARGETS[1], "results/reduced/all-MiniLM-L6-v2/figures/clark_figure_2_positions.pdf"} <= made.keys()
    assert not locks(killed)
    assert len(set(interrupted)) > 1  # kills in several kinds of jobs


@pytest.mark.parametrize(("ignored", "goes_on"), [(False, False), (True, True)])
def test_a_closed_terminal_leaves_no_lock_and_nohup_goes_on(tmp_path, ignored, goes_on):
    checkout = copy_project(tmp_path)
    inherited = signal.signal(signal.SIGHUP, signal.SIG_IGN if ignored else signal.SIG_DFL)  # nohup does only this
    try:
        with started(checkout, targets=["resources/reduced/corpora/wikipedia.jsonl"]) as process:
            signal.signal(signal.SIGHUP, inherited)
            os.killpg(process.pid, signal.SIGHUP)  # as a shell does with the processes that it started
            assert (process.wait(LONGEST_RUN) == 0) == goes_on
    finally:
        signal.signal(signal.SIGHUP, inherited)
    assert not locks(checkout)
