"""The plan of a run: what each result is made of, by which function, and where its files are.

It alone interprets the entries of ``results.yaml``. The rules, the scripts and :class:`bert_attention.Study` ask it.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from bert_attention.results import CONTROL, Figure, PrintedTable, Results, Source

# The function that reads a source of each kind. Of a corpus whose units are added up it reads a `part`.
READERS = {
    "attention": "bert_attention.attention.store.AttentionStore",
    "trees": "bert_attention.corpora.conllu.read_trees",
    "documents": "bert_attention.corpora.corefud.read_documents",
    "examples": "bert_attention.corpora.jsonlines.read_task_inputs",
    "parses": "bert_attention.corpora.texts.read_texts",
    "ranks": "bert_attention.corpora.token_frequency.load_ranks",
    "classifier": "bert_attention.models.pattern_classifier.read_classifier",
    "table": "bert_attention.statistics.tables.read_replicates",
}
_PUBLICATIONS = "bert_attention.claims.publications"
# Results of no paper: they are made with corpora and models, or of all papers. A user added any other name that begins
# with no paper's.
_OF_NO_PAPER = ("scoreboard", "mlm_head", "parser_accuracy", "translation_accuracy")


class Encoder(Protocol):
    """An encoder of the edition, as far as the plan asks about it."""

    def makes(self, result: str) -> bool:
        """Return True if a result can be made of the encoder."""


@dataclass(frozen=True)
class Read:
    """One source that a job reads for the analysis of a table.

    Attributes
    ----------
    argument
        The argument of the analysis that gets it.
    source
        Its kind and its name; a table of random weights has the name of the control.
    paper
        The short name of the table's paper, whose segment ids the attention to running text has.
    task
        The task whose examples it is about, or empty.
    seed
        The number of the random encoder that it is for, or empty.
    is_unit
        True if the analysis adds up its units.
    """

    argument: str
    source: Source
    paper: str = ""
    task: str = ""
    seed: str = ""
    is_unit: bool = False

    @property
    def key(self) -> str:
        """The name of the job's input."""
        return "_".join(filter(None, (self.argument, self.task, self.seed)))

    @property
    def group(self) -> str:
        """The rows of the table that are made of it, as :func:`.joined` labels them."""
        return "/".join(filter(None, (self.seed, self.task)))

    @property
    def reader(self) -> str:
        """The function that reads it."""
        return READERS[self.source.kind]

    @property
    def is_control(self) -> bool:
        """Return True if it is the rows of a single random encoder in the table of a control."""
        return self.source.kind == "table" and bool(self.seed) and self.source.name.startswith(CONTROL)


def by_group(reads: Sequence[Read]) -> dict[str, list[Read]]:
    """Return the reads of each group of rows, in their order."""
    return {group: [read for read in reads if read.group == group] for group in dict.fromkeys(r.group for r in reads)}


@dataclass(frozen=True)
class Plan:
    """The results of an edition, or of a study.

    Paths of the results of an encoder are in a folder of its own, named by the wildcard ``{model}``.

    Attributes
    ----------
    edition
        Its name.
    papers
        The papers whose results it has.
    encoders
        What is known of each encoder, by its name.
    tasks, pair_tasks
        Its tasks, and those of them whose examples have two parts.
    control_seeds
        The numbers of its random encoders.
    left_out
        Result tables that the edition has nothing for.
    """

    results: Results
    edition: str = ""
    papers: Collection[str] = ()
    encoders: Mapping[str, Encoder] = field(default_factory=dict)
    tasks: Sequence[str] = ()
    pair_tasks: Sequence[str] = ()
    control_seeds: Collection[str] = ()
    left_out: Collection[str] = ()

    # What a table is made of.
    def reads(self, table: str) -> list[Read]:
        """Return the sources that the analysis of a table is given, of each random encoder, task and argument.

        A table that is made of each task has none in an edition without tasks.
        """
        entry = self.results.table(table)
        tasks = {None: [""], "task": self.tasks, "pair_task": self.pair_tasks}[entry.of_each]
        paper = group_of(table.removeprefix(CONTROL))
        return [
            Read(argument, self._of_seed(source, seed), paper, task, seed, argument in entry.units)
            for seed in self.seeds(table)
            for task in tasks
            for argument, source in entry.sources.items()
        ]

    def _of_seed(self, source: Source, seed: str) -> Source:
        """Return the source that a random encoder reads: the control of a table, if there is one."""
        has_control = source.kind == "table" and seed and self.has_control(source.name)
        return Source("table", control_of(source.name)) if has_control else source

    def seeds(self, table: str) -> list[str]:
        """Return the numbers of the random encoders that a control is made of; of another table, one empty number."""
        return list(self.control_seeds) if table.startswith(CONTROL) else [""]

    def tables_of_tasks(self, table: str) -> list[Read]:
        """Return the tables of single tasks that are joined into a table and those that are made with it."""
        return [Read(name, Source("table", name), task=task) for name in self.made_by(table) for task in self.tasks]

    def made_by(self, table: str) -> list[str]:
        """Return the tables that the analysis of a table makes, the table itself first."""
        own = table.removeprefix(CONTROL)
        prefix = table.removesuffix(own)
        return [table, *(prefix + other for other, entry in self.results.tables.items() if entry.made_with == own)]

    def maker(self, table: str) -> str:
        """Return the table whose analysis makes a table: most often the table itself."""
        own = table.removeprefix(CONTROL)
        return table.removesuffix(own) + (self.results.tables[own].made_with or own)

    def has_control(self, table: str) -> bool:
        """Return True if a table is also made of random weights, by itself or with another."""
        return self.results.table(self.maker(table)).control

    # Which rule makes a table, and which functions the rule calls.
    @property
    def summed(self) -> list[str]:
        """The tables that are made of sums over units, and their controls."""
        return [name for name in self._analysed if self.results.table(name).units]

    @property
    def tabulated(self) -> list[str]:
        """Return those of them whose analysis makes no other table."""
        return self._alone(self.summed)

    def analysed(self, *, with_intervals: bool) -> list[str]:
        """Return the tables of analyses that read all their sources at once and make no other table."""
        at_once = [name for name in self._analysed if not self.results.table(name).units]
        return [name for name in self._alone(at_once) if bool(self.results.table(name).statistics) == with_intervals]

    @property
    def joined(self) -> list[str]:
        """The tables that are joined from a table of each task and are made with no other."""
        return self._alone(
            [name for name, entry in self.results.tables.items() if entry.of_each and not entry.analysis]
        )

    @property
    def _analysed(self) -> list[str]:
        named = [name for name, entry in self.results.tables.items() if entry.analysis]
        named += [control_of(name) for name in named if self.results.tables[name].control]
        return [name for name in named if self.reads(name)]

    def _alone(self, tables: Sequence[str]) -> list[str]:
        return [name for name in tables if self.made_by(name) == [name]]

    def function(self, table: str, step: str = "table") -> str:
        """Return the function that makes a table; of an analysis of units, its function ``sums`` or ``table``."""
        entry = self.results.table(table)
        return f"bert_attention.{entry.analysis}" + (f".{step}" if entry.units else "")

    # Which results there are.
    @property
    def titles_of_papers(self) -> dict[str, str]:
        """The titles of the edition's papers by their short names, in the order of the results."""
        return {paper: title for paper, title in self.results.papers.items() if paper in self.papers}

    def groups(self) -> dict[str, str]:
        """Return the edition's groups of results, with titles: papers, comparison of models, further analyses."""
        names = {group_of(name) for name in (*self.results.tables, *self.results.shown) if name not in _OF_NO_PAPER}
        added = sorted(names - {*self.results.papers, "comparison"})
        titles = self.titles_of_papers
        has_comparison = len(self.encoders) > 1 and {"clark", "kobayashi"} <= titles.keys()
        side_by_side = {"comparison": "All models side by side"} if has_comparison else {}
        return {**titles, **side_by_side, **dict.fromkeys(added, "Further analyses")}

    def models_with(self, name: str) -> list[str]:
        """Return the encoders that a result is made of: some families have nothing for some analyses."""
        return [model for model, encoder in self.encoders.items() if encoder.makes(name.removeprefix(CONTROL))]

    @property
    def tables_made(self) -> list[str]:
        """The result tables that belong to a paper, or another group, and that some encoder of the edition has."""
        return [name for name in self.results.tables if name not in self.left_out and self._is_made(name)]

    @property
    def controls_made(self) -> list[str]:
        """The tables of random weights that belong to them."""
        return [control_of(name) for name in self.tables_made if self.has_control(name)]

    @property
    def tables_of_models(self) -> list[str]:
        """All tables that are about an encoder, and their controls."""
        own = [name for name, entry in self.results.tables.items() if entry.per == "model"]
        return own + [control_of(name) for name in own if self.has_control(name)]

    @property
    def results_shown(self) -> dict[str, Figure | PrintedTable]:
        """The figures and printed tables that belong to a paper, or another group, and that some encoder has."""
        return {name: entry for name, entry in self.results.shown.items() if self._is_made(name)}

    def _is_made(self, name: str) -> bool:
        return group_of(name) in self.groups() and bool(self.models_with(name))

    # Files. Paths of the results of an encoder hold {model}.
    def folder(self, per: str) -> str:
        """Return the folder of the results of an encoder (``model``), or of the edition."""
        return f"results/{self.edition}/" + ("{model}/" if per == "model" else "")

    def table(self, name: str) -> str:
        """Return the path of a result table."""
        if name == "scoreboard":
            return f"results/{self.edition}/scoreboard.csv"
        return f"{self.folder(self.results.table(name).per)}tables/{name}.csv"

    def replicates(self, name: str) -> str:
        """Return the file that :func:`.read_replicates` reads: the replicates of a table, if it has statistics."""
        return self.table_files(name)[-1]

    def table_files(self, name: str) -> list[str]:
        """Return the path of a result table, and that of the replicates of a table that has statistics."""
        path = self.table(name)
        has_replicates = self.results.table(name).statistics
        return [path, f"{path.removesuffix('.csv')}.parquet"] if has_replicates else [path]

    def files_with_control(self, *tables: str) -> list[str]:
        """Return the files of tables, or of their controls: the wildcard ``{control}`` is ``control/`` or empty."""
        return [
            file.replace(f"/tables/{name}", f"/tables/{{control}}{name}")
            for name in tables
            for file in self.table_files(name)
        ]

    def outputs(self, table: str) -> list[str]:
        """Return all files that the analysis of a table makes."""
        return [file for name in self.made_by(table) for file in self.table_files(name)]

    def tables(self, name: str) -> list[str]:
        """Return the paths of a result table of all encoders."""
        return self.of_models(name, self.table(name))

    def shown(self, name: str, form: str) -> str:
        """Return the path of a figure or printed table in one of its formats."""
        entry = self.results.shown[name]
        return f"{self.folder(entry.per)}{entry.folder}/{name}.{form}"

    def shown_files(self, name: str) -> list[str]:
        """Return the paths of a figure or printed table of all encoders, in all formats."""
        forms = self.results.shown[name].formats
        return [file for form in forms for file in self.of_models(name, self.shown(name, form))]

    def of_models(self, name: str, path: str) -> list[str]:
        """Return a result's file of each encoder that it is made of, or of each encoder if it is made of none."""
        if "{model}" not in path:
            return [path]
        return [path.replace("{model}", model) for model in self.models_with(name) or self.encoders]

    def of_group(self, group: str) -> list[str]:
        """Return all files of a paper's results, or another group's: tables, then figures and printed tables."""
        data = [file for name in self.tables_made if group_of(name) == group for file in self.tables(name)]
        return data + [
            file for name in self.results_shown if group_of(name) == group for file in self.shown_files(name)
        ]

    def tables_in_paper(self, model: str) -> list[str]:
        """Return the tables behind the paper of an encoder."""
        return [name for name in self.tables_made if self.encoders[model].makes(name)]

    def shown_in_paper(self, model: str) -> list[str]:
        """Return the figures and printed tables in the paper of an encoder, in the forms that the paper sets."""
        return [
            self.shown(name, "pdf" if "pdf" in entry.formats else "typ").replace("{model}", model)
            for name, entry in self.results_shown.items()
            if self.encoders[model].makes(name)
        ]

    # Figures and printed tables.
    def showing_function(self, name: str) -> str:
        """Return the function that draws a figure, or lays out a printed table."""
        if name not in self.results.figures:
            return f"bert_attention.paper.{name}.lay_out"
        folder = f"{group_of(name)}." if "_" in name else ""  # of its paper, if it is of one
        return f"bert_attention.figures.{folder}{name}.draw"

    def published(self, name: str) -> dict[str, tuple[str, str]]:
        """Return what a figure or printed table takes from the claims of its paper.

        By the argument that gets it: the function that reads it, and the name that it is asked for.
        """
        entry = self.results.shown[name]
        if isinstance(entry, Figure):
            return {"published": (f"{_PUBLICATIONS}.published_curves", name)} if entry.published_curves else {}
        asked = {"published_rows": entry.published_rows, "published_values": entry.published_values}
        return {
            argument: (f"{_PUBLICATIONS}.{reader}", what)
            for reader, by_argument in asked.items()
            for argument, what in by_argument.items()
        }


def group_of(name: str) -> str:
    """Return the beginning of a result's name: the short name of its paper, or of what else it belongs to."""
    return name.partition("_")[0]


def control_of(name: str) -> str:
    """Return the name of the table of random weights that belongs to a table."""
    return CONTROL + name


def target(name: str) -> str:
    """Return the workflow's target for a result: its name, which ends at the number of a figure or printed table."""
    if name == "scoreboard":  # the target of that name is the table
        return "scoreboard_figure"
    numbered = re.match(r"\w+?_(figure|table)_\d+[a-z]?(?=_)", name)
    return numbered[0] if numbered else name.replace("/", "_")
