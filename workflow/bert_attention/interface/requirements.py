"""What a result needs: corpora of one's own, or what only the workflow makes."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from bert_attention.errors import InputError, nearest
from bert_attention.results import CONTROL, Figure, PrintedTable, Table, results, target

# The corpus of a study that is behind what an entry of results.yaml reads.
_CORPORA = {
    "attention segments": "texts",
    "attention masked_segments": "texts",
    "ranks": "texts",
    "attention treebank_dev": "trees",
    "trees treebank_dev": "trees",
    "attention random_treebank_dev": "trees",
    "attention treebank_train": "train_trees",
    "trees treebank_train": "train_trees",
    "attention random_treebank_train": "train_trees",
    "attention coreference": "documents",
    "documents coreference": "documents",
}


def figure_named(name: str) -> str:
    """The full name of a figure, which may be given up to its number (``clark_figure_2``).

    Raises
    ------
    InputError
        If there is none.
    """
    figures = results().figures
    found = [figure for figure in figures if name in (figure, target(figure))]
    if not found:
        raise _unknown("figure", name, [*figures, *map(target, figures)])
    return found[0]


def corpora_for(name: str) -> set[str]:
    """Which corpora of a study a table or figure is made of: some of texts, trees, train_trees and documents.

    Raises
    ------
    InputError
        If there is no such result, or only the workflow can make it.
    """
    entry = _entry(name)
    if not isinstance(entry, Table):
        return set().union(*map(corpora_for, entry.tables))
    if entry.made_with:
        return corpora_for(entry.made_with)
    needed = set()
    for source in (*entry.units.values(), *entry.reads.values()):
        if source.startswith("table "):
            needed |= corpora_for(source.removeprefix("table ").removeprefix(CONTROL))
        elif source in _CORPORA:
            needed.add(_CORPORA[source])
    if why := _only_in_workflow(entry):
        raise InputError(
            name, f"cannot be made in memory: {why}", f"run the workflow: snakemake --cores 2 {target(name)}"
        )
    return needed


def check_can_be_made(name: str, given: Collection[str]) -> None:
    """Check, before anything is computed, that a result can be made of the corpora that a study has.

    Raises
    ------
    InputError
        If it cannot.
    """
    lacking = sorted(corpora_for(name) - set(given))
    if lacking:
        remedy = f"give the study {' and '.join(f'{corpus}=...' for corpus in lacking)}"
        raise InputError(name, f"is made of {' and '.join(lacking)}, which the study does not have", remedy)


def makeable(given: Collection[str]) -> Iterator[str]:
    """The tables and figures that can be made of some corpora."""
    for name in (*results().tables, *results().figures):
        try:
            check_can_be_made(name, given)
        except InputError:
            continue
        yield name


def _entry(name: str) -> Table | Figure | PrintedTable:
    own = name.removeprefix(CONTROL)
    if own in results().tables:
        return results().tables[own]
    return results().figures[figure_named(own)]


def _only_in_workflow(entry: Table) -> str | None:
    """Why a table cannot be made in memory; None if it can."""
    if entry.finetuned or entry.of_each:
        return "it is of encoders that were fine-tuned on tasks"
    if entry.per == "translation_model":
        return "it is of a translation model, on aligned sentences"
    if not entry.analysis:
        return "it takes what the workflow trains, downloads or counts, and has a rule of its own there"
    return None


def _unknown(kind: str, name: str, known: Collection[str]) -> InputError:
    guess = nearest(name, known)
    remedy = f"did you mean {guess}?" if guess else "bert_attention/results.yaml lists all results"
    return InputError(f"{kind} {name}", "is not known", remedy)
