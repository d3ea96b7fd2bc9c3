"""A run that is killed again and again: what goes on after each kill ends with the files of a run left in peace.

That run has one core and the killed ones have two: neither kills nor cores change a byte.
"""

import os
import re
import shutil
import signal
import subprocess
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pytest

from tests.workflow.conftest import Checkout, copy_project

pytestmark = pytest.mark.workflow

KILLS = 5  # among as many jobs as an undisturbed run has
SEED = 1906
LONGEST_RUN = 1800  # seconds
CORES = 2

# Copied, drawn and parsed files, stores of attention, sums, tables and figures, and word vectors, which are trained.
TARGETS = ("clark_figure_2", "clark_figure_4", "clark_table_1", "resources/killed/corpora/vectors.txt")
EDITION = ("tests/editions/reduced.yaml", "killed.yaml")
LAID_OVER = """
edition: killed
attention: {shards: 1}
fine_tuning:
  seeds: {pretrained: [1], random: [1]}
corpora:
  treebank:
    sentences: {train: 40, dev: 20}
  tasks:
    sst2: null
"""
MADE = ("resources", "results/killed")


@dataclass(frozen=True)
class Run:
    """A run of the targets, under way or over.

    Attributes
    ----------
    began
        When it had locked its folder, just before its first job, on the monotonic clock.
    """

    process: subprocess.Popen
    log: Path
    began: float

    @property
    def printed(self) -> str:
        """What it said on the terminal."""
        return self.log.read_text()

    @property
    def finished(self) -> list[str]:
        """The rules of the jobs that are done."""
        return re.findall(r"^Finished jobid: \d+ \(Rule: (\w+)\)", self.printed, flags=re.M)

    @property
    def at_work(self) -> list[str]:
        """The rules of the jobs that have begun and are not done."""
        begun = Counter(re.findall(r"^(?:local)?rule (\w+):$", self.printed, flags=re.M))
        return sorted((begun - Counter(self.finished)).elements())

    def is_over_after(self, jobs: int, seconds: float) -> bool:
        """Wait until so many jobs are done, and then for some time; return whether it has come to its end."""
        while len(self.finished) < jobs and not self._ends_within(0.05):
            assert time.monotonic() - self.began < LONGEST_RUN, f"still not done:\n{self.printed}"
        return self._ends_within(seconds)

    def _ends_within(self, seconds: float) -> bool:
        try:
            status = self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            return False
        assert status == 0, self.printed
        return True


@contextmanager
def started(checkout: Checkout, cores: int = CORES, targets: Sequence[str] = TARGETS) -> Iterator[Run]:
    """A run, started with the command that a user types; at the end, it is killed with all its jobs."""
    log = checkout.folder / "printed.txt"
    with open(log, "w") as printed:
        process = subprocess.Popen(
            checkout.command(*targets, edition=EDITION, cores=cores),
            cwd=checkout.folder,
            stdin=subprocess.DEVNULL,
            stdout=printed,
            stderr=subprocess.STDOUT,
            start_new_session=True,  # whose processes are one group
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
    return list((checkout.folder / ".snakemake").glob("locks/*"))


def prepared(folder: Path) -> Checkout:
    checkout = copy_project(folder)
    (folder / "killed.yaml").write_text(LAID_OVER)
    return checkout


def run_to_its_end(checkout: Checkout, cores: int = CORES) -> tuple[int, float]:
    """Run in peace; return how many jobs were done, and in how many seconds."""
    with started(checkout, cores) as run:
        assert run.is_over_after(10**9, 0)
    return len(run.finished), time.monotonic() - run.began


def is_unfinished(file: str) -> bool:
    """Whether a file has a name that a job gives to what it is writing."""
    return any(part.startswith(".") and part.endswith(".partial") for part in Path(file).parts)


def finished_files(checkout: Checkout) -> dict[str, str]:
    """The digests of what runs made, but for files that a killed job left unfinished."""
    return {file: digest for file, digest in checkout.digests(*MADE).items() if not is_unfinished(file)}


def damaged(checkout: Checkout, whole: dict[str, str]) -> list[str]:
    """The files that are none of a whole run, or are not as it makes them."""
    there = finished_files(checkout)
    return [file for file in there if whole.get(file) != there[file]]


@dataclass
class KilledRuns:
    """Runs in one folder, each going on where the last was killed, or from nothing if it came to its end."""

    checkout: Checkout
    whole: dict[str, str]
    seconds_a_job: float
    history: list[str] = field(default_factory=list)
    interrupted: set[str] = field(default_factory=set)

    def kill_after(self, jobs: float) -> None:
        """Let runs do so many jobs, the last of them in part; then kill, and do what the README says."""
        with started(self.checkout) as run:
            is_over = run.is_over_after(int(jobs), jobs % 1 * self.seconds_a_job)
        if is_over:
            self.history.append("came to its end")
            self.check_all()
            for part in MADE:
                shutil.rmtree(self.checkout.folder / part)
            self.kill_after(max(0.0, jobs - len(run.finished)))
            return
        self.interrupted.update(run.at_work)
        self.history.append(f"killed after {jobs:.2f} jobs, in {', '.join(run.at_work) or 'no job'}")
        assert damaged(self.checkout, self.whole) == [], self.story
        unlocked = self.checkout.snakemake("--unlock", edition=None)
        assert unlocked.status == 0, f"{self.story}\n{unlocked.text}"

    def check_all(self) -> None:
        """All files are there, no others are, and each is as it should be."""
        there = finished_files(self.checkout)
        assert there.keys() == self.whole.keys(), self.story
        assert damaged(self.checkout, self.whole) == [], self.story
        assert locks(self.checkout) == [], self.story

    @property
    def story(self) -> str:
        """What happened up to now, a line each."""
        return "\n".join(f"{number}. {line}" for number, line in enumerate(self.history, start=1))


def test_kills_at_random_moments_and_another_core_leave_no_trace(tmp_path):
    undisturbed, killed = prepared(tmp_path / "undisturbed"), prepared(tmp_path / "killed")
    jobs, seconds = run_to_its_end(undisturbed, cores=1)
    moments = np.sort(np.random.default_rng(SEED).uniform(0, jobs, KILLS))
    runs = KilledRuns(killed, undisturbed.digests(*MADE), seconds / jobs)
    for wait in np.diff(moments, prepend=0):
        runs.kill_after(wait)
    run_to_its_end(killed)
    runs.check_all()
    print(runs.story)
    assert len(runs.interrupted) > 2, runs.story  # not always the same one, and not only the beginning


@pytest.mark.parametrize(("ignored", "goes_on"), [(False, False), (True, True)])
def test_a_closed_terminal_leaves_no_lock_and_nohup_goes_on(tmp_path, ignored, goes_on):
    checkout = prepared(tmp_path)
    inherited = signal.signal(signal.SIGHUP, signal.SIG_IGN if ignored else signal.SIG_DFL)  # all that nohup does
    try:
        with started(checkout, targets=["resources/killed/corpora/wikipedia.jsonl"]) as run:
            signal.signal(signal.SIGHUP, inherited)
            os.killpg(run.process.pid, signal.SIGHUP)  # as a shell does with what it started
            assert (run.process.wait(LONGEST_RUN) == 0) == goes_on
    finally:
        signal.signal(signal.SIGHUP, inherited)
    assert not locks(checkout)
