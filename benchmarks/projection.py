"""The computed costs of a corpus of any size, from measurements on small ones, and the limit that is met first."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from benchmarks import report

GIGA = 1e9
HOUR = 3600.0


@dataclass(frozen=True)
class PerSegment:
    """Measured constants of an encoder, for a segment of running text.

    Attributes
    ----------
    extraction
        Seconds, by what the store holds: ``attention`` alone, or ``all`` norms, too.
    tables
        Seconds of each analysis that reads the store, with one thread.
    bytes
        On disk, by what the store holds.
    gpu
        Seconds of extraction of all on a GPU, and whether that was measured.
    """

    encoder: str
    extraction: Mapping[str, float]
    tables: Mapping[str, float]
    bytes: Mapping[str, float]
    gpu: float
    gpu_was_measured: bool


# The stores of running text, and what each holds: of the paper without norms, of those with, of random weights.
STORES = {"segments_zeros": "attention", "segments_pair": "all", "random_segments": "attention"}
PASSES = {**STORES, "masked_segments": "all"}  # the fourth holds mixing ratios alone: no disk to speak of

# A corpus is cut into as many shards as it has blocks, and as many are on the disk as a machine of four cores works on.
SHARDS = 20
IN_FLIGHT = 4

DISK = 1000  # gigabytes

# What the rules ask a scheduler for, in minutes.
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

    ``kept`` is the disk of all stores together. ``needed`` is what a run with ``keep_attention: false`` needs: the
    shards in flight, of the largest store. The longest job is that of one shard.
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
    """Something that stops a run: at how many segments, and what one would do about it."""

    what: str
    segments: float
    remedy: str


def limits(constants: PerSegment) -> list[Limit]:
    """Return the limits, in the order in which they are met."""
    of_one = costs(constants, 1)
    slowest = max(constants.tables, key=lambda name: constants.tables[name])
    found = [
        Limit(
            f"the sums of a shard for `{slowest}` take longer than the {TABLE_RUNTIME} minutes of their rule",
            SHARDS * TABLE_RUNTIME * 60 / constants.tables[slowest],
            "`--set-resources sum_up:runtime=...`: its jobs run side by side on a cluster",
        ),
        Limit(
            f"extraction of a shard on a CPU takes longer than {EXTRACTION_RUNTIME} minutes",
            SHARDS * EXTRACTION_RUNTIME * 60 / constants.extraction["all"],
            "a GPU",
        ),
        Limit(f"kept stores fill {DISK:,} GB", DISK / of_one.kept_gigabytes, "`keep_attention: false`"),
        Limit(
            f"{IN_FLIGHT} shards fill {DISK:,} GB",
            DISK / of_one.needed_gigabytes,
            "fewer jobs at a time, a larger disk, or several editions: a shard holds a twentieth of the corpus",
        ),
    ]
    return sorted(found, key=lambda limit: limit.segments)


def _number(value: float) -> str:
    return f"{value:,.0f}" if value >= 10 else f"{value:.2g}"


def costs_table(constants: Iterable[PerSegment], sizes: Iterable[int]) -> str:
    """Costs in Markdown, a row an encoder and size."""
    columns = ("encoder", "segments", "CPU hours", "GPU hours (extraction)", "longest job, hours")
    rows = []
    for one in constants:
        for size in sizes:
            row = costs(one, size)
            gpu = _number(row.gpu_hours) + ("" if one.gpu_was_measured else " (computed)")
            numbers = (row.longest_job_hours, row.kept_gigabytes, row.needed_gigabytes)
            rows.append((one.encoder, f"{size:,}", _number(row.cpu_hours), gpu, *map(_number, numbers)))
    return report.table((*columns, "stores kept, GB", "disk if not kept, GB"), rows)


def limits_table(constants: Iterable[PerSegment]) -> str:
    """Return the limits as a Markdown table, in the order in which they are met."""
    rows = []
    for one in constants:
        for limit in limits(one):
            digits = 10 ** max(len(str(int(limit.segments))) - 2, 0)
            about = f"{round(limit.segments / digits) * digits:,} segments"
            rows.append((one.encoder, about, limit.what, limit.remedy))
    return report.table(("encoder", "from about", "what breaks", "what to do"), rows)
