"""The results from ``results.yaml``, here and in the papers' folders: what every table, figure and printed table is."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import MISSING, dataclass, field, fields
from functools import cache
from pathlib import Path

import yaml

from bert_attention.errors import InputError, nearest

RESULTS_YAML = Path(__file__).with_name("results.yaml")
PAPERS = Path(__file__).with_name("papers")

# Prefix of the names of tables that are made of random weights.
CONTROL = "control/"

# Folder of the results that are about no single encoder, beside the folders of the encoders.
EDITION_FOLDER = "edition"

# Units of statistics, as the results page prints them. A share is a fraction, printed in percent.
SHARE, POINTS, RANK_CORRELATION = "%", "points", "\N{GREEK SMALL LETTER RHO}"


@dataclass(frozen=True)
class InputKind:
    """A kind of inputs that an analysis can read.

    ``reader`` names the function that reads such a file. The function gets a ``part`` of a corpus whose units are added
    up. ``file`` is the path below ``resources/<edition>/``. Its placeholders ``{model}``, ``{name}`` and ``{task}``
    tell inputs of a kind apart. Attention stores and result tables have no ``file``, but paths of their own.
    """

    reader: str
    file: str = ""


INPUT_KINDS = {
    "attention": InputKind("bert_attention.attention.store.AttentionStore"),
    "trees": InputKind("bert_attention.corpora.conllu.read_trees", "{model}/corpora/{name}.conllu"),
    "documents": InputKind("bert_attention.corpora.corefud.read_documents", "{model}/corpora/{name}.conllu"),
    "examples": InputKind("bert_attention.corpora.jsonlines.read_task_inputs", "{model}/corpora/tasks/{task}.jsonl"),
    "parses": InputKind("bert_attention.corpora.texts.read_texts", "corpora/parsed/{task}.conllu"),
    "ranks": InputKind("bert_attention.corpora.token_frequency.load_ranks", "{model}/corpora/token_ranks.npy"),
    "classifier": InputKind(
        "bert_attention.models.pattern_classifier.read_classifier", "pattern_classifier.safetensors"
    ),
    "table": InputKind("bert_attention.statistics.tables.read_replicates"),
}


@dataclass(frozen=True)
class Input:
    """Input of an analysis, as an entry names it: its kind, and its name if there are several of the kind."""

    kind: str
    name: str = ""

    @classmethod
    def parse(cls, text: str) -> Input:
        """Return the input that an entry names, such as ``attention treebank_dev``."""
        kind, _, name = text.partition(" ")
        return cls(kind, name)


@dataclass(frozen=True)
class Table:
    """Contents and inputs of a result table. The head of ``results.yaml`` describes the keys."""

    description: str
    columns: Sequence[str]
    statistics: Sequence[str] = ()
    per: str = "model"
    analysis: str | None = None
    units: Mapping[str, Input] = field(default_factory=dict)
    inputs: Mapping[str, Input] = field(default_factory=dict)
    kwargs: Sequence[str] = ()
    for_each: str | None = None
    co_produced_by: str | None = None
    control: bool = False
    finetuned: bool = False

    @property
    def all_inputs(self) -> dict[str, Input]:
        """Inputs of the analysis, by argument, with the units first."""
        return {**self.units, **self.inputs}

    @property
    def is_parsed(self) -> bool:
        """Return True if the analysis reads the parser's tags and parses of a task's examples."""
        return any(each.kind == "parses" for each in self.all_inputs.values())


@dataclass(frozen=True)
class Shown:
    """Contents of a figure or printed table, and the result tables that it is made of."""

    label: str
    caption: str
    tables: Sequence[str]
    per: str = "model"
    corpora: Sequence[str] = ()
    parsed: bool = False
    counted: Mapping[str, object] | None = None
    published: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Figure(Shown):
    """A figure."""

    folder = "figures"
    formats = ("pdf", "png")


@dataclass(frozen=True)
class PrintedTable(Shown):
    """A printed table."""

    folder = "tables"
    formats = ("md", "tex", "typ")


_KINDS = {"tables": Table, "figures": Figure, "printed_tables": PrintedTable}


@dataclass(frozen=True)
class Results:
    """All results by name, in the order of the file, and keys about several of them. Kinds may share a name."""

    papers: Mapping[str, str]
    fractions: Sequence[str]
    correlations: Sequence[str]
    measured_in: Mapping[str, Sequence[str]]
    tables: Mapping[str, Table]
    figures: Mapping[str, Figure]
    printed_tables: Mapping[str, PrintedTable]

    @property
    def shown(self) -> dict[str, Figure | PrintedTable]:
        """Figures and printed tables."""
        return {**self.figures, **self.printed_tables}

    def limits(self, table: str, statistic: str) -> tuple[float, float]:
        """Return the lowest and the highest possible value of a statistic."""
        names = {statistic, f"{table}.{statistic}"}
        if not names.isdisjoint(self.fractions):
            return 0, 1
        return (-math.inf, math.inf) if names.isdisjoint(self.correlations) else (-1, 1)

    def unit(self, table: str, statistic: str) -> str:
        """Return the unit of a statistic, or an empty text if it is unknown or differs between rows."""
        units = {SHARE: self.fractions, **self.measured_in}
        names = {f"{table}.{statistic}", statistic}
        return next((unit for unit, statistics in units.items() if not names.isdisjoint(statistics)), "")

    def table(self, name: str) -> Table:
        """Return the entry of a table. A control has the entry of its table."""
        return self.tables[name.removeprefix(CONTROL)]


@cache
def results(path: Path = RESULTS_YAML, papers: Path = PAPERS) -> Results:
    """Read the results in a file and in the ``results.yaml`` of each paper's folder below ``papers``.

    Raise InputError if an entry lacks a key, has an unknown key, names an unlisted table or is inconsistent. The
    message has a line for each problem.
    """
    content = yaml.load(path.read_text(encoding="utf-8"), yaml.CSafeLoader)
    content = _with_papers(content, papers)
    problems = list(_problems(content))
    if problems:
        listed = "".join(f"\n  - {problem}" for problem in problems)
        problem, remedy = (
            f"it or a paper's results.yaml has invalid entries{listed}",
            "correct them: its head describes each key",
        )
        raise InputError(path, problem, remedy)
    return Results(
        papers=content["papers"],
        fractions=content["fractions"],
        correlations=content["correlations"],
        measured_in=content["measured_in"],
        **{
            kind: {name: cls(**_parsed(entry)) for name, entry in content[kind].items()} for kind, cls in _KINDS.items()
        },
    )


def _with_papers(content: Mapping, papers: Path) -> dict:
    """Return the entries with those of the papers, in their order. Folders that are not listed come last."""
    folders = {path.parent.name: path for path in sorted(papers.glob("*/results.yaml"))}
    order = dict.fromkeys([*(name for name in content["papers"] if name in folders), *folders])
    parts = {name: yaml.load(folders[name].read_text(encoding="utf-8"), yaml.CSafeLoader) for name in order}
    entries: dict[str, dict] = {kind: {} for kind in _KINDS}
    for part in [*parts.values(), content]:
        for kind, known in entries.items():
            known.update(part.get(kind) or {})
    titles = {name: part["title"] for name, part in parts.items() if "title" in part}
    return {**content, "papers": titles, **entries}


def _parsed(entry: Mapping) -> dict:
    """Return an entry with its inputs parsed."""
    inputs = {key: entry[key] for key in ("units", "inputs") if key in entry}
    return {**entry, **{key: {name: Input.parse(s) for name, s in texts.items()} for key, texts in inputs.items()}}


def _problems(content: Mapping[str, Mapping[str, Mapping]]) -> Iterator[str]:
    for kind, cls in _KINDS.items():
        known = {entry.name: entry.default is MISSING and entry.default_factory is MISSING for entry in fields(cls)}
        for name, entry in content[kind].items():
            for key in (key for key in entry if key not in known):
                guess = nearest(key, known)
                yield f"{kind}, {name}: the key {key} is unknown" + (f"; did you mean {guess}?" if guess else "")
            for key in (key for key, is_needed in known.items() if is_needed and key not in entry):
                yield f"{kind}, {name}: lacks the key {key}"
            for unknown in (each for each in _inputs(entry) if each.kind not in INPUT_KINDS):
                yield f"{kind}, {name}: reads {unknown.kind}: expected one of {', '.join(INPUT_KINDS)}"
            if "units" in entry and not entry.get("statistics"):
                yield f"{kind}, {name}: has units, but no statistics: expected at least one"
            if "analysis" in entry and entry.get("per", "model") != "model":
                yield f"{kind}, {name}: has an analysis, but per is {entry['per']}: expected model"
            for table in (table for table in _tables_named(entry) if table not in content["tables"]):
                guess = nearest(table, content["tables"])
                yield f"{kind}, {name}: no table is named {table}" + (f"; did you mean {guess}?" if guess else "")


def _inputs(entry: Mapping) -> list[Input]:
    """Return the inputs of the analysis of a table."""
    return [Input.parse(text) for key in ("units", "inputs") for text in entry.get(key, {}).values()]


def _tables_named(entry: Mapping) -> Iterator[str]:
    """Yield the tables that an entry reads, and the table whose analysis makes it."""
    yield from entry.get("tables", ())
    yield from (each.name.removeprefix(CONTROL) for each in _inputs(entry) if each.kind == "table")
    if "co_produced_by" in entry:
        yield entry["co_produced_by"]
