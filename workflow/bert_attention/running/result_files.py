"""Which results an edition has, and where their files are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from bert_attention.results import CONTROL, Figure, PrintedTable, Results, control_of
from bert_attention.running.encoders import PlannedEncoder

# Made with corpora and models, or of all papers. What else has a name that begins with no paper's was added by a user.
_OF_NO_PAPER = ("scoreboard", "mlm_head", "parser_accuracy", "translation_accuracy")


@dataclass(frozen=True)
class ResultFiles:
    """The results of an edition.

    Results that each encoder has are in a folder of its own, named by the wildcard ``{model}``; with a single encoder,
    there is neither.

    Attributes
    ----------
    edition
        Its name.
    papers
        The papers whose results it has.
    encoders
        What is known of each encoder, by its name.
    left_out
        Result tables that the edition has nothing for.
    """

    results: Results
    edition: str
    papers: Sequence[str]
    encoders: Mapping[str, PlannedEncoder]
    left_out: frozenset[str] = frozenset()

    def groups(self) -> dict[str, str]:
        """What the edition's results belong to, with titles: papers, the comparison of models, further analyses."""
        names = {group_of(name) for name in (*self.results.tables, *self.results.shown) if name not in _OF_NO_PAPER}
        added = sorted(names - {*self.results.papers, "comparison"})
        titles = self.titles_of_papers
        has_comparison = len(self.encoders) > 1 and {"clark", "kobayashi"} <= titles.keys()
        side_by_side = {"comparison": "All models side by side"} if has_comparison else {}
        return {**titles, **side_by_side, **dict.fromkeys(added, "Further analyses")}

    @property
    def titles_of_papers(self) -> dict[str, str]:
        """The titles of the edition's papers by their short names, in the order of the results."""
        return {paper: title for paper, title in self.results.papers.items() if paper in self.papers}

    def folder(self, per: str) -> str:
        """The folder of the results of each encoder (``model``), or of the edition."""
        return f"results/{self.edition}/" + ("{model}/" if per == "model" and len(self.encoders) > 1 else "")

    def of_every_model(self, path: str, models: Sequence[str] = ()) -> list[str]:
        """The file of every encoder, or of those that are named; or the one file of the edition."""
        return [path.replace("{model}", model) for model in models or self.encoders] if "{model}" in path else [path]

    def models_with(self, name: str) -> list[str]:
        """The encoders that a result is made of: some families have nothing for some analyses."""
        return [model for model, encoder in self.encoders.items() if encoder.makes(name.removeprefix(CONTROL))]

    def of_models_with(self, name: str, path: str) -> list[str]:
        """A result's file of every encoder that it is made of; of every one, for whoever asks for it all the same."""
        return self.of_every_model(path, self.models_with(name))

    def table(self, name: str) -> str:
        """A result table; if it is about an encoder, that of one model."""
        if name == "scoreboard":
            return f"results/{self.edition}/scoreboard.csv"
        return f"{self.folder(self.results.table(name).per)}tables/{name}.csv"

    def table_files(self, name: str) -> list[str]:
        """A result table, and the replicates of one that has statistics."""
        return self.with_replicates(name, self.table(name))

    def with_replicates(self, name: str, path: str) -> list[str]:
        """The path of a table, and that of the replicates of one that has statistics."""
        return [path, path.removesuffix(".csv") + ".parquet"] if self.results.table(name).statistics else [path]

    def tables(self, name: str) -> list[str]:
        """A result table of every encoder."""
        return self.of_models_with(name, self.table(name))

    def replicates(self, name: str) -> list[str]:
        """The replicates of a result table of every encoder; none if it has no statistics."""
        return [file for path in self.table_files(name)[1:] for file in self.of_models_with(name, path)]

    def shown(self, name: str, form: str) -> list[str]:
        """A figure or printed table of every encoder, in one of its formats."""
        entry = self.results.shown[name]
        return self.of_models_with(name, f"{self.folder(entry.per)}{entry.folder}/{name}.{form}")

    @property
    def controls_made(self) -> list[str]:
        """The result tables that are made of random weights, too, as they are then called."""
        return [control_of(name) for name in self.tables_made if self.results.has_control(name)]

    @property
    def tables_made(self) -> list[str]:
        """The result tables that belong to a paper, or another group, and that some encoder of the edition has."""
        return [name for name in self.results.tables if name not in self.left_out and self._is_made(name)]

    @property
    def results_shown(self) -> dict[str, Figure | PrintedTable]:
        """The figures and printed tables that do."""
        return {name: entry for name, entry in self.results.shown.items() if self._is_made(name)}

    def _is_made(self, name: str) -> bool:
        return group_of(name) in self.groups() and bool(self.models_with(name))

    def of_group(self, group: str) -> list[str]:
        """All files of a paper's results, or another group's: tables, then figures and printed tables."""
        data = [file for name in self.tables_made if group_of(name) == group for file in self.tables(name)]
        shown = [(name, entry) for name, entry in self.results_shown.items() if group_of(name) == group]
        return data + [file for name, entry in shown for form in entry.formats for file in self.shown(name, form)]

    def in_paper_of(self, model: str) -> tuple[list[str], list[str]]:
        """What the paper of an encoder takes: its tables, and figures and printed tables in the form that it sets."""
        encoder = self.encoders[model]
        tables = [self.table(name) for name in self.tables_made if encoder.makes(name)]
        shown = [
            f"{self.folder(entry.per)}{entry.folder}/{name}.{'pdf' if 'pdf' in entry.formats else 'typ'}"
            for name, entry in self.results_shown.items()
            if encoder.makes(name)
        ]
        return tuple([path.replace("{model}", model) for path in paths] for paths in (tables, shown))


def group_of(name: str) -> str:
    """The beginning of a result's name: the short name of its paper, or of what else it belongs to."""
    return name.partition("_")[0]
