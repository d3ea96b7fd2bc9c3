"""The results from ``results.yaml``, here and in the papers' folders: what every table, figure and printed table is."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import ClassVar, Literal

from bert_attention.errors import InputError, nearest
from bert_attention.yaml_files import misfits, read_yaml

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
    "words": InputKind("bert_attention.corpora.segment_words.read_words", "{model}/corpora/segment_words.jsonl"),
    "ranks": InputKind("bert_attention.corpora.token_frequency.load_ranks", "{model}/corpora/token_ranks.npy"),
    "classifier": InputKind(
        "bert_attention.models.pattern_classifier.read_classifier", "pattern_classifier.safetensors"
    ),
    "table": InputKind("bert_attention.statistics.tables.read_replicates"),
}


@dataclass(frozen=True)
class Input:
    """Input of an analysis, as an entry names it: its kind, and its name if there are several of the kind."""

    written: ClassVar[type] = str

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
    per: Literal["model", "edition", "translation_model"] = "model"
    analysis: str | None = None
    units: Mapping[str, Input] = field(default_factory=dict)
    inputs: Mapping[str, Input] = field(default_factory=dict)
    kwargs: Sequence[str] = ()
    for_each: Literal["task", "pair_task"] | None = None
    co_produced_by: str | None = None
    needs: Literal["mixing", "neurons"] | None = None
    control: bool = False
    corpus: str = ""
    finetuned: str | None = None

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
    per: Literal["model", "edition"] = "model"
    corpora: Sequence[str] = ()
    parsed: bool = False
    counted: Mapping[str, object] | None = None
    published: Mapping[str, str] = field(default_factory=dict)
    opening: bool = False


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
class Comparison:
    """A folder that compares the encoders of an edition, by results of some papers."""

    title: str
    of: Sequence[str]  # the short names of the papers whose results it compares


@dataclass(frozen=True)
class _StoreEntry:
    """The entry of an attention store that one paper reads."""

    arrays: Literal["attention", "norms", "mixing"]
    masked_share: float = 0  # the share of masked tokens


@dataclass(frozen=True)
class Store(_StoreEntry):
    """An attention store that one paper reads."""

    paper: str = ""


@dataclass(frozen=True)
class _File:
    """The keys of a file. The head of ``results.yaml`` describes them."""

    papers: Sequence[str] = ()
    title: str = ""
    segment_ids: Literal["zeros", "pair"] = "zeros"
    running_text: Literal["attention", "norms"] = "attention"
    stores: Mapping[str, _StoreEntry] = field(default_factory=dict)
    compares: Sequence[str] = ()
    fractions: Sequence[str] = ()
    correlations: Sequence[str] = ()
    measured_in: Mapping[str, Sequence[str]] = field(default_factory=dict)
    columns: Mapping[str, str] = field(default_factory=dict)
    tables: Mapping[str, Table] = field(default_factory=dict)
    figures: Mapping[str, Figure] = field(default_factory=dict)
    printed_tables: Mapping[str, PrintedTable] = field(default_factory=dict)


@dataclass(frozen=True)
class Results:
    """All results by name, in the order of the files, and keys about several of them. Kinds may share a name."""

    papers: Mapping[str, str]  # titles by short name
    comparisons: Mapping[str, Comparison]
    segment_ids: Mapping[str, str]  # those of a paper's own code, by paper
    running_text: Mapping[str, str]  # the arrays that a paper reads of the attention to running text, by paper
    stores: Mapping[str, Store]  # stores that one paper reads, by name
    fractions: Sequence[str]
    correlations: Sequence[str]
    measured_in: Mapping[str, Sequence[str]]
    columns: Mapping[str, Mapping[str, str]]  # meanings of columns by paper, and under "" those of all papers
    tables: Mapping[str, Table]
    figures: Mapping[str, Figure]
    printed_tables: Mapping[str, PrintedTable]

    @property
    def shown(self) -> dict[str, Figure | PrintedTable]:
        """Figures and printed tables."""
        return {**self.figures, **self.printed_tables}

    @property
    def opening(self) -> str:
        """Name of the figure that opens the results page; empty if no paper has it."""
        return next((name for name, figure in self.figures.items() if figure.opening), "")

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

    def needs(self, name: str) -> set[str]:
        """Return the analyses that an encoder's family must have for a table, figure or printed table."""
        tables = [self.tables[table] for table in ([name] if name in self.tables else self.shown[name].tables)]
        makers = [self.tables[entry.co_produced_by] if entry.co_produced_by else entry for entry in tables]
        return {maker.needs for maker in makers if maker.needs}

    def meaning(self, table: str, column: str) -> str:
        """Return the meaning of a table's column, or an empty text if no file says it."""
        own, shared = self.columns.get(table.partition("_")[0], {}), self.columns[""]
        names = (f"{table}.{column}", column)
        return next((meanings[name] for meanings in (own, shared) for name in names if name in meanings), "")


@cache
def results(path: Path = RESULTS_YAML, papers: Path = PAPERS) -> Results:
    """Read the results in a file and in the ``results.yaml`` of each paper's folder below ``papers``.

    Raise InputError if a file is not YAML, an entry lacks a key, has an unknown key or a value of the wrong type, names
    an unlisted table or is inconsistent, or two entries have one name. The message has a line for each problem.
    """
    own = sorted(papers.glob("*/results.yaml"))
    contents = {file: read_yaml(file) or {} for file in (path, *own)}
    _check(f"{file}: {problem}" for file, content in contents.items() for problem in misfits(content, _File))
    _check(f"{file}: {problem}" for file in own for problem in _problems_of_folder(contents[file]))
    _check(_problems(contents))
    shared, parts = contents[path], {file.parent.name: contents[file] for file in own}
    order = [name for name in shared.get("papers", ()) if name in parts]
    parts = {name: parts[name] for name in dict.fromkeys([*order, *parts])}
    entries = {kind: _merged(kind, [*parts.values(), shared]) for kind in _KINDS}
    every = [shared, *parts.values()]
    compares, titles = _by_paper("compares", parts), _by_paper("title", parts)
    stores = _by_paper("stores", parts)
    return Results(
        papers={paper: title for paper, title in titles.items() if paper not in compares},
        comparisons={name: Comparison(titles[name], papers) for name, papers in compares.items()},
        segment_ids=_by_paper("segment_ids", parts),
        running_text=_by_paper("running_text", parts),
        stores={name: Store(paper=paper, **about) for paper, own in stores.items() for name, about in own.items()},
        fractions=_listed("fractions", every),
        correlations=_listed("correlations", every),
        measured_in={
            unit: _listed(unit, [part.get("measured_in", {}) for part in every])
            for unit in _merged("measured_in", every)
        },
        columns=_by_paper("columns", {"": shared, **parts}),
        **{
            kind: {name: cls(**_parsed(entry)) for name, entry in entries[kind].items()} for kind, cls in _KINDS.items()
        },
    )


def _merged(key: str, parts: Iterable[Mapping]) -> dict:
    """Return the entries of several files under a key."""
    return {name: entry for part in parts for name, entry in (part.get(key) or {}).items()}


def _listed(key: str, parts: Iterable[Mapping]) -> list[str]:
    """Return the names that several files list under a key."""
    return [name for part in parts for name in part.get(key, ())]


def _by_paper(key: str, parts: Mapping[str, Mapping]) -> dict:
    """Return what the files of papers have under a key, by paper. Some files lack the key."""
    return {paper: part[key] for paper, part in parts.items() if key in part}


def _parsed(entry: Mapping) -> dict:
    """Return an entry with its inputs parsed."""
    inputs = {key: entry[key] for key in ("units", "inputs") if key in entry}
    return {**entry, **{key: {name: Input.parse(s) for name, s in texts.items()} for key, texts in inputs.items()}}


def _check(problems: Iterable[str]) -> None:
    """Raise InputError if there are problems, with a line for each."""
    listed = "".join(f"\n  - {problem}" for problem in problems)
    if listed:
        remedy = f"correct them: the head of {RESULTS_YAML} describes each key"
        raise InputError("the entries of results", listed, remedy)


def _problems_of_folder(content: Mapping) -> Iterator[str]:
    """Yield what the file of a folder lacks. A folder without a title is no paper: its results are further analyses."""
    if not any(content.get(kind) for kind in _KINDS):
        yield f"has no entries: expected some below {', '.join(_KINDS)}"
    of_papers = [key for key in ("segment_ids", "running_text", "stores", "compares") if key in content]
    if of_papers and not content.get("title"):
        yield f"lacks the key title: expected the title of a paper, because it has {', '.join(of_papers)}"


def _problems(contents: Mapping[Path, Mapping]) -> Iterator[str]:
    """Yield what is inconsistent in the entries of files, whose values have the right types."""
    tables = [name for content in contents.values() for name in content.get("tables", ())]
    seen: dict[tuple[str, str], Path] = {}
    for file, content in contents.items():
        for kind in _KINDS:
            for name, entry in content.get(kind, {}).items():
                where = f"{file}: {kind}: {name}"
                if (kind, name) in seen:
                    yield f"{where}: {seen[kind, name]} has an entry of this name, too: choose another name"
                seen[kind, name] = file
                yield from (f"{where}: {problem}" for problem in _problems_of_entry(entry, tables))


def _problems_of_entry(entry: Mapping, tables: Sequence[str]) -> Iterator[str]:
    for unknown in (each for each in _inputs(entry) if each.kind not in INPUT_KINDS):
        yield f"reads {unknown.kind}: expected one of {', '.join(INPUT_KINDS)}"
    if "units" in entry and not entry.get("statistics"):
        yield "has units, but no statistics: expected at least one"
    for statistic in (name for name in entry.get("statistics", ()) if name not in entry["columns"]):
        yield f"the statistic {statistic} is not one of its columns: {', '.join(entry['columns'])}"
    if "analysis" in entry and entry.get("per", "model") != "model":
        yield f"has an analysis, but per is {entry['per']}: expected model"
    for table in (table for table in _tables_named(entry) if table not in tables):
        guess = nearest(table, tables)
        yield f"no table is named {table}" + (f"; did you mean {guess}?" if guess else "")


def _inputs(entry: Mapping) -> list[Input]:
    """Return the inputs of the analysis of a table."""
    return [Input.parse(text) for key in ("units", "inputs") for text in entry.get(key, {}).values()]


def _tables_named(entry: Mapping) -> Iterator[str]:
    """Yield the tables that an entry reads, and the table whose analysis makes it."""
    yield from entry.get("tables", ())
    yield from (each.name.removeprefix(CONTROL) for each in _inputs(entry) if each.kind == "table")
    if "co_produced_by" in entry:
        yield entry["co_produced_by"]
