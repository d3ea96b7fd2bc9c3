"""The edition of bert-base at full size, with random weights in the place of the download.

    python -m benchmarks.rehearsal          # an hour on two cores; `make rehearse-bert`

A BERT of bert-base's shape is written as the published files are: their parameter names, types and size. In a copy of
the project, its digest takes the place of the published one, so that its numbers are compared with the papers'. The
run goes from `editions/bert_base.yaml` to the paper. What it took and found goes into docs/rehearsal.json, and
`python docs/run_numbers.py` fills docs/checks.md from it.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pandas as pd
import yaml

from benchmarks.workloads import ROOT, scratch
from bert_attention.downloads.sources import locate
from bert_attention.files import sha256
from bert_attention.judging.verdicts import ALSO_RANDOM, INCONCLUSIVE, NOT_REPRODUCED, REPRODUCED
from bert_attention.running.usage import read_usage
from tests.rehearsal.models import bert_base_uncased
from tests.workflow.conftest import copy_project

EDITION = "editions/bert_base.yaml"
FOUND = ROOT / "docs" / "rehearsal.json"
PUBLISHED_BYTES = 440_449_768  # the size of google-bert/bert-base-uncased's model.safetensors
PUBLISHED_SHA256 = "68d45e234eb4a928074dfd868cead0219ab85354cc53d20e772753c6bb9169d3"
EVERY = 5.0  # seconds between two measurements of the disk
CORES = len(os.sched_getaffinity(0))


def write_stand_in(folder: Path) -> str:
    """Write the stand-in's files, and return the digest of its weights; raise ValueError if its size differs."""
    config = yaml.safe_load((ROOT / "config.yaml").read_text(encoding="utf-8"))
    folder.mkdir()
    vocabulary = Path(locate(config["models"][0]["source"]))
    for name, content in bert_base_uncased(vocabulary, layers=12, width=768, feed_forward=3072).items():
        (folder / name).write_bytes(content)
    size = (folder / "model.safetensors").stat().st_size
    if abs(size - PUBLISHED_BYTES) > 1000:  # the header can differ by some spaces
        raise ValueError(f"the stand-in has {size:,} bytes, and the published file {PUBLISHED_BYTES:,}")
    return sha256(folder / "model.safetensors")


def pretend(project: Path, digest: str) -> None:
    """Put the stand-in's digest in the place of the published one, in the claims of a copy of the project."""
    for file in project.glob("workflow/bert_attention/papers/*/claims.py"):
        text = file.read_text(encoding="utf-8")
        file.write_text(text.replace(PUBLISHED_SHA256, digest), encoding="utf-8")


@contextmanager
def peak_of(folder: Path) -> Iterator[list[float]]:
    """Measure the largest size of a folder in gigabytes, as the only item of the list, until the block ends."""
    peak, stop = [0.0], threading.Event()

    def look() -> None:
        while not stop.wait(EVERY):
            total = 0
            for file in folder.rglob("*"):
                with suppress(OSError):
                    total += file.stat().st_blocks * 512 if file.is_file() else 0
            peak[0] = max(peak[0], total / 1e9)

    thread = threading.Thread(target=look)
    thread.start()
    try:
        yield peak
    finally:
        stop.set()
        thread.join()


def rehearse(folder: Path) -> dict:
    """Run the edition in a folder, and return what it took and found."""
    project = copy_project(folder / "project")
    pretend(project.folder, digest := write_stand_in(folder / "bert"))
    model = {"name": "bert-base-uncased", "source": f"path:{folder / 'bert'} sha256:{digest}", "mlm_head": "own"}
    (project.folder / "stand_in.yaml").write_text(yaml.safe_dump({"models": [model]}), encoding="utf-8")
    command = project.command(edition=(EDITION, "stand_in.yaml"), cores=CORES)
    planned = subprocess.run([*command, "-n"], cwd=project.folder, capture_output=True, text=True, check=True)
    started = time.perf_counter()
    with peak_of(project.folder / "resources") as peak, open(folder / "log", "w", encoding="utf-8") as log:
        run = subprocess.run(command, cwd=project.folder, stdout=log, stderr=log, check=False)
    minutes = (time.perf_counter() - started) / 60
    if run.returncode:
        raise RuntimeError((folder / "log").read_text(encoding="utf-8")[-5000:])
    results = project.folder / "results" / "bert_base"
    for made in ("index.html", "bert-base-uncased/paper.pdf", "bert-base-uncased/explorer.html"):
        if not (results / made).is_file():
            raise RuntimeError(f"the run made no {made}")
    usage = list(read_usage((project.folder / "logs" / "bert_base").rglob("*.log")))
    return {
        "minutes": round(minutes, 1),
        "processor_minutes": round(sum(job.seconds for job in usage) / 60, 1),
        "gigabytes": round(peak[0], 2),
        "cores": CORES,
        "jobs": len(usage),
        **forecast(planned.stdout + planned.stderr),
        **verdicts(pd.read_csv(results / "scoreboard.csv")),
    }


def forecast(printed: str) -> dict[str, float]:
    """Return the minutes and gigabytes that the end of a dry run names."""
    time_line = re.search(r"^Time: .*about ([\d.]+) (minutes|hours) on ", printed, flags=re.M)
    disk_line = re.search(r"^Disk: +([\d.]+) GB", printed, flags=re.M)
    if not time_line or not disk_line:
        raise RuntimeError(f"a dry run gave no forecast:\n{printed[-2000:]}")
    minutes = float(time_line[1]) * (60 if time_line[2] == "hours" else 1)
    return {"forecast_minutes": minutes, "forecast_gigabytes": float(disk_line[1])}


def verdicts(board: pd.DataFrame) -> dict:
    """Return the verdicts on the papers' numbers, and which numbers and findings random weights get."""
    numbers = board[board["verdict"].isin([REPRODUCED, ALSO_RANDOM, NOT_REPRODUCED, INCONCLUSIVE])]
    return {
        "numbers": numbers["verdict"].value_counts().to_dict(),
        "reproduced": numbers.loc[numbers["verdict"] == REPRODUCED, "id"].tolist(),
        "also_random": numbers.loc[numbers["verdict"] == ALSO_RANDOM, "id"].tolist(),
        "findings": board.loc[board["counted"], "finding"].value_counts().to_dict(),
        "confirmed": board.loc[board["counted"] & (board["finding"] == "confirmed"), "id"].tolist(),
    }


def main() -> None:
    """Rehearse the edition, and write what it took and found."""
    with tempfile.TemporaryDirectory(dir=scratch()) as name:
        found = rehearse(Path(name))
    FOUND.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    print(json.dumps(found, indent=1))


if __name__ == "__main__":
    sys.exit(main())
