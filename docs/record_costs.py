"""The costs that the forecast of a run starts from, and how far forecasts were off.

``python docs/record_costs.py`` records costs, as ``make docs`` does: what the jobs of the newest complete run of an
edition took, by rule, into ``costs.csv`` and ``recorded_sizes.csv`` of ``bert_attention.running``. Everything comes
from Snakemake's log of the run, the logs of its jobs and the sizes of its outputs. The time of a job is the processor
time that it used.

``python docs/record_costs.py --measure`` adds the time and disk space of that run to ``measured_runs.csv`` instead, and
prints them beside the forecast. If the machine was slower on another day, ``longest_minutes`` says what it took then.
``--configfile`` names the files of another edition, as for Snakemake.

A run that removes its attention stores leaves nothing to measure: the sizes of stores then stay as recorded before, in
proportion to what they grow with. ``snakemake --notemp`` keeps them.
"""

from __future__ import annotations

import argparse
import csv
import os
import platform
import re
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import prod
from pathlib import Path

import yaml
from snakemake.utils import update_config

from bert_attention.running.edition import Edition
from bert_attention.running.forecast import (
    BESIDE_TEMPORARY,
    CORES_IN_USE,
    COSTS,
    RECORDED_SIZES,
    START_SECONDS,
    STORES_AT_ONCE,
    EditionSizes,
    Forecast,
    RuleCost,
    read_costs,
    read_sizes,
)
from bert_attention.running.usage import Usage, read_usage

PROJECT = Path(__file__).parents[1]
MEASURED = Path(__file__).with_name("measured_runs.csv")
_TIME = re.compile(r"\[(\w{3} \w{3} [ \d]\d \d\d:\d\d:\d\d \d{4})\]")
_RULE = re.compile(r"(?:local)?(?:rule|checkpoint) (\w+):")
_FINISHED = re.compile(r"Finished jobid: (\d+)")
_STORE = re.compile(r"resources/.*/attention/.*\.safetensors")
_TEMPORARY_STORE = re.compile(r"resources/.*/attention/random_\d+/.*\.safetensors")
_SUMS_OF_PASS = re.compile(r"resources/.*/sums/passes/.*\.npz")
_TOTAL = re.compile(r"total +(\d+)")


@dataclass
class Job:
    """A job in Snakemake's log."""

    rule: str
    start: float
    end: float | None = None
    inputs: list[str] = field(default_factory=list)
    outputs: list[str] = field(default_factory=list)
    log: str = ""

    @cached_property
    def usage(self) -> Usage | None:
        """The job's usage, or None if the job's log does not have it."""
        return next(read_usage([self.log] if self.log else []), None)

    @property
    def seconds(self) -> float:
        """Processor time; without a log, the time from start to end in Snakemake's log, in whole seconds."""
        if self.usage:
            return self.usage.seconds
        return 0.0 if self.end is None else self.end - self.start


def read_log(log: Path) -> tuple[list[Job], int | None, int]:
    """Return the jobs in Snakemake's log of a run, the number of cores, and the number of jobs that were planned."""
    jobs: dict[str, Job] = {}
    now, cores, planned, latest = 0.0, None, 0, None
    for line in log.read_text(encoding="utf-8").splitlines():
        key, _, value = line.strip().partition(": ")
        if stamp := _TIME.fullmatch(line):
            now = time.mktime(time.strptime(stamp[1]))
        elif begun := _RULE.fullmatch(line):
            latest = Job(begun[1], now)
        elif finished := _FINISHED.match(line):
            jobs[finished[1]].end = now
        elif total := _TOTAL.fullmatch(line):
            planned = int(total[1])
        elif line.startswith("Provided cores: "):
            cores = int(re.findall(r"\d+", value)[0])
        elif latest is not None and line.startswith("    "):
            if key == "jobid":
                jobs[value] = latest
            elif key == "log":
                latest.log = value.partition(" ")[0]
            elif key in ("input", "output"):
                setattr(latest, f"{key}s", value.split(", "))
    return list(jobs.values()), cores, planned


def newest_complete_run(edition: str, logs: Path = Path(".snakemake/log")) -> tuple[list[Job], int | None] | None:
    """Return the jobs of the newest run that made all results of an edition, and its cores; None without such a run."""
    for log in sorted(logs.glob("*.log"), reverse=True):
        jobs, cores, planned = read_log(log)
        makes_all = {f"resources/{edition}/corpora/wikipedia.jsonl", f"results/{edition}/index.html"}
        if planned == sum(job.end is not None for job in jobs) and makes_all <= {o for j in jobs for o in j.outputs}:
            return jobs, cores
    return None


def megabytes(path: str) -> float | None:
    """Return the size of a file or folder, or None if it does not exist."""
    place = Path(path)
    files = [file for file in place.rglob("*") if file.is_file()] if place.is_dir() else [place]
    return sum(file.stat().st_size for file in files) / 1e6 if place.exists() else None


def costs_of(jobs: Iterable[Job], before: Mapping[str, RuleCost], grown: Mapping[str, float]) -> dict[str, RuleCost]:
    """Return the cost of each rule of a run, and those recorded before of other rules.

    Parameters
    ----------
    before
        The costs recorded before. The names of sizes that costs grow with stay.
    grown
        The factor by which each size has grown since then.
    """
    by_rule: dict[str, list[Job]] = defaultdict(list)
    for job in jobs:
        by_rule[job.rule].append(job)
    costs = dict(before)
    for rule, of_rule in by_rule.items():
        old, number = before.get(rule, RuleCost(0)), len(of_rule)
        sizes: dict[str, list[float | None]] = {"kept": [], "store": [], "temporary": []}
        for path in (path for job in of_rule for path in job.outputs):
            sizes[kind_of_output(path)].append(megabytes(path))
        growth = prod(grown[name] for name in old.output_grows_with)
        costs[rule] = replace(
            old,
            seconds=sum(job.seconds for job in of_rule) / number,
            memory_mb=max((job.usage.memory_mb for job in of_rule if job.usage), default=old.memory_mb),
            kept_mb=sum(size or 0 for size in sizes["kept"]) / number,
            store_mb=average(sizes["store"], number, old.store_mb * growth),
            temporary_mb=average(sizes["temporary"], number, old.temporary_mb * growth),
        )
    return costs


def kind_of_output(path: str) -> str:
    """Return temporary for files of the control that no run keeps, store for other attention stores, or kept."""
    if _TEMPORARY_STORE.fullmatch(path) or _SUMS_OF_PASS.fullmatch(path):
        return "temporary"
    return "store" if _STORE.fullmatch(path) else "kept"


def average(sizes: list[float | None], number: int, before: float) -> float:
    """Return the sum of the sizes divided by the number of jobs, or the average before if a file is gone."""
    found = [size for size in sizes if size is not None]
    return sum(found) / number if len(found) == len(sizes) else before


def stores_at_once(jobs: list[Job], costs: Mapping[str, RuleCost]) -> float:
    """Return the largest share of the attention stores that were needed at once, each until its last reader ended."""
    changes = []
    for job in jobs:
        stores = [path for path in job.outputs if kind_of_output(path) != "kept"]
        for path in stores:
            size = (costs[job.rule].store_mb + costs[job.rule].temporary_mb) / len(stores)
            changes += [(job.start, size), (needed_until(jobs, path), -size)]
    now = peak = 0.0
    for _, change in sorted(changes):
        now += change
        peak = max(peak, now)
    total = sum(size for _, size in changes if size > 0)
    return peak / total if total else 1.0


def beside_temporary(jobs: list[Job], costs: Mapping[str, RuleCost]) -> float:
    """Return the share of the outputs that stay that were there when the last temporary store was no longer needed."""
    stores = [path for job in jobs for path in job.outputs if _TEMPORARY_STORE.fullmatch(path)]
    last = max((needed_until(jobs, path) for path in stores), default=0.0)
    stays = [(job.end or 0.0, costs[job.rule].kept_mb + costs[job.rule].store_mb) for job in jobs]
    total = sum(size for _, size in stays)
    return sum(size for end, size in stays if end <= last) / total if total else 1.0


def shares_of_disk(jobs: list[Job], costs: Mapping[str, RuleCost]) -> dict[str, float]:
    """Return the shares from which the disk space of a run follows."""
    return {STORES_AT_ONCE: stores_at_once(jobs, costs), BESIDE_TEMPORARY: beside_temporary(jobs, costs)}


def needed_until(jobs: Iterable[Job], path: str) -> float:
    """Return when the last job ended that made or read a file."""
    return max((job.end or 0.0 for job in jobs if path in job.inputs or path in job.outputs), default=0.0)


def sizes_known(edition: str) -> dict[str, float]:
    """Return the sizes of a run's corpora that its edition does not state."""
    corpora = Path(f"resources/{edition}/corpora")
    trees = {
        f"{part}_sentences": len(re.findall(r"\n\n", (corpora / f"treebank/{part}.conllu").read_text("utf-8")))
        for part in ("train", "dev")
    }
    return {"articles": len((corpora / "wikipedia.jsonl").read_text("utf-8").splitlines()), **trees}


def sizes_of(edition: Edition) -> dict[str, float]:
    """Return the sizes of a run that costs grow with, averaged over encoders, tasks and controls."""
    sizes = EditionSizes(edition, sizes_known(edition.name))
    names = sizes.of(next(iter(edition.models)), edition.tasks[0] if edition.tasks else None, False)
    return {name: sizes.average([name]) for name in names}


def growth(sizes: Mapping[str, float]) -> Mapping[str, float]:
    """Return the factor by which each size has grown since the recorded run; 1 for sizes that are not recorded."""
    before = read_sizes()
    return defaultdict(lambda: 1.0, {name: sizes[name] / before[name] for name in sizes if before.get(name)})


def edges_of(jobs: Iterable[Job]) -> Iterator[tuple[str, str]]:
    """Yield pairs of rules: a job of the second reads what a job of the first makes."""
    jobs = list(jobs)
    made_by = {path: job.rule for job in jobs for path in job.outputs}
    yield from {(made_by[path], job.rule) for job in jobs for path in job.inputs if path in made_by}


def machine() -> str:
    """Return the processor of this machine, as Linux names it, and the number of its cores."""
    cpuinfo = Path("/proc/cpuinfo")
    named = re.search(r"model name\s*: (.*)", cpuinfo.read_text(encoding="utf-8")) if cpuinfo.exists() else None
    return f"{named[1].strip() if named else platform.machine()}, {os.cpu_count()} cores"


def write_rows(path: Path, rows: Iterable[Mapping[str, object]]) -> None:
    """Write rows as CSV."""
    rows = list(rows)
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, rows[0], lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def wall_seconds(jobs: Iterable[Job]) -> float:
    """Return the time from the first job's start to the last job's end."""
    jobs = list(jobs)
    return max(job.end or 0 for job in jobs) - min(job.start for job in jobs)


def cores_in_use(jobs: Iterable[Job], cores: int | None) -> float:
    """Return the share of the cores' time in which they ran jobs. Snakemake needs the rest, or jobs wait for others."""
    jobs = list(jobs)
    return min(1.0, sum(job.seconds for job in jobs) / (wall_seconds(jobs) * (cores or 1)))


def at_average_sizes(cost: RuleCost, ratio: float) -> RuleCost:
    """Return the cost of a job if each size were the average of the run.

    ``ratio`` is the average of the product of the sizes by the product of their averages. A control has more encoders,
    which read less text, so that the two differ.
    """
    start = min(START_SECONDS, cost.seconds)
    return replace(cost, seconds=start + (cost.seconds - start) / ratio)


def record(edition: Edition, jobs: list[Job], cores: int | None) -> None:
    """Write the costs and sizes of a run."""
    sizes = sizes_of(edition)
    costs = costs_of(jobs, read_costs(), growth(sizes))
    ratio = Forecast(EditionSizes(edition, sizes_known(edition.name)), recorded=sizes).ratio
    costs |= {rule: at_average_sizes(costs[rule], ratio(costs[rule].grows_with)) for rule in {job.rule for job in jobs}}
    sizes |= shares_of_disk(jobs, costs) | {CORES_IN_USE: cores_in_use(jobs, cores)}
    write_costs(costs)
    write_rows(RECORDED_SIZES, ({"size": name, "value": f"{sizes[name]:.10g}"} for name in sorted(sizes)))


def write_costs(costs: Mapping[str, RuleCost]) -> None:
    """Write the table of costs."""
    write_rows(
        COSTS,
        (
            {
                "rule": rule,
                "seconds": f"{cost.seconds:.1f}",
                "grows_with": " ".join(cost.grows_with),
                "memory_mb": f"{cost.memory_mb:.0f}",
                "kept_mb": f"{cost.kept_mb:.2f}",
                "store_mb": f"{cost.store_mb:.2f}",
                "temporary_mb": f"{cost.temporary_mb:.2f}",
                "output_grows_with": " ".join(cost.output_grows_with),
            }
            for rule, cost in sorted(costs.items())
        ),
    )


def measure(edition: Edition, jobs: list[Job], cores: int | None, configfiles: list[str]) -> None:
    """Add a run to the table of measured runs, and print it beside its forecast."""
    costs = costs_of(jobs, read_costs(), growth(sizes_of(edition)))
    by_rule = Counter(job.rule for job in jobs)
    forecast = Forecast(EditionSizes(edition, read_sizes()))
    of_run = shares_of_disk(jobs, costs)
    in_proportion = {rule: replace(cost, output_grows_with=()) for rule, cost in costs.items()}
    disk = Forecast(forecast.sizes, in_proportion, of_run).disk_mb(by_rule)
    row = {
        "edition": edition.name,
        "configfiles": " ".join(configfiles),
        "jobs": len(jobs),
        "cores": cores or 1,
        "minutes": f"{wall_seconds(jobs) / 60:.1f}",
        "longest_minutes": "",
        "gigabytes": f"{disk / 1000:.2f}",
        "machine": machine(),
    }
    with MEASURED.open(encoding="utf-8", newline="") as file:
        runs = list(csv.DictReader(file))
    others = [run for run in runs if (run["edition"], run["configfiles"]) != (row["edition"], row["configfiles"])]
    write_rows(MEASURED, [*others, row])
    ahead = forecast.wall_seconds(by_rule, cores or 1, edges_of(jobs)) / 60
    print(f"measured: {row}\nforecast: {ahead:.1f} minutes, {forecast.disk_mb(by_rule) / 1000:.2f} gigabytes")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--measure", action="store_true")
    parser.add_argument("--configfile", nargs="+", default=[])
    arguments = parser.parse_args()
    config: dict = {}
    for path in (PROJECT / "config.yaml", *map(Path, arguments.configfile)):
        update_config(config, yaml.safe_load(path.read_text(encoding="utf-8")))
    edition = Edition(config, PROJECT)
    found = newest_complete_run(edition.name)
    if found is None:
        print(f"No complete run of edition {edition.name} is in .snakemake/log: nothing is recorded.", file=sys.stderr)
        return
    jobs, cores = found
    if arguments.measure:
        measure(edition, jobs, cores, arguments.configfile)
    else:
        record(edition, jobs, cores)


if __name__ == "__main__":
    main()
