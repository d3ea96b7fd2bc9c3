"""The plan of a run: the inputs, the function and the files of each result.

Only this module interprets the entries of ``results.yaml``. The rules, the scripts and :class:`bert_attention.Study`
use it.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from bert_attention.results import CONTROL, EDITION_FOLDER, INPUT_KINDS, Figure, Input, PrintedTable, Results

WORD_CORPORA = ("treebank_train", "treebank_dev", "coreference")
_PAPERS = Path(__file__).with_name("papers")
# Results that belong to no paper, or to all papers. Any other name without a paper's prefix was added by a user.
_OF_NO_PAPER = ("scoreboard", "mlm_head", "parser_accuracy", "translation_accuracy")


class Encoder(Protocol):
    """An encoder of the edition, as the plan sees it."""

    def makes(self, result: str) -> bool:
        """Return True if the encoder has a result."""


@dataclass(frozen=True)
class JobInput:
    """Input of a job that analyzes: what an argument of the analysis gets."""

    argument: str
    kind: str
    name: str  # a table of random weights has the name of the control
    paper: str = ""  # the short name of the table's paper, whose segment ids the attention to running text has
    task: str = ""  # the task whose examples the input is about, or empty
    seed: str = ""  # the number of the random encoder that reads the input, or empty
    is_unit: bool = False  # True if the analysis adds up the units of the input

    @property
    def key(self) -> str:
        """Name of the job's input."""
        return "_".join(filter(None, (self.argument, self.task, self.seed)))

    @property
    def source(self) -> str:
        """Name of the input's content, which tells it from other inputs of a paper for the same task and seed."""
        return "_".join(filter(None, (self.kind, self.name, self.task)))

    @property
    def corpus(self) -> str:
        """Name of the corpus of attention: ``segments``, ``tasks/<task>``, or a corpus of words."""
        if self.task:
            return f"tasks/{self.task}"
        return self.name if self.name in WORD_CORPORA else "segments"

    @property
    def group(self) -> str:
        """Label of the table's rows that are made of the input, as :func:`.joined` expects it."""
        return "/".join(filter(None, (self.seed, self.task)))

    @property
    def reader(self) -> str:
        """Function that reads the input."""
        return INPUT_KINDS[self.kind].reader

    def file(self, model: str) -> str:
        """Return the input's file below ``resources/<edition>/``; empty for attention stores and tables."""
        return INPUT_KINDS[self.kind].file.format(model=model, name=self.name, task=self.task)

    @property
    def is_control(self) -> bool:
        """Return True if the input is one random encoder's rows in the table of a control."""
        return self.kind == "table" and bool(self.seed) and self.name.startswith(CONTROL)


def by_group(inputs: Sequence[JobInput]) -> dict[str, list[JobInput]]:
    """Return the inputs of each group of rows, in their order."""
    groups = dict.fromkeys(each.group for each in inputs)
    return {group: [each for each in inputs if each.group == group] for group in groups}


@dataclass(frozen=True)
class Plan:
    """The results of an edition, or of a study.

    Each encoder has a folder of results. In paths, the wildcard ``{model}`` stands for its name.
    """

    results: Results
    edition: str = ""
    papers: Collection[str] = ()
    encoders: Mapping[str, Encoder] = field(default_factory=dict)
    tasks: Sequence[str] = ()
    pair_tasks: Sequence[str] = ()  # the tasks with examples of two parts
    control_seeds: Collection[str] = ()  # numbers of the random encoders
    left_out: Collection[str] = ()  # the result tables for which the edition has no inputs
    stand_ins: Collection[str] = ()  # the corpora that are stand-ins

    # These methods return the inputs of tables.
    def inputs(self, table: str) -> list[JobInput]:
        """Return the inputs of the analysis of a table: one per random encoder, task and argument.

        A table that is made for each task has no inputs in an edition without tasks.
        """
        entry = self.results.table(table)
        tasks = {None: [""], "task": self.tasks, "pair_task": self.pair_tasks}[entry.for_each]
        paper = group_of(table.removeprefix(CONTROL))
        return [
            JobInput(argument, each.kind, self._name(each, seed), paper, task, seed, argument in entry.units)
            for seed in self.seeds(table)
            for task in tasks
            for argument, each in entry.all_inputs.items()
        ]

    def in_pass(self, model: str, control: str, paper: str, corpus: str) -> dict[str, list[JobInput]]:
        """Return the inputs of each analysis that a pass of encoders over a corpus adds up, by table.

        All are of one paper. ``control`` is ``control/`` for random encoders, or empty. ``corpus`` is a name of
        :attr:`JobInput.corpus`.
        """
        tables = [
            table
            for table in self.summed
            if table.startswith(control or paper) and group_of(table.removeprefix(control)) == paper
        ]
        found = {}
        for table in tables:
            inputs = [each for each in self.inputs(table) if not each.task or each.corpus == corpus]
            reads_corpus = any(each.corpus == corpus for each in inputs if each.kind == "attention")
            if reads_corpus and model in self.models_with(table):
                found[table] = inputs
        return found

    def _name(self, each: Input, seed: str) -> str:
        """Return the name of what a random encoder reads: the control of a table, if the table has a control."""
        has_control = each.kind == "table" and seed and self.has_control(each.name)
        return control_of(each.name) if has_control else each.name

    def seeds(self, table: str) -> list[str]:
        """Return the numbers of a control's random encoders. Any other table has one empty number."""
        is_control = table.startswith(CONTROL) and self.has_control(table)
        return list(self.control_seeds) if is_control else [""]

    def tables_of_tasks(self, table: str) -> list[JobInput]:
        """Return the tables of single tasks that are joined into a table and into its co-produced tables."""
        return [JobInput(name, "table", name, task=task) for name in self.made_by(table) for task in self.tasks]

    def made_by(self, table: str) -> list[str]:
        """Return the tables that the analysis of a table makes, the table itself first."""
        own = table.removeprefix(CONTROL)
        prefix = table.removesuffix(own)
        return [table, *(prefix + other for other, entry in self.results.tables.items() if entry.co_produced_by == own)]

    def maker(self, table: str) -> str:
        """Return the table whose analysis makes a table, which is usually the table itself."""
        own = table.removeprefix(CONTROL)
        return table.removesuffix(own) + (self.results.tables[own].co_produced_by or own)

    def has_control(self, table: str) -> bool:
        """Return True if a table, or the table whose analysis makes it, is also made of random weights.

        No claim is judged on a stand-in, so a table of a stand-in has no control.
        """
        entry = self.results.table(self.maker(table))
        return entry.control and entry.corpus not in self.stand_ins

    # These methods say which rule makes a table, and which functions the rule calls.
    @property
    def summed(self) -> list[str]:
        """Tables that are made of sums over units, and their controls."""
        return [name for name in self._analyzed if self.results.table(name).units]

    @property
    def tabulated(self) -> list[str]:
        """Tables of :attr:`summed` whose analysis makes no other table."""
        return self._alone(self.summed)

    def analyzed(self, *, with_intervals: bool) -> list[str]:
        """Return the tables whose analysis reads whole inputs and makes no other table."""
        at_once = [name for name in self._analyzed if not self.results.table(name).units]
        return [name for name in self._alone(at_once) if bool(self.results.table(name).statistics) == with_intervals]

    @property
    def makers_of_several(self) -> list[str]:
        """Tables whose analysis makes other tables, too."""
        return [name for name in self.results.tables if name in self._analyzed and self.made_by(name) != [name]]

    @property
    def joined(self) -> list[str]:
        """Tables that are joined from a table per task, and are not made together with others."""
        return self._alone(
            [name for name, entry in self.results.tables.items() if entry.for_each and not entry.analysis]
        )

    @property
    def _analyzed(self) -> list[str]:
        named = [name for name, entry in self.results.tables.items() if entry.analysis]
        named += [control_of(name) for name in named if self.has_control(name)]
        return [name for name in named if self.inputs(name)]

    def _alone(self, tables: Sequence[str]) -> list[str]:
        return [name for name in tables if self.made_by(name) == [name]]

    def function(self, table: str, step: str = "table") -> str:
        """Return the function that makes a table. An analysis of units has the functions ``sums`` and ``table``."""
        entry = self.results.table(table)
        return f"bert_attention.papers.{entry.analysis}" + (f".{step}" if entry.units else "")

    # These methods list the results of the edition.
    @property
    def titles_of_papers(self) -> dict[str, str]:
        """Titles of the edition's papers by short name, in the order of ``results.yaml``."""
        return {paper: title for paper, title in self.results.papers.items() if paper in self.papers}

    def groups(self) -> dict[str, str]:
        """Return the titles of the edition's groups of results: papers, comparison of models, further analyses."""
        names = {group_of(name) for name in (*self.results.tables, *self.results.shown) if name not in _OF_NO_PAPER}
        added = sorted(names - {*self.results.papers, *self.results.comparisons})
        titles = self.titles_of_papers
        side_by_side = {
            name: comparison.title
            for name, comparison in self.results.comparisons.items()
            if len(self.encoders) > 1 and titles.keys() >= {*comparison.of}
        }
        return {**titles, **side_by_side, **dict.fromkeys(added, "Further analyses")}

    def models_with(self, name: str) -> list[str]:
        """Return the encoders that have a result. Some families have no data for some analyses."""
        return [model for model, encoder in self.encoders.items() if encoder.makes(name.removeprefix(CONTROL))]

    @property
    def tables_made(self) -> list[str]:
        """Result tables of the edition's groups that some encoder has, except the tables left out."""
        return [name for name in self.results.tables if name not in self.left_out and self._is_made(name)]

    @property
    def controls_made(self) -> list[str]:
        """Controls of :attr:`tables_made`."""
        return [control_of(name) for name in self.tables_made if self.has_control(name)]

    @property
    def tables_of_models(self) -> list[str]:
        """All tables that are about an encoder, and their controls."""
        own = [name for name, entry in self.results.tables.items() if entry.per == "model"]
        return own + [control_of(name) for name in own if self.has_control(name)]

    @property
    def results_shown(self) -> dict[str, Figure | PrintedTable]:
        """Figures and printed tables of the edition's groups that some encoder has."""
        return {name: entry for name, entry in self.results.shown.items() if self._is_made(name)}

    def _is_made(self, name: str) -> bool:
        return group_of(name) in self.groups() and bool(self.models_with(name))

    # These methods return the paths of files. Paths of an encoder's results hold {model}.
    def folder(self, per: str) -> str:
        """Return the folder of an encoder's results (``per`` is ``model``), or of the edition's results."""
        return f"results/{self.edition}/" + ("{model}" if per == "model" else EDITION_FOLDER)

    def table(self, name: str) -> str:
        """Return the path of a result table."""
        if name == "scoreboard":
            return f"results/{self.edition}/scoreboard.csv"
        return f"{self.folder(self.results.table(name).per)}/tables/{name}.csv"

    def replicates(self, name: str) -> str:
        """Return the file for :func:`.read_replicates`: the replicates of a table with statistics, else the table."""
        return self.table_files(name)[-1]

    def table_files(self, name: str) -> list[str]:
        """Return the path of a result table and, if it has statistics, the path of its replicates."""
        path = self.table(name)
        has_replicates = self.results.table(name).statistics
        return [path, f"{path.removesuffix('.csv')}.parquet"] if has_replicates else [path]

    def files_with_control(self, *tables: str) -> list[str]:
        """Return the files of tables or their controls. The wildcard ``{control}`` is ``control/`` or empty."""
        return [
            file.replace(f"/tables/{name}", f"/tables/{{control}}{name}")
            for name in tables
            for file in self.table_files(name)
        ]

    def outputs(self, table: str) -> list[str]:
        """Return all files that the analysis of a table makes."""
        return [file for name in self.made_by(table) for file in self.table_files(name)]

    def tables(self, name: str) -> list[str]:
        """Return the paths of a result table for all encoders."""
        return self.model_paths(name, self.table(name))

    def shown(self, name: str, form: str) -> str:
        """Return the path of a figure or printed table in one of its formats."""
        entry = self.results.shown[name]
        return f"{self.folder(entry.per)}/{entry.folder}/{name}.{form}"

    def shown_files(self, name: str) -> list[str]:
        """Return the paths of a figure or printed table for all encoders, in all formats."""
        forms = self.results.shown[name].formats
        return [file for form in forms for file in self.model_paths(name, self.shown(name, form))]

    def model_paths(self, name: str, path: str) -> list[str]:
        """Return a path for each encoder that has the result, or for every encoder if no encoder has it."""
        if "{model}" not in path:
            return [path]
        return [path.replace("{model}", model) for model in self.models_with(name) or self.encoders]

    def group_files(self, group: str) -> list[str]:
        """Return all files of a group of results, such as a paper: tables, then figures and printed tables."""
        data = [file for name in self.tables_made if group_of(name) == group for file in self.tables(name)]
        return data + [
            file for name in self.results_shown if group_of(name) == group for file in self.shown_files(name)
        ]

    def tables_in_paper(self, model: str) -> list[str]:
        """Return the result tables that the paper of an encoder uses."""
        return [name for name in self.tables_made if self.encoders[model].makes(name)]

    def shown_in_paper(self, model: str) -> list[str]:
        """Return the figures and printed tables in the paper of an encoder, in the formats that the paper includes."""
        return [
            self.shown(name, "pdf" if "pdf" in entry.formats else "typ").replace("{model}", model)
            for name, entry in self.results_shown.items()
            if self.encoders[model].makes(name)
        ]

    # These methods are about figures and printed tables.
    def showing_function(self, name: str) -> str:
        """Return the function that draws a figure or formats a printed table."""
        paper, _, own_name = name.partition("_")
        if not own_name:  # a name without "_" belongs to no paper
            return f"bert_attention.figures.{name}.draw"
        folder, function = ("figures", "draw") if name in self.results.figures else ("printed", "format_table")
        return f"bert_attention.papers.{paper}.{folder}.{own_name}.{function}"

    def published(self, name: str) -> dict[str, Path]:
        """Return the files of a result's published numbers, by the argument that gets their rows."""
        files = {}
        for argument, table in self.results.shown[name].published.items():
            paper, _, file = table.rpartition("/")
            files[argument] = _PAPERS / (paper or group_of(name)) / "published" / f"{file}.csv"
        return files


def group_of(name: str) -> str:
    """Return the prefix of a result's name: the short name of its paper, or of another group."""
    return name.partition("_")[0]


def control_of(name: str) -> str:
    """Return the name of a table's control, the same table for random weights."""
    return CONTROL + name


def target(name: str) -> str:
    """Return the workflow's target for a result: its name, cut after the number of a figure or printed table."""
    if name == "scoreboard":  # the target `scoreboard` is the table
        return "scoreboard_figure"
    numbered = re.match(r"\w+?_(figure|table)_\d+[a-z]?(?=_)", name)
    return numbered[0] if numbered else name.replace("/", "_")
