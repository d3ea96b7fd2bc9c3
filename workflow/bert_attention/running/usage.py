"""Processor time and memory of a job: a line that the job writes into its log when it ends, and the line's reader.

Snakemake's benchmark files sample the processor time and memory of a job, every 30 seconds after a while. They miss
short jobs and peaks.
"""

from __future__ import annotations

import json
import re
import resource
import sys
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

_LINE = re.compile(r"usage: (\{.*\})$", flags=re.M)
_PEAK = re.compile(r"^VmHWM:\s+(\d+) kB$", flags=re.M)
_STATUS = Path("/proc/self/status")


@dataclass(frozen=True)
class Usage:
    """Processor time and memory of a job, with its child processes that have ended."""

    rule: str
    user_seconds: float
    system_seconds: float
    memory_mb: float  # the largest resident memory of one process

    @property
    def seconds(self) -> float:
        """Processor time."""
        return self.user_seconds + self.system_seconds

    @classmethod
    def of_this_process(cls, rule: str) -> Usage:
        """Return the usage of this process since its start."""
        own, children = map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
        return cls(
            rule,
            round(own.ru_utime + children.ru_utime, 2),
            round(own.ru_stime + children.ru_stime, 2),
            round(max(_own_peak(own.ru_maxrss), _megabytes(children.ru_maxrss)), 1),
        )

    def __str__(self) -> str:
        """Return the line for the job's log."""
        return f"usage: {json.dumps(asdict(self))}"


def read_usage(logs: Iterable[Path | str]) -> Iterator[Usage]:
    """Yield the usage of each job, from its log. Skip logs that do not exist or have no such line."""
    for log in map(Path, logs):
        found = _LINE.findall(log.read_text(encoding="utf-8")) if log.is_file() else []
        if found:
            yield Usage(**json.loads(found[-1]))


def _own_peak(max_rss: int) -> float:
    """Return the largest resident memory of this process.

    On Linux, ``ru_maxrss`` includes the memory that the process had before ``exec``: a copy of Snakemake's.
    """
    peak = _PEAK.search(_STATUS.read_text(encoding="ascii")) if _STATUS.is_file() else None
    return int(peak[1]) * 1024 / 1e6 if peak else _megabytes(max_rss)


def _megabytes(max_rss: int) -> float:
    """Convert a system's ``ru_maxrss``: bytes on macOS, else kibibytes."""
    return max_rss * (1 if sys.platform == "darwin" else 1024) / 1e6
