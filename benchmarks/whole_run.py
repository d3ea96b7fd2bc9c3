"""The time of a whole run, from the benchmark files of its jobs."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import Path

from benchmarks.measuring import Measurement


def measure(folder: Path) -> Iterator[Measurement]:
    """Yield the total time of a run's jobs, with the three longest jobs, or nothing if there are no benchmark files.

    ``folder`` is ``logs/<edition>/benchmarks``. Jobs of less than about two seconds have no entries there.
    """
    taken = {file.relative_to(folder).with_suffix("").as_posix(): _seconds(file) for file in folder.rglob("*.tsv")}
    if not taken:
        return
    longest = sorted(taken, key=lambda job: -taken[job])[:3]
    yield Measurement(
        "whole run, all timed jobs",
        folder.parent.name,
        "cpu",
        f"{len(taken)} jobs",
        sum(taken.values()),
        agreement="longest: " + ", ".join(f"{job} {taken[job]:.0f} s" for job in longest),
    )


def _seconds(file: Path) -> float:
    with open(file, encoding="utf-8") as lines:
        return sum(float(row["s"]) for row in csv.DictReader(lines, delimiter="\t"))
