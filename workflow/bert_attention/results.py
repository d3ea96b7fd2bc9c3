"""The results: every table, figure and printed table, what each holds and what it is made of, from ``results.yaml``."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import MISSING, dataclass, field, fields
from functools import cache
from pathlib import Path

import yaml

from bert_attention.errors import InputError, nearest

RESULTS_YAML = Path(__file__).with_name("results.yaml")

# Begins the name of a table of the encoder with random weights.
CONTROL = "control/"

# What an analysis can be given, by the first word of an entry's `units` and `reads`: the function that reads it. Of a
# corpus whose units are added up it reads a `part`.
READERS = {
    "attention": "bert_attention.attention.store.open_store",
    "trees": "bert_attention.corpora.conllu.read_trees",
    "documents": "bert_attention.corpora.corefud.read_documents",
    "examples": "bert_attention.corpora.jsonlines.read_task_inputs",
    "parses": "bert_attention.corpora.texts.read_texts",
    "ranks": "bert_attention.corpora.token_frequency.load_ranks",
    "classifier": "bert_attention.models.pattern_classifier.read_classifier",
    "table": "bert_attention.statistics.tables.read_replicates",
}


@dataclass(frozen=True)
class Table:
    """What a result table holds, and how it is made; the keys are described at the head of ``results.yaml``."""

    description: str
    columns: Sequence[str]
    statistics: Sequence[str] = ()
    per: str = "model"
    analysis: str | None = None
    units: Mapping[str, str] = field(default_factory=dict)
    reads: Mapping[str, str] = field(default_factory=dict)
    given: Sequence[str] = ()
    of_each: str | None = None
    made_with: str | None = None
    control: bool = False
    finetuned: bool = False

    @property
    def sources(self) -> dict[str, str]:
        """What its analysis is given, by argument: the units first."""
        return {**self.units, **self.reads}


@dataclass(frozen=True)
class Shown:
    """What a figure or printed table shows, and which tables it is made of."""

    label: str
    caption: str
    tables: Sequence[str]
    per: str = "model"
    corpora: Sequence[str] = ()
    counted: Mapping[str, object] | None = None


@dataclass(frozen=True)
class Figure(Shown):
    """A figure."""

    published_curves: bool = False

    folder = "figures"
    formats = ("pdf", "png")


@dataclass(frozen=True)
class PrintedTable(Shown):
    """A printed table."""

    published_rows: Mapping[str, str] = field(default_factory=dict)
    published_values: Mapping[str, str] = field(default_factory=dict)

    folder = "tables"
    formats = ("md", "tex", "typ")


_KINDS = {"tables": Table, "figures": Figure, "printed_tables": PrintedTable}


@dataclass(frozen=True)
class Results:
    """All results by name, in the order of the file (a table and a figure may share one), and what is said of all."""

    papers: Mapping[str, str]
    fractions: Sequence[str]
    correlations: Sequence[str]
    tables: Mapping[str, Table]
    figures: Mapping[str, Figure]
    printed_tables: Mapping[str, PrintedTable]

    @property
    def shown(self) -> dict[str, Figure | PrintedTable]:
        """Figures and printed tables."""
        return {**self.figures, **self.printed_tables}

    def limits(self, table: str, statistic: str) -> tuple[float, float]:
        """The numbers between which a statistic of a table is by its nature."""
        names = {statistic, f"{table}.{statistic}"}
        if not names.isdisjoint(self.fractions):
            return 0, 1
        return (-math.inf, math.inf) if names.isdisjoint(self.correlations) else (-1, 1)

    def made_by(self, name: str) -> list[str]:
        """The tables that the analysis of a table makes: itself first."""
        own = name.removeprefix(CONTROL)
        prefix = name.removesuffix(own)
        return [name, *(prefix + other for other, table in self.tables.items() if table.made_with == own)]

    def has_control(self, name: str) -> bool:
        """Whether a table is also made of random weights, by itself or with another."""
        entry = self.tables[name]
        return entry.control or bool(entry.made_with and self.tables[entry.made_with].control)

    def table(self, name: str) -> Table:
        """The entry of a table, or of the table whose control this is."""
        return self.tables[name.removeprefix(CONTROL)]


def rule_of(*words: str) -> str:
    """The name of a rule that makes a table; that of a control begins with ``control_``."""
    return "_".join(words).replace("/", "_")


def control_of(name: str) -> str:
    """What the table of random weights is called that belongs to a table."""
    return CONTROL + name


def target(name: str) -> str:
    """The workflow's target for a figure or printed table: its name up to its number, or all of it."""
    if name == "scoreboard":  # the target of that name is the table
        return "scoreboard_figure"
    numbered = re.match(r"\w+?_(figure|table)_\d+[a-z]?(?=_)", name)
    return numbered[0] if numbered else name


def drawing_function(figure: str) -> str:
    """The function that draws a figure, below ``bert_attention``; in the folder of its paper, if it is of one."""
    folder = f"{figure.partition('_')[0]}." if "_" in figure else ""
    return f"figures.{folder}{figure}.draw"


@cache
def results(path: Path = RESULTS_YAML) -> Results:
    """The results as a file lists them.

    Raises
    ------
    InputError
        If an entry lacks a key, has one that is unknown, or names a table that is not listed; a line for each.
    """
    content = yaml.load(path.read_text(encoding="utf-8"), yaml.CSafeLoader)
    problems = list(_problems(content))
    if problems:
        listed = "".join(f"\n  - {problem}" for problem in problems)
        raise InputError(path, f"has entries that are not right{listed}", "the head of the file says what each key is")
    return Results(
        papers=content["papers"],
        fractions=content["fractions"],
        correlations=content["correlations"],
        **{kind: {name: cls(**entry) for name, entry in content[kind].items()} for kind, cls in _KINDS.items()},
    )


def _problems(content: Mapping[str, Mapping[str, Mapping]]) -> Iterator[str]:
    for kind, cls in _KINDS.items():
        known = {entry.name: entry.default is MISSING and entry.default_factory is MISSING for entry in fields(cls)}
        for name, entry in content[kind].items():
            for key in (key for key in entry if key not in known):
                guess = nearest(key, known)
                yield f"{kind}, {name}: the key {key} is unknown" + (f"; did you mean {guess}?" if guess else "")
            for key in (key for key, is_needed in known.items() if is_needed and key not in entry):
                yield f"{kind}, {name}: lacks the key {key}"
            for kind_read in (source.partition(" ")[0] for source in _sources(entry)):
                if kind_read not in READERS:
                    yield f"{kind}, {name}: reads {kind_read}, which is none of {', '.join(READERS)}"
            for table in (table for table in _tables_named(entry) if table not in content["tables"]):
                guess = nearest(table, content["tables"])
                yield f"{kind}, {name}: no table is named {table}" + (f"; did you mean {guess}?" if guess else "")


def _sources(entry: Mapping) -> list[str]:
    """What the analysis of a table is given."""
    return [*entry.get("units", {}).values(), *entry.get("reads", {}).values()]


def _tables_named(entry: Mapping) -> Iterator[str]:
    """The tables that an entry is made of, or made with."""
    yield from entry.get("tables", ())
    yield from (
        source.removeprefix("table ").removeprefix(CONTROL) for source in _sources(entry) if source.startswith("table ")
    )
    if "made_with" in entry:
        yield entry["made_with"]
