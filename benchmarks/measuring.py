"""Time and memory of a call, on a machine that may be busy with other things, too."""

from __future__ import annotations

import re
import statistics
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import torch

from benchmarks.workloads import Workload


@dataclass(frozen=True)
class Measurement:
    """The costs of one analysis with one encoder on one device.

    Attributes
    ----------
    amount
        What was worked on, in words.
    seconds
        Wall time of it.
    times_bare
        That time by the bare forward pass over the same input; None where that is nothing to compare with.
    plain_times
        Time of the plain reference by ours; None where there is none.
    agreement
        How far ours and the reference differ, or another remark, in words.
    """

    what: str
    encoder: str
    device: str
    amount: str
    seconds: float
    times_bare: float | None = None
    plain_times: float | None = None
    agreement: str = ""


def seconds(function: Callable, *arguments: object) -> float:
    """Wall time of one call, until the GPU has finished, too."""
    _wait_for_gpu()
    started = time.perf_counter()
    function(*arguments)
    _wait_for_gpu()
    return time.perf_counter() - started


def _wait_for_gpu() -> None:
    if torch.cuda.is_available():
        torch.cuda.synchronize()


@dataclass(frozen=True)
class Times:
    """Wall times of several functions, by name, each a list with one number a round."""

    of: Mapping[str, list[float]]

    def median(self, name: str) -> float:
        """Seconds of one call."""
        return statistics.median(self.of[name])

    def ratio(self, name: str, other: str) -> float:
        """Median of the ratios within a round, which a busy machine changes less than it changes the times."""
        return statistics.median(one / two for one, two in zip(self.of[name], self.of[other], strict=True))

    def measurement(self, what: str, workload: Workload, amount: str, agreement: str = "") -> Measurement:
        """Measure ``ours``, beside ``bare`` and ``plain``."""
        ratios = self.ratio("ours", "bare"), self.ratio("plain", "ours")
        return Measurement(what, workload.name, workload.device, amount, self.median("ours"), *ratios, agreement)


def in_turn(functions: Mapping[str, Callable[[], object]], rounds: int) -> Times:
    """Run all functions in turn, after a round that does not count."""
    times: dict[str, list[float]] = {name: [] for name in functions}
    for number in range(rounds + 1):
        for name, function in functions.items():
            taken = seconds(function)
            if number:
                times[name].append(taken)
    return Times(times)


def resident_megabytes(field: str) -> float:
    """``VmRSS``, what this process has in memory now, or ``VmHWM``, the most that it had.

    getrusage would count the parent's peak.
    """
    status = Path("/proc/self/status").read_text(encoding="utf-8")
    return int(re.search(rf"{field}:\s+(\d+) kB", status)[1]) / 1e3
