"""Forecast of a run: its time, memory and disk space, from a recorded run and the sizes of both editions.

``costs.csv`` has a row for each rule: the cost of its jobs in the recorded run, and the sizes that the cost grows with.
``recorded_sizes.csv`` has these sizes in the recorded run. ``docs/record_costs.py`` writes both files. The start of a
job takes the same time in every edition. The rest is multiplied by the ratio of this edition's sizes to the recorded
sizes.
"""

from __future__ import annotations

import csv
import os
import shutil
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import product
from math import ceil, prod
from pathlib import Path

from bert_attention.downloads.sources import is_downloaded, locate, parse_source
from bert_attention.errors import InputError
from bert_attention.models.config_file import read_config
from bert_attention.results import CONTROL
from bert_attention.running.edition import Edition
from bert_attention.running.gpus import has_gpu
from bert_attention.running.stages import count_by_stage

COSTS = Path(__file__).with_name("costs.csv")
RECORDED_SIZES = Path(__file__).with_name("recorded_sizes.csv")

START_SECONDS = 3.0  # the time of a job that is the same in every edition: Snakemake, Python and the imports
START_MEGABYTES = 500.0  # the memory of a job after the imports
# Rows of recorded_sizes.csv: the largest share of the attention stores that were needed at the same time, the share of
# all other outputs that were there when the last temporary store went, and the share of the cores' time in which they
# ran jobs.
STORES_AT_ONCE = "stores_at_once"
BESIDE_TEMPORARY = "beside_temporary"
CORES_IN_USE = "cores_in_use"

# Examples of a task for training and for validation, as published. They matter if an edition takes all.
_TASK_EXAMPLES = {
    "mrpc": (3_668, 408),
    "rte": (2_490, 277),
    "stsb": (5_749, 1_500),
    "sst2": (67_349, 872),
    "qnli": (104_743, 5_463),
    "mnli": (392_702, 19_647),
    "qqp": (363_846, 40_430),
}
_UNKNOWN_TASK = (10_000, 2_000)
# How much of a size the control reads at most, by the key of the edition.
_READ_BY_CONTROL = {"segments": "segments", "dev_sentences": "sentences", "analyzed": "examples"}
# Sentences of the English Web Treebank, assumed of a treebank of which all are taken.
_TREEBANK_SENTENCES = {"train": 12_544, "dev": 2_001}


@dataclass(frozen=True)
class Shape:
    """Shape of an encoder. ``is_assumed`` is True if its ``config.json`` is not on this machine."""

    layers: int = 12
    heads: int = 12
    width: int = 768
    vocabulary: int = 30_522
    is_assumed: bool = False


@dataclass(frozen=True)
class RuleCost:
    """Cost of a job of a rule, on average: in the recorded run, or in an earlier run that had such jobs."""

    seconds: float  # processor time of a job, its start included
    grows_with: tuple[str, ...] = ()  # sizes that time and memory grow with; a name that stands twice counts squared
    memory_mb: float = START_MEGABYTES  # the largest memory of a job
    kept_mb: float = 0.0  # output files that stay
    store_mb: float = 0.0  # attention stores, which stay only if the edition keeps them
    temporary_mb: float = 0.0  # attention stores of random encoders and sums of passes, which never stay
    output_grows_with: tuple[str, ...] = ()  # sizes that the output grows with


def read_costs(path: Path = COSTS) -> dict[str, RuleCost]:
    """Return the recorded cost of each rule."""
    with path.open(encoding="utf-8", newline="") as file:
        return {
            row["rule"]: RuleCost(
                float(row["seconds"]),
                tuple(row["grows_with"].split()),
                float(row["memory_mb"]),
                float(row["kept_mb"]),
                float(row["store_mb"]),
                float(row["temporary_mb"]),
                tuple(row["output_grows_with"].split()),
            )
            for row in csv.DictReader(file)
        }


def read_sizes(path: Path = RECORDED_SIZES) -> dict[str, float]:
    """Return the sizes of the recorded run by name."""
    with path.open(encoding="utf-8", newline="") as file:
        return {row["size"]: float(row["value"]) for row in csv.DictReader(file)}


def shape_of(edition: Edition, model: str) -> Shape:
    """Return the shape of an encoder, or bert-base's shape if the encoder is not on this machine."""
    source = edition.origin("models", model)["source"]
    try:
        if parse_source(source).is_remote and not is_downloaded(source):
            return Shape(is_assumed=True)
        config = read_config(locate(source))
    except (InputError, OSError):  # preflight reports a missing model
        return Shape(is_assumed=True)

    def number(default: int, *names: str) -> int:
        return next((config[name] for name in names if isinstance(config.get(name), int)), default)

    return Shape(
        number(12, "num_hidden_layers", "n_layers"),
        number(12, "num_attention_heads", "n_heads"),
        number(768, "hidden_size", "dim"),
        number(30_522, "vocab_size"),
    )


class EditionSizes:
    """The sizes of an edition that costs grow with, for each encoder and task."""

    def __init__(self, edition: Edition, known: Mapping[str, float]):
        """Collect the sizes of an edition.

        ``known`` are sizes of the recorded run. They replace sizes that only a job finds out, such as the length of the
        text.
        """
        self.edition = edition
        self._known = known
        self.shapes = {model: shape_of(edition, model) for model in edition.models}

    def of(self, model: str, task: str | None, is_control: bool) -> dict[str, float]:
        """Return the sizes by name for a job of an encoder, a task and the control or the encoder itself."""
        shape, settings = self.shapes[model], self.edition.config
        corpora, seeds = settings["corpora"], settings["fine_tuning"]["seeds"]
        sentences = {part: self._sentences(part) for part in ("train", "dev")}
        text = corpora["wikipedia"]
        sizes = {
            "compute": shape.layers * shape.width**2,
            "maps": shape.layers * shape.heads,
            "weights": shape.vocabulary * shape.width + 12 * shape.layers * shape.width**2,
            "segments": text["segments"],
            "wordpieces": text["max_wordpieces"],
            "articles": min(text["articles"] or self._known["articles"], self._known["articles"]),
            "sentences": sum(sentences.values()),
            "train_sentences": sentences["train"],
            "dev_sentences": sentences["dev"],
            "head_segments": settings["mlm_head"]["segments"] * settings["mlm_head"]["epochs"],
            "tasks": len(self.edition.tasks),
            "tuned_models": len(seeds["pretrained"]) + len(seeds["random"]),
            "encoders": settings["control"]["seeds"] if is_control else 1,
            "translation_models": len(self.edition.translation_models),
            "training_pairs": corpora["stand_ins"]["translations"]["train"],
            "training_effort": settings["training_effort"],
            **self._of_task(task),
        }
        read = {size: settings["control"][units] for size, units in _READ_BY_CONTROL.items() if is_control}
        return sizes | {size: min(most or sizes[size], sizes[size]) for size, most in read.items()}

    def average(self, names: Collection[str], wildcards: Mapping[str, object] | None = None) -> float:
        """Return the product of sizes, averaged over the encoders, tasks and controls that wildcards leave open."""
        if not names:
            return 1.0
        wildcards = wildcards or {}
        models = [str(wildcards["model"])] if wildcards.get("model") in self.shapes else list(self.shapes)
        tasks = [str(wildcards["task"])] if wildcards.get("task") in self.edition.tasks else self.edition.tasks
        of_control = [str(wildcards[key]).startswith(CONTROL) for key in ("control", "table") if key in wildcards]
        # A rule without this wildcard is about the encoder alone, unless its jobs run a number of encoders.
        either = [False, True] if "encoders" in names else [False]
        cases = list(product(models, tasks or [None], of_control or either))
        return sum(prod(self.of(*case)[name] for name in names) for case in cases) / len(cases)

    def _sentences(self, part: str) -> float:
        treebank = self.edition.config["corpora"]["treebank"]
        return treebank["sentences"][part] or (
            _TREEBANK_SENTENCES[part] if treebank["trees"] == "gold" else self._known[f"{part}_sentences"]
        )

    def _of_task(self, task: str | None) -> dict[str, float]:
        """Return the numbers of a task's examples: trained on, over all epochs; for validation; and three samples."""
        if task is None:
            return dict.fromkeys(("trained_examples", "examples", "analyzed", "disabled", "padded"), 0)
        settings, sizes = self.edition.fine_tuning_on(task), self.edition.config["corpora"]["task_examples"]
        all_train, all_dev = _TASK_EXAMPLES.get(task, _UNKNOWN_TASK)
        train = min(settings["examples"] or all_train, all_train)
        dev = min(sizes["dev"] or all_dev, all_dev)
        epochs = max(settings["epochs"], ceil((settings["examples_seen"] or 0) / train))
        samples = {name: min(sizes[name] or dev, dev) for name in ("analyzed", "disabled")}
        padded = min(sizes["padded"] or samples["analyzed"], samples["analyzed"])
        return {"trained_examples": train * epochs, "examples": dev, "padded": padded, **samples}


@dataclass(frozen=True)
class Forecast:
    """Forecast of the jobs of an edition on a CPU."""

    sizes: EditionSizes
    costs: Mapping[str, RuleCost] = field(default_factory=read_costs)
    recorded: Mapping[str, float] = field(default_factory=read_sizes)

    @cached_property
    def _unknown(self) -> RuleCost:
        return RuleCost(START_SECONDS)

    def ratio(self, names: Collection[str], wildcards: Mapping[str, object] | None = None) -> float:
        """Return the product of sizes in this edition, divided by their product in the recorded run."""
        return self.sizes.average(names, wildcards) / prod(self.recorded[name] for name in names)

    def seconds(self, rule: str, wildcards: Mapping[str, object] | None = None) -> float:
        """Return the processor time of a job. Without wildcards, it is the average over the jobs of the rule."""
        cost = self.costs.get(rule, self._unknown)
        start = min(START_SECONDS, cost.seconds)
        return start + (cost.seconds - start) * self.ratio(cost.grows_with, wildcards)

    def total_seconds(self, jobs: Mapping[str, int]) -> float:
        """Return the sum of the processor times of jobs, given their number by rule."""
        return sum(number * self.seconds(rule) for rule, number in jobs.items())

    def wall_seconds(self, jobs: Mapping[str, int], cores: int, edges: Iterable[tuple[str, str]] = ()) -> float:
        """Return the least wall time of a run: all jobs shared among the cores, or the longest chain of jobs.

        ``jobs`` has the number of jobs by rule, in an order in which they can run. Of each pair of rules in ``edges``,
        the jobs of the second wait for the jobs of the first.
        """
        in_use = self.recorded[CORES_IN_USE] if cores > 1 else 1.0
        return max(self.total_seconds(jobs) / (cores * in_use), self._longest_chain(jobs, edges))

    def _longest_chain(self, jobs: Mapping[str, int], edges: Iterable[tuple[str, str]]) -> float:
        """Return the time of the longest chain of jobs, one of each rule.

        Rules can wait for each other in a circle, because some make several tables. Only edges to later rules count.
        """
        waits_for: dict[str, set[str]] = {}
        for before, after in edges:
            waits_for.setdefault(after, set()).add(before)
        until: dict[str, float] = {}
        for rule in jobs:
            ends = (until[before] for before in waits_for.get(rule, ()) if before in until)
            until[rule] = self.seconds(rule) + max(ends, default=0.0)
        return max(until.values(), default=0.0)

    def memory_mb(self, jobs: Collection[str]) -> float:
        """Return the memory of the largest job."""
        return max((self._memory_mb(rule) for rule in jobs), default=0.0)

    def _memory_mb(self, rule: str) -> float:
        """Return the memory of a job. It grows with the encoder, and not with the corpus, which jobs read in parts.

        If the encoder runs, memory grows with the root of the arithmetic: activations grow with the encoder's width,
        and arithmetic with its square.
        """
        cost = self.costs.get(rule, self._unknown)
        runs_encoder = "compute" in cost.grows_with
        growth = self.ratio(["compute"]) ** 0.5 if runs_encoder else self.ratio({"maps"} & set(cost.grows_with))
        start = min(START_MEGABYTES, cost.memory_mb)
        return start + (cost.memory_mb - start) * growth

    def disk_mb(self, jobs: Mapping[str, int]) -> float:
        """Return the disk space that the outputs of jobs need when they need most."""
        kept = stores = temporary = 0.0
        for rule, number in jobs.items():
            cost = self.costs.get(rule, self._unknown)
            outputs = number * self.ratio(cost.output_grows_with)
            kept, stores = kept + outputs * cost.kept_mb, stores + outputs * cost.store_mb
            temporary += outputs * cost.temporary_mb
        if self.sizes.edition.config["keep_attention"] == "own":
            stays, passing = kept + stores, temporary
        else:
            stays, passing = kept, (stores + temporary) * self.recorded[STORES_AT_ONCE]
        return max(stays, stays * self.recorded[BESIDE_TEMPORARY] + passing)

    def line(self, jobs: Mapping[str, int], time: str, free_mb: float | None) -> str:
        """Return the forecast in a line, and what it assumes.

        ``time`` is the forecast time in words. ``free_mb`` is the free disk space, or None if the outputs go elsewhere.
        """
        number = sum(jobs.values())
        counted = f"{number} job{'s' if number != 1 else ''}"
        return "; ".join([f"{counted}, {time}, {self.disk(jobs, free_mb)}", *self.assumptions()])

    def disk(self, jobs: Mapping[str, int], free_mb: float | None) -> str:
        """Return the disk space that jobs need, and the free disk space if it is known."""
        return gigabytes(self.disk_mb(jobs)) + ("" if free_mb is None else f" ({gigabytes(free_mb)} free)")

    def assumptions(self) -> Iterator[str]:
        """Yield what the forecast time assumes."""
        assumed = [model for model, shape in self.sizes.shapes.items() if shape.is_assumed]
        if assumed:
            yield f"counts {', '.join(assumed)} as an encoder of bert-base's size until it is downloaded"
        if self.sizes.edition.config["device"] != "cpu" and has_gpu():
            yield "without the GPU, with which the encoder is faster"

    def warnings(self, jobs: Mapping[str, int], memory_mb: float | None, free_mb: float | None) -> Iterator[str]:
        """Yield warnings that memory or disk space will not suffice. A limit that is None is unknown."""
        largest = max(jobs, key=self._memory_mb, default="")
        if memory_mb is not None and largest and self._memory_mb(largest) > memory_mb:
            yield (
                f"memory: rule {largest} needs about {gigabytes(self._memory_mb(largest))}, but "
                f"{gigabytes(memory_mb)} are available; end other programs, take a smaller encoder, or run elsewhere"
            )
        needed = self.disk_mb(jobs)
        if free_mb is not None and needed > free_mb:
            keeps = self.sizes.edition.config["keep_attention"] != "none"
            remedy = "set keep_attention: none, or free disk space" if keeps else "free disk space"
            yield f"disk: the run needs about {gigabytes(needed)}, but {gigabytes(free_mb)} are free; {remedy}"


def gigabytes(megabytes: float) -> str:
    """Return a size in GB, as people say it: 0.4 GB, 3.1 GB, 57 GB."""
    size = megabytes / 1000
    return f"{size:.0f} GB" if size >= 9.95 else f"{max(size, 0.1):.1f} GB".replace(".0 GB", " GB")


def duration(seconds: float) -> str:
    """Return a duration, as people say it: less than a minute, about 19 minutes, about 5 hours, about 3 days."""
    if seconds < 50:
        return "less than a minute"
    for limit, unit, name in ((5400, 60, "minute"), (129_600, 3600, "hour")):
        if seconds < limit:
            number = max(1, round(seconds / unit))
            return f"about {number} {name}{'s' if number > 1 else ''}"
    return f"about {round(seconds / 86_400)} days"


def free_disk_mb(folder: Path | str = "resources") -> float:
    """Return the free disk space where a folder is, or will be."""
    path = Path(folder).absolute()
    existing = next(place for place in (path, *path.parents) if place.exists())
    return shutil.disk_usage(existing).free / 1e6


def available_memory_mb() -> float:
    """Return the memory that programs can still take on this machine."""
    import psutil  # noqa: PLC0415 (only the run's main process needs it)

    return psutil.virtual_memory().available / 1e6


@dataclass
class RunForecast:
    """Forecast of this run. Snakemake tells its logger plugin, and not the workflow, which jobs will run.

    ``of_dry_run`` is the number of jobs by rule, and the edges, of a dry run, after the plugin has told them.
    """

    forecast: Forecast
    stages: Mapping[str, str] = field(default_factory=dict)  # by rule, as in :func:`.stages_of_rules`
    has_shared_disk: bool = True  # False for object storage, so that this machine's disk says nothing
    of_dry_run: tuple[Mapping[str, int], Collection[tuple[str, str]]] | None = None

    def lines(self, jobs: Mapping[str, int], cores: int | None, edges: Collection[tuple[str, str]] = ()) -> list[str]:
        """Return the forecast of jobs and its warnings, a line each.

        Jobs and edges are as in :meth:`Forecast.wall_seconds`. ``cores`` are those of this machine that the run uses,
        or None if jobs run elsewhere.
        """
        line = self.forecast.line(jobs, self._time(jobs, cores, edges), self._free_mb())
        return [line, *self._warnings(jobs, None if cores is None else available_memory_mb())]

    def summary_of_dry_run(self, cores: int, missing: str) -> list[str]:
        """Return what a dry run plans, in five lines and its warnings; no lines if it has no jobs.

        Without ``--cores``, a dry run has one core, wherever its jobs would run. The summary then names all cores.
        ``missing`` is the message on all that the run lacks, or empty.
        """
        if self.of_dry_run is None:
            return []
        jobs, edges = self.of_dry_run
        here, memory = os.cpu_count() or 1, available_memory_mb()
        time = self._time(jobs, cores, edges)
        if cores == 1 < here:
            time = f"{self._time(jobs, None, edges)}, or {self._time(jobs, here, edges)}"
        return [
            f"Jobs:    {sum(jobs.values())} ({count_by_stage(jobs, self.stages)})",
            f"Time:    {'; '.join([time, *self.forecast.assumptions()])}",
            f"Disk:    {self.forecast.disk(jobs, self._free_mb())}",
            f"Memory:  {gigabytes(self.forecast.memory_mb(jobs))} for the largest job ({gigabytes(memory)} available)",
            f"Missing: {missing or 'nothing'}",
            *self._warnings(jobs, memory),
        ]

    def _free_mb(self) -> float | None:
        return free_disk_mb() if self.has_shared_disk else None

    def _warnings(self, jobs: Mapping[str, int], memory_mb: float | None) -> list[str]:
        return [f"WARNING {text}" for text in self.forecast.warnings(jobs, memory_mb, self._free_mb())]

    def _time(self, jobs: Mapping[str, int], cores: int | None, edges: Collection[tuple[str, str]]) -> str:
        if cores is None:
            return f"{duration(self.forecast.total_seconds(jobs))} of one core"
        wall = self.forecast.wall_seconds(jobs, cores, edges)
        return f"{duration(wall)} on {cores} core{'s' if cores > 1 else ''}"


_OF_THIS_RUN: list[RunForecast] = []


def prepare_forecast(edition: Edition, stages: Mapping[str, str], has_shared_disk: bool = True) -> RunForecast:
    """Return the forecast of this run, for the logger plugin in the same process as well.

    ``stages`` are the stages of the rules (:func:`.stages_of_rules`).
    """
    recorded = read_sizes()
    forecast = Forecast(EditionSizes(edition, recorded), read_costs(), recorded)
    _OF_THIS_RUN[:] = [RunForecast(forecast, stages, has_shared_disk)]
    return _OF_THIS_RUN[0]


def forecast_of_this_run() -> RunForecast | None:
    """Return the forecast of this run, or None if the workflow has not prepared one."""
    return _OF_THIS_RUN[0] if _OF_THIS_RUN else None
