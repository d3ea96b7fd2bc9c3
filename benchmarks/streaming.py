"""Disk, memory and time of a real run that writes no attention, by the number of segments.

    python -m benchmarks.streaming 500 2000        # two runs with these numbers of segments

The workflow makes six tables of running text with the embedded edition's encoder, `keep_attention: none` and a shard
for each core. The text of the embedded edition is repeated.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import psutil
import yaml

from benchmarks import report
from benchmarks.workloads import ROOT, scratch
from bert_attention.corpora.running_text import read_running_text
from bert_attention.downloads.sources import locate

TABLES = (
    "clark_positions",
    "clark_entropy",
    "clark_head_distances",
    "clark_pattern_examples",
    "kobayashi_categories",
    "kobayashi_dispersion",
)
SEGMENTS_OF_THE_TEXT = 2000  # lower bound for the embedded edition's text
EVERY = 1.0  # seconds between two measurements
SHOWN = 12  # points of each curve


def measure(segments: int, cores: int) -> dict:
    """Run the workflow once, and measure disk and memory during the run.

    Returns
    -------
    ``segments``, ``seconds``, ``cpu_seconds``, ``peak_disk_gigabytes`` (of attention and sums),
    ``peak_memory_gigabytes``, and the curves ``disk`` and ``memory`` in gigabytes at equal steps of time. Memory is the
    sum over all processes, counts each shared page once, and excludes pages of mapped files, which the system can drop.
    """
    with tempfile.TemporaryDirectory(dir=scratch()) as name:
        folder = Path(name)
        _make_edition(folder, segments, cores)
        command = [sys.executable, "-m", "snakemake", "-s", str(ROOT / "Snakefile"), "--cores", str(cores), *TABLES]
        command += ["--configfile", "streaming.yaml"]
        started, busy = time.perf_counter(), _cpu_seconds()
        with open(folder / "log", "w", encoding="utf-8") as log:
            run = subprocess.Popen(
                command, cwd=folder, stdout=log, stderr=log, env={**os.environ, "OMP_NUM_THREADS": "1"}
            )
            measured = list(_measurements(run, folder))
        taken, busy = time.perf_counter() - started, _cpu_seconds() - busy
        if run.returncode:
            raise RuntimeError((folder / "log").read_text(encoding="utf-8")[-3000:])
    disk, memory = zip(*measured, strict=True)
    step = max(1, len(measured) // SHOWN)
    return {
        "segments": segments,
        "seconds": round(taken, 1),
        "cpu_seconds": round(busy, 1),
        "peak_disk_gigabytes": max(disk),
        "peak_memory_gigabytes": max(memory),
        "disk": disk[::step],
        "memory": memory[::step],
    }


def _make_edition(folder: Path, segments: int, shards: int) -> None:
    """Write an edition of running text alone, beside its text."""
    edition = yaml.safe_load((ROOT / "config.yaml").read_text(encoding="utf-8"))
    articles, _ = read_running_text(locate(edition["corpora"]["wikipedia"]["source"]))
    text = "".join(" ".join(paragraph) + "\n\n" for article in articles for paragraph in article.paragraphs)
    with open(folder / "text.txt", "w", encoding="utf-8") as file:
        for _ in range(-(-segments // SEGMENTS_OF_THE_TEXT)):
            file.write(text)
    changed = {
        "edition": "streaming",
        "corpora": {"wikipedia": {"source": "path:text.txt", "articles": None, "segments": segments}},
        "keep_attention": "none",
        "attention": {"shards": shards},
    }
    (folder / "streaming.yaml").write_text(yaml.safe_dump(changed), encoding="utf-8")


def _measurements(run: subprocess.Popen, folder: Path) -> Iterator[tuple[float, float]]:
    """Yield gigabytes of attention and sums on the disk, and of memory of all processes, until the run ends."""
    main = psutil.Process(run.pid)
    while run.poll() is None:
        yield _disk(folder / "resources"), _memory(main)
        time.sleep(EVERY)


def _cpu_seconds() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _disk(folder: Path) -> float:
    total = 0
    for file in (*folder.rglob("attention/**/*"), *folder.rglob("sums/**/*")):
        with contextlib.suppress(FileNotFoundError):
            total += file.stat().st_blocks * 512 if file.is_file() else 0
    return round(total / 1e9, 3)


def _memory(main: psutil.Process) -> float:
    total = 0
    with contextlib.suppress(psutil.Error):
        for process in [main, *main.children(recursive=True)]:
            with contextlib.suppress(OSError):
                lines = Path(f"/proc/{process.pid}/smaps_rollup").read_text(encoding="ascii").splitlines()
                found = [
                    line.split()[1] for line in lines if line.startswith("Pss_Anon:")
                ]  # no line if the process is ending
                total += sum(map(int, found)) * 1024
    return round(total / 1e9, 3)


def page(points: list[dict]) -> str:
    """Return the block of benchmarks/README.md."""
    columns = (
        "segments",
        "wall time",
        "CPU time",
        "peak disk",
        "peak memory",
        "disk over time (GB)",
        "memory over time",
    )
    rows = []
    for point in points:
        cells = [f"{point['segments']:,}", report.duration(point["seconds"]), report.duration(point["cpu_seconds"])]
        cells += [f"{point['peak_disk_gigabytes']:.2f} GB", f"{point['peak_memory_gigabytes']:.2f} GB"]
        cells += [" ".join(f"{value:.1f}" for value in point[curve]) for curve in ("disk", "memory")]
        rows.append(cells)
    first, last = points[0], points[-1]
    more = last["segments"] / first["segments"]
    conclusion = (
        f"{more:.3g} times the segments need {last['cpu_seconds'] / first['cpu_seconds']:.3g} times the CPU time, "
        f"{last['peak_memory_gigabytes'] / first['peak_memory_gigabytes']:.3g} times the memory and "
        f"{last['peak_disk_gigabytes'] / first['peak_disk_gigabytes']:.3g} times the disk. Only sums are written. "
        "Larger counts compress less, but there are no more of them. Each job keeps the attention of one window of "
        "segments in memory, at most half a gigabyte."
    )
    return f"{report.table(columns, rows)}\n\n{conclusion}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("segments", type=int, nargs="+")
    parser.add_argument("--cores", type=int, default=os.cpu_count())
    arguments = parser.parse_args()
    points = []
    for segments in arguments.segments:
        points.append(measure(segments, arguments.cores))
        print(json.dumps(points[-1]), flush=True)
    report.replace_block("streaming", page(points))


if __name__ == "__main__":
    main()
