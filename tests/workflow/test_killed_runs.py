"""A run that is killed five times: after each kill the next run continues, and all files equal those of a run in peace.

The run in peace has one core and the killed runs have two: neither kills nor cores change a byte.
"""

import os
import re
import signal
import subprocess
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.workflow.conftest import Checkout, copy_project

pytestmark = pytest.mark.workflow

# After how many more jobs each run is killed, the last of them in part (of the mean time of a job).
KILLED_AFTER = (0.5, 1.3, 1.6, 1.5, 1.4)
LONGEST_RUN = 1800  # seconds

# Copied and drawn files, a store of attention, sums, a table and a figure, and word vectors, which are trained.
TARGETS = ("clark_figure_2", "resources/reduced/corpora/vectors.txt")
EDITION = "tests/editions/reduced.yaml"
MADE = ("resources", "results/reduced")


@dataclass(frozen=True)
class Run:
    """A run of the targets, under way or over.

    Attributes
    ----------
    began
        When the run had locked its folder, just before its first job, on the monotonic clock.
    """

    process: subprocess.Popen
    log: Path
    began: float

    @property
    def printed(self) -> str:
        """The text that the run printed."""
        return self.log.read_text()

    @property
    def finished(self) -> list[str]:
        """The rules of the finished jobs."""
        return re.findall(r"^Finished jobid: \d+ \(Rule: (\w+)\)", self.printed, flags=re.M)

    @property
    def at_work(self) -> list[str]:
        """The rules of the jobs that have begun and are not finished."""
        begun = Counter(re.findall(r"^(?:local)?rule (\w+):$", self.printed, flags=re.M))
        return sorted((begun - Counter(self.finished)).elements())

    def ends_within(self, seconds: float) -> bool:
        """Return True if the run comes to its end, without an error, in this time."""
        try:
            status = self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            return False
        assert status == 0, self.printed
        return True


@contextmanager
def started(checkout: Checkout, cores: int = 2, targets: Sequence[str] = TARGETS) -> Iterator[Run]:
    """A run, started with the command that a user types. At the end, the run and all its jobs are killed."""
    log = checkout.folder / "printed.txt"
    with open(log, "w") as printed:
        process = subprocess.Popen(
            checkout.command(*targets, edition=EDITION, cores=cores),
            cwd=checkout.folder,
            stdin=subprocess.DEVNULL,
            stdout=printed,
            stderr=subprocess.STDOUT,
            start_new_session=True,  # makes all its processes one group
        )
    try:
        deadline = time.monotonic() + LONGEST_RUN
        while process.poll() is None and time.monotonic() < deadline and not locks(checkout):
            time.sleep(0.01)
        yield Run(process, log, time.monotonic())
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def locks(checkout: Checkout) -> list[Path]:
    """The lock files of Snakemake in a folder."""
    return list((checkout.folder / ".snakemake").glob("locks/*"))


def finished_files(checkout: Checkout) -> dict[str, str]:
    """The digests of what runs made, without the temporary files of killed jobs."""
    return {
        file: digest
        for file, digest in checkout.digests(*MADE).items()
        if not any(part.startswith(".") and part.endswith(".partial") for part in Path(file).parts)
    }


def run_to_its_end(checkout: Checkout, cores: int = 2) -> float:
    """Run in peace, and return the mean seconds of a job."""
    with started(checkout, cores) as run:
        assert run.ends_within(LONGEST_RUN), run.printed
    return (time.monotonic() - run.began) / len(run.finished)


def test_five_kills_and_another_core_leave_no_trace(tmp_path):
    undisturbed, killed = copy_project(tmp_path / "undisturbed"), copy_project(tmp_path / "killed")
    seconds_per_job = run_to_its_end(undisturbed, cores=1)
    whole = undisturbed.digests(*MADE)
    interrupted = []
    for jobs in KILLED_AFTER:
        with started(killed) as run:
            while len(run.finished) < int(jobs):
                assert not run.ends_within(0.05), run.printed
            assert not run.ends_within(jobs % 1 * seconds_per_job), run.printed
        interrupted.append(run.at_work)
        assert finished_files(killed).items() <= whole.items(), interrupted
        unlocked = killed.snakemake("--unlock")  # as the README says
        assert unlocked.status == 0, unlocked.text
    run_to_its_end(killed)
    assert finished_files(killed) == whole, interrupted
    assert not locks(killed)
    assert len({rule for rules in interrupted for rule in rules}) > 2, interrupted  # kills in several kinds of jobs


@pytest.mark.parametrize(("ignored", "goes_on"), [(False, False), (True, True)])
def test_a_closed_terminal_leaves_no_lock_and_nohup_goes_on(tmp_path, ignored, goes_on):
    checkout = copy_project(tmp_path)
    inherited = signal.signal(signal.SIGHUP, signal.SIG_IGN if ignored else signal.SIG_DFL)  # all that nohup does
    try:
        with started(checkout, targets=["resources/reduced/corpora/wikipedia.jsonl"]) as run:
            signal.signal(signal.SIGHUP, inherited)
            os.killpg(run.process.pid, signal.SIGHUP)  # as a shell does with what it started
            assert (run.process.wait(LONGEST_RUN) == 0) == goes_on
    finally:
        signal.signal(signal.SIGHUP, inherited)
    assert not locks(checkout)
