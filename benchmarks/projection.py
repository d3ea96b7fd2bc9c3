"""What a corpus of any size costs, computed from what was measured on small ones; and which limit is met first."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

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
    wordpieces: int
    extraction: Mapping[str, float]
    tables: Mapping[str, float]
    bytes: Mapping[str, float]
    gpu: float
    gpu_was_measured: bool


# The stores of running text, and what each holds: of the paper without norms, of those with, of random weights.
STORES = {"segments_zeros": "attention", "segments_pair": "all", "random_segments": "attention"}
PASSES = {**STORES, "masked_segments": "all"}  # the fourth holds mixing ratios alone: no disk to speak of

# What the rules ask a scheduler for, in minutes.
EXTRACTION_RUNTIME = 240
TABLE_RUNTIME = 60


@dataclass(frozen=True)
class Costs:
    """Of a corpus: hours, and gigabytes."""

    segments: int
    cpu_hours: float
    gpu_hours: float
    longest_table_hours: float
    kept_gigabytes: float
    needed_gigabytes: float


def costs(constants: PerSegment, segments: int) -> Costs:
    """What the running text of an edition costs.

    ``kept`` is the disk of all stores together. ``needed`` is the least that a run with ``keep_attention: false``
    needs: a table reads the whole of a store, so the largest one must be there, in however many shards it is cut.
    """
    extraction = sum(constants.extraction[held] for held in PASSES.values())
    sizes = [constants.bytes[held] * segments / GIGA for held in STORES.values()]
    return Costs(
        segments,
        segments * (extraction + sum(constants.tables.values())) / HOUR,
        segments * len(PASSES) * constants.gpu / HOUR,
        segments * max(constants.tables.values()) / HOUR,
        sum(sizes),
        max(sizes),
    )


@dataclass(frozen=True)
class Limit:
    """Something that stops a run: at how many segments, and what one would do about it."""

    what: str
    segments: float
    remedy: str


def limits(constants: PerSegment, disk_gigabytes: float = 1000, shards: int = 2) -> list[Limit]:
    """What breaks, the first first."""
    needed = max(constants.bytes[held] for held in STORES.values()) / GIGA
    kept = sum(constants.bytes[held] for held in STORES.values()) / GIGA
    slowest = max(constants.tables, key=lambda name: constants.tables[name])
    found = [
        Limit(
            f"the job of `{slowest}` takes longer than the {TABLE_RUNTIME} minutes that its rule asks for",
            TABLE_RUNTIME * 60 / constants.tables[slowest],
            f"`--set-resources clark_{slowest}:runtime=...` and more threads; or a sample: its numbers are means over "
            "segments, and the paper's are over 992",
        ),
        Limit(
            f"a job of extraction on a CPU takes longer than {EXTRACTION_RUNTIME} minutes in {shards} shards",
            shards * EXTRACTION_RUNTIME * 60 / constants.extraction["all"],
            "more shards (`--set-scatter shards=...`), which run side by side on a cluster, and a GPU",
        ),
        Limit(f"kept stores fill {disk_gigabytes:,.0f} GB", disk_gigabytes / kept, "`keep_attention: false`"),
        Limit(
            f"one store fills {disk_gigabytes:,.0f} GB, which `keep_attention: false` does not help",
            disk_gigabytes / needed,
            "tables made of each shard and added up: nearly all are sums over sequences already "
            "(`statistics/moments.py`); then no more than the shards in flight would be on disk",
        ),
    ]
    return sorted(found, key=lambda limit: limit.segments)


def _number(value: float) -> str:
    return f"{value:,.0f}" if value >= 10 else f"{value:.2g}"


def costs_table(constants: Iterable[PerSegment], sizes: Iterable[int]) -> str:
    """Costs in Markdown, a row an encoder and size."""
    lines = [
        "| encoder | segments | CPU hours | GPU hours (extraction) | longest table, hours | stores kept, GB "
        "| least disk, GB |",
        "|---|---|---|---|---|---|---|",
    ]
    for one in constants:
        for size in sizes:
            row = costs(one, size)
            gpu = _number(row.gpu_hours) + ("" if one.gpu_was_measured else " (computed)")
            numbers = (row.longest_table_hours, row.kept_gigabytes, row.needed_gigabytes)
            cells = (one.encoder, f"{size:,}", _number(row.cpu_hours), gpu, *map(_number, numbers))
            lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


def limits_table(constants: Iterable[PerSegment]) -> str:
    """What breaks in Markdown, the first first."""
    lines = ["| encoder | from about | what breaks | what to do |", "|---|---|---|---|"]
    for one in constants:
        for limit in limits(one):
            digits = 10 ** max(len(str(int(limit.segments))) - 2, 0)
            about = f"{round(limit.segments / digits) * digits:,} segments"
            lines.append(f"| {one.encoder} | {about} | {limit.what} | {limit.remedy} |")
    return "\n".join(lines)
