"""The processor time of a whole run, from the logs of its jobs."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from benchmarks.measuring import Measurement
from bert_attention.running.usage import read_usage


def measure(folder: Path) -> Iterator[Measurement]:
    """Yield the processor time of a run's jobs, with the three longest jobs, or nothing if there are no logs of jobs.

    ``folder`` is ``logs/<edition>``.
    """
    taken = {
        log.relative_to(folder).with_suffix("").as_posix(): usage.seconds
        for log in sorted(folder.rglob("*.log"))
        for usage in read_usage([log])
    }
    if not taken:
        return
    longest = sorted(taken, key=lambda job: -taken[job])[:3]
    yield Measurement(
        "whole run, processor time",
        folder.name,
        "cpu",
        f"{len(taken)} jobs",
        sum(taken.values()),
        agreement="longest: " + ", ".join(f"{job} {taken[job]:.0f} s" for job in longest),
    )
