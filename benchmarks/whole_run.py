"""The time of a whole run, from the files in which its jobs noted what they took."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import Path

from benchmarks.measuring import Measurement


def measure(folder: Path) -> Iterator[Measurement]:
    """All jobs of the run whose benchmark files are below ``folder``, and the three that took most.

    ``folder`` is ``logs/<edition>/benchmarks``; nothing is measured where it has no files. Jobs that run for less than
    a second or two note nothing.
    """
    taken = {file.relative_to(folder).with_suffix("").as_posix(): _seconds(file) for file in folder.rglob("*.tsv")}
    if not taken:
        return
    longest = sorted(taken, key=lambda job: -taken[job])[:3]
    yield Measurement(
        "whole run, all jobs that note their time",
        folder.parent.name,
        "cpu",
        f"{len(taken)} jobs",
        sum(taken.values()),
        agreement="longest: " + ", ".join(f"{job} {taken[job]:.0f} s" for job in longest),
    )


def _seconds(file: Path) -> float:
    with open(file, encoding="utf-8") as lines:
        return sum(float(row["s"]) for row in csv.DictReader(lines, delimiter="\t"))
