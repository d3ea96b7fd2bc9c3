"""Time of each analysis, compared with a plain reference and the bare forward pass, on the CPU and on a GPU.

    python -m benchmarks.run             # ten minutes on two cores; writes benchmarks/README.md
    python -m benchmarks.run --quick     # one minute, to check that everything runs; writes nothing

Each line is printed as soon as it is measured. In each round, all functions run in turn. Times are medians over rounds.
Ratios are medians of the ratios within a round, so that other work on the machine changes them little.
"""

from __future__ import annotations

import argparse
import os
import platform
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import torch

from benchmarks import (
    dependency_heads,
    disabled_heads,
    extraction,
    head_distances,
    importance,
    norms,
    probes,
    report,
    whole_run,
)
from benchmarks.measuring import Measurement
from benchmarks.workloads import BERT_BASE, EMBEDDED, ROOT, Source, scratch


@dataclass(frozen=True)
class Size:
    """Sizes of the workloads."""

    segments: int
    sentences: int
    trees: int
    examples: int
    tokens: int
    rounds: int = 3


SIZES = {
    (EMBEDDED, "cpu"): Size(segments=64, sentences=150, trees=1500, examples=4, tokens=48),
    (BERT_BASE, "cpu"): Size(segments=8, sentences=50, trees=400, examples=2, tokens=48, rounds=2),
    (EMBEDDED, "cuda"): Size(segments=500, sentences=150, trees=1500, examples=16, tokens=48),
    (BERT_BASE, "cuda"): Size(segments=200, sentences=50, trees=400, examples=16, tokens=48),
}
QUICK = Size(segments=4, sentences=8, trees=20, examples=1, tokens=16, rounds=1)
ON_GPU = "extraction, norms, probes, disabled heads and importance; other analyses read the store on the CPU"


def measurements(source: Source, folder: Path, name: str, device: str, size: Size) -> Iterator[Measurement]:
    """Measure all analyses with one encoder on one device."""
    workload = source.workload(name, size.segments, device)
    yield from extraction.measure(workload, folder, size.rounds)
    yield from norms.measure(workload, size.rounds)
    yield from importance.measure(workload.first(max(size.segments // 4, 2)), size.rounds)
    yield from disabled_heads.measure(workload, size.examples, size.tokens, max(size.rounds - 1, 1))
    yield from probes.measure(workload, size.sentences, size.rounds)
    if device == "cpu":
        yield from dependency_heads.measure(workload, size.trees, size.rounds)
        yield from head_distances.measure(workload, size.rounds)


def whole_page(found: list[Measurement], minutes: float, left_out: list[str]) -> str:
    """Return the block of benchmarks/README.md."""
    devices = {measurement.device for measurement in found}
    gpu = f", {torch.cuda.get_device_name()}" if "cuda" in devices else ""
    about = (
        f"Measured in {minutes:.1f} minutes by `make benchmark` on {os.cpu_count()} CPU cores "
        f"({platform.machine()}{gpu}), "
        f"PyTorch {torch.__version__.partition('+')[0]} with {torch.get_num_threads()} threads."
    )
    lines = [about, *left_out, "", "![Both ratios](speed.svg)", "", report.table(report.COLUMNS, ())]
    return "\n".join([*lines, *map(report.row, found)])


def main() -> None:
    """Measure, print and write."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--threads", type=int, default=os.cpu_count(), help="CPU threads (default: all)")
    parser.add_argument("--quick", action="store_true", help="use tiny workloads, and write nothing")
    parser.add_argument("--run", type=Path, default=ROOT / "logs" / "embedded", help="logs of a run's jobs")
    arguments = parser.parse_args()
    torch.set_num_threads(arguments.threads)
    devices = ["cpu", *(["cuda"] if torch.cuda.is_available() else [])]
    started, found, left_out = time.monotonic(), [], []
    print(report.table(report.COLUMNS, ()), flush=True)
    with tempfile.TemporaryDirectory(dir=scratch()) as name:
        source = Source(Path(name))
        for (encoder, device), size in SIZES.items():
            if device not in devices:
                continue
            for measurement in measurements(source, Path(name), encoder, device, QUICK if arguments.quick else size):
                print(report.row(measurement), flush=True)
                found.append(measurement)
    run_measurements = list(whole_run.measure(arguments.run))
    for measurement in run_measurements:
        print(report.row(measurement))
    found += run_measurements
    left_out += (
        []
        if run_measurements
        else [f"Not measured: the whole run, because `{_shown(arguments.run)}` has no logs of a run."]
    )
    left_out += (
        []
        if "cuda" in devices
        else [f"Not measured: a GPU, because this machine has none. A GPU is used for {ON_GPU}."]
    )
    minutes = (time.monotonic() - started) / 60
    print("\n".join(left_out) + f"\n{minutes:.1f} minutes")
    if not arguments.quick:
        report.replace_block("speed", whole_page(found, minutes, left_out))
        report.draw_speed(found, report.PAGE.with_name("speed.svg"))


def _shown(folder: Path) -> str:
    return folder.relative_to(ROOT).as_posix() if folder.is_relative_to(ROOT) else str(folder)


if __name__ == "__main__":
    main()
