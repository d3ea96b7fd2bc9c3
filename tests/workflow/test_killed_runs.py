"""A run that is killed again and again: what goes on after each kill ends with the files of a run left in peace."""

import os
import re
import shutil
import signal
import subprocess
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pytest

from tests.workflow.conftest import Checkout, copy_project

pytestmark = pytest.mark.workflow

KILLS = 20
KILLS_A_RUN = 6  # that fall into the time of an undisturbed run, on average
SEED = 1906
LONGEST_RUN = 600  # seconds

# Copied, drawn and generated files, stores of attention, a fine-tuned model, trained vectors, tables and figures.
TARGETS = ("clark_figure_4", "clark_table_3", "kovaleva_figure_5")
EDITION = ("tests/editions/reduced.yaml", "killed.yaml")
LAID_OVER = """
edition: killed
attention: {shards: 1}
fine_tuning:
  seeds: {pretrained: [1], random: [1]}
corpora:
  miniature:
    sentences: {train: 40, dev: 20}
  tasks:
    sst2: null
"""
MADE = ("resources", "results/killed")


@dataclass(frozen=True)
class Run:
    """A run of the targets under way.

    Attributes
    ----------
    began
        When it had locked its folder, just before its first job, on the monotonic clock.
    """

    process: subprocess.Popen
    log: Path
    began: float

    @classmethod
    def start(cls, checkout: Checkout) -> "Run":
        """Start a run with the command that a user types, in a session of its own."""
        log = checkout.folder / "printed.txt"
        with open(log, "w") as printed:
            process = subprocess.Popen(
                checkout.command(*TARGETS, edition=EDITION),
                cwd=checkout.folder,
                stdin=subprocess.DEVNULL,
                stdout=printed,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        deadline = time.monotonic() + LONGEST_RUN
        while process.poll() is None and time.monotonic() < deadline and not locks(checkout):
            time.sleep(0.01)
        return cls(process, log, time.monotonic())

    @property
    def seconds(self) -> float:
        """For how long it has been at work."""
        return time.monotonic() - self.began

    @property
    def printed(self) -> str:
        """What it said on the terminal."""
        return self.log.read_text()

    def is_over_within(self, seconds: float) -> bool:
        """Whether it ends, and then without an error, before it has been at work for so long."""
        try:
            status = self.process.wait(max(0.0, seconds - self.seconds))
        except subprocess.TimeoutExpired:
            return False
        assert status == 0, self.printed
        return True

    def kill(self) -> list[str]:
        """Kill it with all its jobs, and return the rules that were at work."""
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        begun = Counter(re.findall(r"^(?:local)?rule (\w+):$", self.printed, flags=re.M))
        finished = Counter(re.findall(r"^Finished jobid: \d+ \(Rule: (\w+)\)", self.printed, flags=re.M))
        return sorted((begun - finished).elements())


def locks(checkout: Checkout) -> list[Path]:
    return list((checkout.folder / ".snakemake").glob("locks/*"))


def prepared(folder: Path) -> Checkout:
    checkout = copy_project(folder)
    (folder / "killed.yaml").write_text(LAID_OVER)
    return checkout


def run_to_its_end(checkout: Checkout) -> float:
    """Run in peace; return for how many seconds the run was at work."""
    run = Run.start(checkout)
    if not run.is_over_within(LONGEST_RUN):
        pytest.fail(f"still {run.kill()} after {LONGEST_RUN} s:\n{run.printed}")
    return run.seconds


def is_unfinished(file: str) -> bool:
    """Whether a file has a name that a job gives to what it is writing."""
    return any(part.startswith(".") and part.endswith(".partial") for part in Path(file).parts)


def damaged(checkout: Checkout, whole: dict[str, str]) -> list[str]:
    """The files, besides unfinished ones, that are none of a whole run, or are not as it makes them."""
    there = checkout.digests(*MADE)
    return [file for file in there if not is_unfinished(file) and whole.get(file) != there[file]]


@dataclass
class KilledRuns:
    """Runs in one folder, each going on where the last was killed, or from nothing if it came to its end."""

    checkout: Checkout
    whole: dict[str, str]
    history: list[str] = field(default_factory=list)
    interrupted: set[str] = field(default_factory=set)

    def kill_after(self, seconds: float) -> None:
        """Let runs be at work for so long in all; then kill, and do what the README says."""
        run = Run.start(self.checkout)
        while run.is_over_within(seconds):
            seconds -= run.seconds
            self.history.append("whole")
            self.check_all()
            for part in MADE:
                shutil.rmtree(self.checkout.folder / part)
            run = Run.start(self.checkout)
        at_work = run.kill()
        self.interrupted.update(at_work)
        self.history.append(f"killed after {seconds:.2f} s of work, in {', '.join(at_work) or 'no job'}")
        assert damaged(self.checkout, self.whole) == [], self.story
        unlocked = self.checkout.snakemake("--unlock", edition=None)
        assert unlocked.status == 0, f"{self.story}\n{unlocked.text}"

    def check_all(self) -> None:
        """All files are there, no others are, and each is as it should be."""
        there = self.checkout.digests(*MADE)
        assert there.keys() == self.whole.keys(), self.story
        assert damaged(self.checkout, self.whole) == [], self.story
        assert locks(self.checkout) == [], self.story

    @property
    def story(self) -> str:
        """What happened up to now, a line each."""
        return "\n".join(f"{number}. {line}" for number, line in enumerate(self.history, start=1))


def test_twenty_kills_at_random_moments_leave_no_trace(tmp_path):
    undisturbed, killed = prepared(tmp_path / "undisturbed"), prepared(tmp_path / "killed")
    seconds = run_to_its_end(undisturbed)
    moments = np.sort(np.random.default_rng(SEED).uniform(0, seconds * KILLS / KILLS_A_RUN, KILLS))
    runs = KilledRuns(killed, undisturbed.digests(*MADE))
    for wait in np.diff(moments, prepend=0):
        runs.kill_after(wait)
    run_to_its_end(killed)
    runs.check_all()
    print(runs.story)
    assert len(runs.interrupted) > 5, runs.story  # not always the same one, and not only the beginning
