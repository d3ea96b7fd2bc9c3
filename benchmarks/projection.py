"""Computed costs of a corpus of any size, from measurements on small corpora, and the limits of a run."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from benchmarks import report

GIGA = 1e9
HOUR = 3600.0


@dataclass(frozen=True)
class PerSegment:
    """Measured costs of an encoder per segment of running text.

    Attributes
    ----------
    extraction
        Seconds by content of the store: ``attention`` alone, or ``all`` (with norms).
    tables
        Seconds of each analysis that reads the store, with one thread.
    bytes
        Bytes on disk by content of the store.
    gpu
        Seconds of extraction of ``all`` on a GPU.
    gpu_was_measured
        False if ``gpu`` is an estimate.
    """

    encoder: str
    extraction: Mapping[str, float]
    tables: Mapping[str, float]
    bytes: Mapping[str, float]
    gpu: float
    gpu_was_measured: bool


# The stores of running text and their contents: for the paper without norms, the papers with norms, random weights.
STORES = {"segments_zeros": "attention", "segments_pair": "all", "random_segments": "attention"}
PASSES = {**STORES, "masked_segments": "all"}  # the fourth pass stores only mixing ratios, which need little disk

# A corpus has one shard per block. A machine of four cores has four shards on the disk at a time.
SHARDS = 20
IN_FLIGHT = 4

DISK = 1000  # gigabytes

# Runtimes that the rules request from a scheduler, in minutes.
EXTRACTION_RUNTIME = 240
TABLE_RUNTIME = 60


@dataclass(frozen=True)
class Costs:
    """Costs of a corpus, in hours and gigabytes."""

    cpu_hours: float
    gpu_hours: float
    longest_job_hours: float
    kept_gigabytes: float
    needed_gigabytes: float


def costs(constants: PerSegment, segments: int) -> Costs:
    """Compute the costs of the running text of an edition.

    ``kept_gigabytes`` is the disk of all stores together. ``needed_gigabytes`` is the disk of a run with
    ``keep_attention: none``: the shards in flight of the largest store. The longest job works on one shard.
    """
    extraction = sum(constants.extraction[held] for held in PASSES.values())
    sizes = [constants.bytes[held] * segments / GIGA for held in STORES.values()]
    return Costs(
        segments * (extraction + sum(constants.tables.values())) / HOUR,
        segments * len(PASSES) * constants.gpu / HOUR,
        segments / SHARDS * max(constants.extraction["all"], *constants.tables.values()) / HOUR,
        sum(sizes),
        max(sizes) * IN_FLIGHT / SHARDS,
    )


@dataclass(frozen=True)
class Limit:
    """A limit of a run: the number of segments at which it is met, and a remedy."""

    what: str
    segments: float
    remedy: str


def limits(constants: PerSegment) -> list[Limit]:
    """Return the limits by ascending number of segments."""
    per_segment = costs(constants, 1)
    slowest = max(constants.tables, key=lambda name: constants.tables[name])
    found = [
        Limit(
            f"the sums of a shard for `{slowest}` take longer than the {TABLE_RUNTIME} minutes of their rule",
            SHARDS * TABLE_RUNTIME * 60 / constants.tables[slowest],
            "`--set-resources sum_up:runtime=...`; the jobs run in parallel on a cluster",
        ),
        Limit(
            f"extraction of a shard on a CPU takes longer than {EXTRACTION_RUNTIME} minutes",
            SHARDS * EXTRACTION_RUNTIME * 60 / constants.extraction["all"],
            "a GPU",
        ),
        Limit(f"kept stores fill {DISK:,} GB", DISK / per_segment.kept_gigabytes, "`keep_attention: none`"),
        Limit(
            f"{IN_FLIGHT} shards fill {DISK:,} GB",
            DISK / per_segment.needed_gigabytes,
            "fewer jobs at a time, a larger disk, or several editions (a shard has a twentieth of the corpus)",
        ),
    ]
    return sorted(found, key=lambda limit: limit.segments)


def _number(value: float) -> str:
    return f"{value:,.0f}" if value >= 10 else f"{value:.2g}"


def costs_table(constants: Iterable[PerSegment], sizes: Iterable[int]) -> str:
    """Return the costs as a Markdown table, with a row per encoder and size."""
    columns = ("encoder", "segments", "CPU hours", "GPU hours (extraction)", "longest job, hours")
    rows = []
    for encoder in constants:
        for size in sizes:
            row = costs(encoder, size)
            gpu = _number(row.gpu_hours) + ("" if encoder.gpu_was_measured else " (computed)")
            numbers = (row.longest_job_hours, row.kept_gigabytes, row.needed_gigabytes)
            rows.append((encoder.encoder, f"{size:,}", _number(row.cpu_hours), gpu, *map(_number, numbers)))
    return report.table((*columns, "stores kept, GB", "disk if not kept, GB"), rows)


def limits_table(constants: Iterable[PerSegment]) -> str:
    """Return the limits as a Markdown table, by ascending number of segments."""
    rows = []
    for encoder in constants:
        for limit in limits(encoder):
            digits = 10 ** max(len(str(int(limit.segments))) - 2, 0)
            about = f"{round(limit.segments / digits) * digits:,} segments"
            rows.append((encoder.encoder, about, limit.what, limit.remedy))
    return report.table(("encoder", "from about", "limit", "remedy"), rows)
