"""Time and memory of a call, on a machine that may also be busy with other work."""

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
        The amount of work, in words.
    seconds
        Wall time.
    times_bare
        Ratio of the wall time to the time of a bare forward pass over the same input, or None.
    plain_times
        Ratio of the plain reference's time to the wall time, or None.
    agreement
        The difference between our result and the reference, or another remark, in words.
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
    """Return the wall time of one call, including the work on the GPU."""
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
    """Wall times of several functions by name, with one number per round."""

    of: Mapping[str, list[float]]

    def median(self, name: str) -> float:
        """Return the median seconds of one call."""
        return statistics.median(self.of[name])

    def ratio(self, name: str, other: str) -> float:
        """Return the median of the ratios within a round. A busy machine changes ratios less than times."""
        return statistics.median(one / two for one, two in zip(self.of[name], self.of[other], strict=True))

    def measurement(self, what: str, workload: Workload, amount: str, agreement: str = "") -> Measurement:
        """Return the measurement of ``ours``, with the ratios to ``bare`` and ``plain``."""
        ratios = self.ratio("ours", "bare"), self.ratio("plain", "ours")
        return Measurement(what, workload.name, workload.device, amount, self.median("ours"), *ratios, agreement)


def in_turn(functions: Mapping[str, Callable[[], object]], rounds: int) -> Times:
    """Run all functions in turn, after one warm-up round."""
    times: dict[str, list[float]] = {name: [] for name in functions}
    for number in range(rounds + 1):
        for name, function in functions.items():
            taken = seconds(function)
            if number:
                times[name].append(taken)
    return Times(times)


def resident_megabytes(field: str) -> float:
    """Return this process's memory in MB: now (``VmRSS``) or at its peak (``VmHWM``).

    ``getrusage`` would include the parent's peak.
    """
    status = Path("/proc/self/status").read_text(encoding="utf-8")
    return int(re.search(rf"{field}:\s+(\d+) kB", status)[1]) / 1e3
