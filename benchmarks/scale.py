"""The growth of costs with the corpus, the heads and the length of segments, and the costs of a large corpus.

    python -m benchmarks.scale             # minutes on two cores; writes benchmarks/README.md and scale.json
    python -m benchmarks.scale --long      # twenty minutes, with up to 10,000 segments
    python -m benchmarks.scale --again     # measures nothing; writes the page from scale.json

Each shard of a large store overwrites the previous shard in one file, which is then read as often as there are shards.
So the work is as for the whole corpus, but the disk holds one shard. Each point is measured in its own process.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import tempfile
from collections.abc import Callable
from dataclasses import asdict, dataclass
from multiprocessing import get_context
from pathlib import Path
from types import ModuleType

import numpy as np
import torch
from matplotlib import pyplot as plt

from benchmarks import report
from benchmarks.extraction import ARRAYS_OF
from benchmarks.measuring import resident_megabytes, seconds
from benchmarks.projection import IN_FLIGHT, SHARDS, PerSegment, costs_table, limits_table
from benchmarks.workloads import BERT_BASE, EMBEDDED, Source, Workload, random_bert, random_sequences, scratch
from bert_attention.attention.store import AttentionStore
from bert_attention.figures import style
from bert_attention.papers.clark import entropy, head_distances, positions
from bert_attention.papers.kobayashi import categories, correlation, dispersion
from bert_attention.statistics.sums import blocks_of, sum_up

PER_SHARD = 50
WORDPIECES = 128
SIZES = (1_000, 100_000, 10_000_000)
# The analyses whose sums are measured. The cost of tables from sums does not depend on the corpus.
TABLES: dict[str, ModuleType] = {
    "positions": positions,
    "entropy": entropy,
    "categories": categories,
    "dispersion": dispersion,
    "correlation": correlation,
    "head_distances": head_distances,
}
# Assumptions without a GPU: its sustained speed in float32, and the rate of writing a store.
ASSUMED_GPU_FLOPS = 10e12
ASSUMED_BYTES_PER_SECOND = 1e9


@dataclass(frozen=True)
class Case:
    """A point to measure: an axis, the position on the axis, and the workload."""

    axis: str
    x: int
    encoder: str
    segments: int
    wordpieces: int = WORDPIECES
    heads: int = 12
    device: str = "cpu"


@dataclass(frozen=True)
class Point:
    """Costs of a case: seconds of each part for all segments, bytes of a segment by content, peak memory in GB."""

    case: Case
    seconds: dict[str, float]
    bytes: dict[str, float]
    peak: float


def cases(long: bool, gpu: bool) -> list[Case]:
    """Return three sizes on each axis. The projection uses the case with the most segments."""
    counts, few = ((100, 1000, 10_000), (10, 60, 300)) if long else ((50, 200, 800), (4, 12, 36))
    lengths = (128, 256, 512) if long else (64, 128, 256)
    found = [Case("segments", count, EMBEDDED, count) for count in counts]
    found += [Case("segments", count, BERT_BASE, count) for count in few]
    found += [Case("heads", heads, f"bert-base with {heads} heads", 6, heads=heads) for heads in (6, 12, 24)]
    found += [Case("length", n, BERT_BASE, 4, wordpieces=n) for n in lengths]
    if gpu:
        found += [Case("gpu", 500, name, 500, device="cuda") for name in (EMBEDDED, BERT_BASE)]
    return found


def measure(case: Case, threads: int) -> Point:
    """Measure one case. Call this in a new process, because peak memory is measured for the whole process."""
    torch.set_num_threads(threads)
    with tempfile.TemporaryDirectory(dir=scratch()) as name:
        folder = Path(name)
        workload, path = _workload(case, folder), folder / "shard.safetensors"
        first_shard = workload.first(PER_SHARD)
        workload.first(1).bare_forward()  # warms up
        taken, sizes = {"bare": _in_shards(workload, lambda part: part.bare_forward())}, {}
        for held, what in (("attention", "extraction: attention"), ("all", "extraction: with all norms")):
            arrays = ARRAYS_OF[what]
            taken[held] = _in_shards(workload, lambda part, arrays=arrays: part.extraction(path, arrays))
            first_shard.extraction(path, arrays)  # the last shard can be smaller
            sizes[held] = path.stat().st_size / len(first_shard.sequences)
        for table, analysis in TABLES.items():
            taken[table] = seconds(_sums_of, analysis, path, case.segments)
    return Point(case, taken, sizes, resident_megabytes("VmHWM") / 1e3)


def _workload(case: Case, folder: Path) -> Workload:
    source = Source(folder)
    if case.axis == "heads":
        encoder = random_bert(12, case.heads, 768, case.device)
        return Workload(case.encoder, encoder, source.tokenizer, random_sequences([case.wordpieces] * case.segments))
    if case.axis == "length":
        sequences = random_sequences([case.wordpieces] * case.segments)
        return Workload(case.encoder, source.encoder(case.encoder, case.device), source.tokenizer, sequences)
    return source.workload(case.encoder, case.segments, case.device)


def _in_shards(workload: Workload, job: Callable[[Workload], None]) -> float:
    """Return the total seconds of a job that runs on each shard of the corpus."""
    starts = range(0, len(workload.sequences), PER_SHARD)
    return sum(seconds(job, workload.of(workload.sequences[start : start + PER_SHARD])) for start in starts)


def _sums_of(analysis: ModuleType, path: Path, count: int) -> dict[str, np.ndarray]:
    """Return the sums of ``count`` sequences, from one shard that is read again and again."""
    sequences = itertools.chain.from_iterable(AttentionStore([path]) for _ in itertools.count())
    return sum_up(map(analysis.sums, itertools.islice(sequences, count)), blocks_of(range(count)))


def constants(points: list[Point], name: str) -> PerSegment:
    """Return the costs of a segment with an encoder, from the case with most segments."""
    point = _by_segments(points, name)[-1]
    count = point.case.segments
    gpu = [point for point in points if point.case.axis == "gpu" and point.case.encoder == name]
    return PerSegment(
        encoder=name,
        extraction={held: point.seconds[held] / count for held in ("attention", "all")},
        tables={table: point.seconds[table] / count for table in TABLES},
        bytes=point.bytes,
        gpu=gpu[0].seconds["all"] / gpu[0].case.segments if gpu else assumed_gpu_seconds(name, point.bytes["all"]),
        gpu_was_measured=bool(gpu),
    )


def _by_segments(points: list[Point], encoder: str) -> list[Point]:
    """Return the points of an encoder on the axis of segments, in ascending order."""
    return [point for point in points if point.case.axis == "segments" and point.case.encoder == encoder]


def assumed_gpu_seconds(name: str, size: float) -> float:
    """Return the assumed seconds of a segment on a GPU: the longer of arithmetic and writing."""
    layers, width = (6, 384) if name == EMBEDDED else (12, 768)
    flops = layers * (2 * 12 * width**2 * WORDPIECES + 4 * WORDPIECES**2 * width)
    return max(flops / ASSUMED_GPU_FLOPS, size / ASSUMED_BYTES_PER_SECOND)


LINES = {
    "bare": ("bare forward pass", style.GRAY, "o"),
    "all": ("extraction, all norms", style.BLUE, "s"),
    "positions": ("positions", style.GREEN, "^"),
    "head_distances": ("divergence of heads", style.VERMILION, "D"),
}
# The power of each axis with which each cost would ideally grow.
IDEAL = {
    "segments": dict.fromkeys(LINES, 1),
    "heads": {"bare": 0, "all": 1, "positions": 1, "head_distances": 2},
    "length": {"bare": 1, "all": 2, "positions": 2, "head_distances": 1},
}


def draw(points: list[Point], path: Path) -> None:
    """Draw time by segments, heads and length with ideal lines through the first point, and memory by segments."""
    titles = {
        "segments": f"segments, {EMBEDDED}",
        "heads": "heads of each layer, bert-base",
        "length": "wordpieces, bert-base",
    }
    with style.house_style():
        figure, all_axes = plt.subplots(1, 4, figsize=(11.0, 2.9))
        for axes, (axis, title) in zip(all_axes, titles.items(), strict=False):
            axis_points = [point for point in points if point.case.axis == axis]
            shown = _by_segments(points, EMBEDDED) if axis == "segments" else axis_points
            xs = [point.case.x for point in shown]
            for part, (label, color, marker) in LINES.items():
                ys = [point.seconds[part] for point in shown]
                axes.plot(xs, ys, marker, color=color, label=label, markersize=4)
                ideal = [ys[0] * (x / xs[0]) ** IDEAL[axis][part] for x in xs]
                axes.plot(xs, ideal, "--", color=color, linewidth=0.8)
            axes.set(xscale="log", yscale="log", xlabel=title, ylabel="seconds")
            axes.set_xticks(xs, [f"{x:,}" for x in xs])
            axes.minorticks_off()
        all_axes[0].legend(fontsize=6)
        for name, color in ((EMBEDDED, style.BLUE), (BERT_BASE, style.VERMILION)):
            shown = _by_segments(points, name)
            xs = [point.case.x for point in shown]
            all_axes[3].plot(xs, [point.peak for point in shown], "o-", color=color, label=name, markersize=4)
        all_axes[3].set(xscale="log", xlabel="segments", ylabel="peak memory (GB)", ylim=(0, None))
        all_axes[3].legend(fontsize=6)
        figure.tight_layout()
        report.save(figure, path)


def page(points: list[Point]) -> str:
    """Return the block of benchmarks/README.md."""
    both = [constants(points, name) for name in (EMBEDDED, BERT_BASE)]
    parts = ["![Cost by segments, heads and length](scale.svg)", _points_table(points), _conclusions(points)]
    parts += ["### Large corpora", _assumptions(both), costs_table(both, SIZES)]
    return "\n\n".join([*parts, "### Limits", limits_table(both)])


def _points_table(points: list[Point]) -> str:
    columns = [
        "axis",
        "encoder",
        "segments",
        "wordpieces",
        "bare pass",
        "extraction",
        *TABLES,
        "a segment",
        "peak memory",
    ]
    rows = []
    for point in points:
        times = [point.seconds[part] for part in ("bare", "all", *TABLES)]
        cells = [point.case.axis, point.case.encoder, f"{point.case.segments:,}", point.case.wordpieces]
        cells += [*map(report.duration, times), f"{point.bytes['all'] / 1e6:.1f} MB", f"{point.peak:.2f} GB"]
        rows.append(cells)
    return report.table(columns, rows)


def _conclusions(points: list[Point]) -> str:
    sentences = []
    for name in (EMBEDDED, BERT_BASE):
        first, *_, last = _by_segments(points, name)
        more = last.case.segments / first.case.segments
        times = ", ".join(
            f"{label} {last.seconds[part] / first.seconds[part]:.3g}" for part, (label, *_) in LINES.items()
        )
        sentences.append(
            f"{name}: {more:,.0f} times the segments need {last.peak / first.peak:.2f} times the peak memory "
            f"({first.peak:.2f} and {last.peak:.2f} GB) and these multiples of the time: {times}."
        )
    return (
        "Dashed lines show ideal growth. Time grows linearly with segments. With heads of the same total width, "
        "reading and writing grow linearly, and pairs of heads quadratically. With length, time grows quadratically. "
        "The bare pass does not grow with heads, and grows linearly with length. The divergence uses 16 tokens per "
        "segment. "
        f"Memory is needed for one shard, which has at most {PER_SHARD} segments.\n\n"
        + "\n".join(f"- {sentence}" for sentence in sentences)
    )


def _assumptions(both: list[PerSegment]) -> str:
    gpu = (
        "GPU hours are measured."
        if all(point.gpu_was_measured for point in both)
        else "GPU hours are computed, not measured: the longer of arithmetic at "
        f"{ASSUMED_GPU_FLOPS / 1e12:.0f} TFLOP/s and writing at {ASSUMED_BYTES_PER_SECOND / 1e9:.0f} GB/s."
    )
    return (
        f"Costs of running text in segments of {WORDPIECES} wordpieces: four passes (segment ids of zeros and of "
        f"pairs, random weights, masked tokens), three of which write stores, and the sums of {', '.join(TABLES)}. "
        f"CPU hours were measured on this machine. {gpu} With `keep_attention: none`, a shard is removed after "
        f"all sums have been computed, so {IN_FLIGHT} of {SHARDS} shards are on the disk at a time."
    )


def main() -> None:
    """Measure, print and write."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--long", action="store_true", help="up to 10,000 segments")
    parser.add_argument("--again", action="store_true", help="measure nothing; write the page from scale.json")
    parser.add_argument("--threads", type=int, default=os.cpu_count(), help="CPU threads (default: all)")
    arguments = parser.parse_args()
    record = report.PAGE.with_name("scale.json")
    if arguments.again:
        stored = json.loads(record.read_text(encoding="utf-8"))
        points = [Point(Case(**point.pop("case")), **point) for point in stored]
    else:
        points = []
        for case in cases(arguments.long, torch.cuda.is_available()):
            with get_context("spawn").Pool(1, maxtasksperchild=1) as pool:
                points.append(pool.apply(measure, (case, arguments.threads)))
            print(_points_table(points[-1:]).splitlines()[-1], flush=True)
        record.write_text(json.dumps([asdict(point) for point in points], indent=1) + "\n", encoding="utf-8")
    report.replace_block("scale", page(points))
    draw(points, report.PAGE.with_name("scale.svg"))


if __name__ == "__main__":
    main()
