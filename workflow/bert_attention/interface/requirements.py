"""Requirements of a result: the user's own corpora, or data that only the workflow makes."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from bert_attention.errors import InputError, nearest
from bert_attention.plan import Plan, group_of, target
from bert_attention.results import CONTROL, Table, results

# The corpus of a study behind a source, by the source's name. Token ranks have an empty name.
_CORPORA = {
    "segments": "texts",
    "masked_segments": "texts",
    "": "texts",
    "treebank_dev": "trees",
    "random_1/treebank_dev": "trees",
    "treebank_train": "train_trees",
    "random_1/treebank_train": "train_trees",
    "coreference": "documents",
}

# The option of the command line that gives a corpus.
OPTIONS = {"texts": "--text", "trees": "--trees", "train_trees": "--train-trees", "documents": "--documents"}


def figure_named(name: str) -> str:
    """Return the full name of a figure, which may be given up to its number (``clark_figure_2``).

    Raise InputError if there is no such figure.
    """
    _check_is_name("figure", name)
    by_name = {known: figure for figure in results().figures for known in (target(figure), figure)}
    if name not in by_name:
        raise _unknown("figure", name)
    return by_name[name]


def check_is_table(name: str) -> None:
    """Raise InputError if no table or control (``control/clark_entropy``) has this name."""
    _check_is_name("table", name)
    if name.removeprefix(CONTROL) not in results().tables:
        raise _unknown("table", name)


def _check_is_name(kind: str, name: object) -> None:
    if not isinstance(name, str):
        remedy = "give the name as text; study.available lists the names"
        raise InputError(f"{kind} {name!r}", f"is a {type(name).__name__}, not a name", remedy)


def corpora_for(name: str) -> set[str]:
    """Return the corpora of a study that a table or figure needs: some of texts, trees, train_trees and documents.

    Raise InputError if there is no such result, or only the workflow can make it.
    """
    needed = set()
    for table in _tables_behind(name):
        entry = results().table(table)
        if why := _only_in_workflow(entry):
            raise InputError(name, f"cannot be made in memory: {table} {why}", _in_workflow(name))
        needed |= {_CORPORA[each.name] for each in entry.all_inputs.values() if each.kind != "table"}
    return needed


def _tables_behind(name: str) -> Iterator[str]:
    """Yield the tables whose analyses make a result, including the tables that these analyses read."""
    own = name.removeprefix(CONTROL)
    if own not in results().tables:
        figures = {*results().figures, *map(target, results().figures)}
        if own not in figures:
            raise _unknown("result", name)
        for table in results().figures[figure_named(own)].tables:
            yield from _tables_behind(table)
        return
    maker = Plan(results()).maker(own)
    yield maker
    for each in results().tables[maker].all_inputs.values():
        if each.kind == "table":
            yield from _tables_behind(each.name)


def check_can_be_made(name: str, corpora: Collection[str]) -> None:
    """Raise InputError if a study lacks a corpus for a result, or if only the workflow can make the result.

    The check comes before anything is computed.
    """
    lacking = sorted(corpora_for(name) - set(corpora))
    if lacking:
        remedy = f"give the study {' and '.join(f'{corpus}=...' for corpus in lacking)}"
        raise InputError(name, f"needs {' and '.join(lacking)}, which the study does not have", remedy)


def makeable(corpora: Collection[str]) -> Iterator[str]:
    """Yield the tables and figures that can be made of some corpora."""
    for name in (*results().tables, *results().figures):
        try:
            check_can_be_made(name, corpora)
        except InputError:
            continue
        yield name


def results_by_corpora() -> tuple[dict[frozenset[str], list[str]], dict[frozenset[str], list[str]]]:
    """Return the figures and the tables that a study can make, each by the corpora that they need.

    The name of a figure ends with its number.
    """
    figures: dict[frozenset[str], list[str]] = {}
    tables: dict[frozenset[str], list[str]] = {}
    for name in makeable(OPTIONS):
        found = figures if name in results().figures else tables
        found.setdefault(frozenset(corpora_for(name)), []).append(target(name))
    return figures, tables


def _only_in_workflow(entry: Table) -> str | None:
    """Return the reason why a table cannot be made in memory, or None if it can."""
    if entry.finetuned or entry.for_each:
        return "needs encoders that were fine-tuned on tasks"
    if entry.per == "translation_model":
        return "needs translation models and aligned sentences"
    if not entry.analysis:
        return "is made by a rule of its own, from more than texts and trees"
    if any(each.kind == "words" for each in entry.units.values()):
        return "needs the whole articles, to find which words predict each other"
    return None


def _in_workflow(name: str) -> str:
    """Return a remedy with the command that makes a result by the workflow."""
    paper = group_of(name.removeprefix(CONTROL))
    goal = target(figure_named(name)) if name not in results().tables else paper if paper in results().papers else ""
    return f"run the workflow: snakemake --cores 2 {goal}".rstrip()


def _unknown(kind: str, name: str) -> InputError:
    """Return the error for a name that is no table or no figure. It names the method for the result that was meant."""
    own = name.removeprefix(CONTROL)
    printed = {target(known): entry.tables for known, entry in results().printed_tables.items()}
    if own in printed:
        remedy = f"run the workflow: snakemake --cores 2 {own}, or ask for its numbers: {', '.join(printed[own])}"
        return InputError(f"{kind} {name}", "is a printed table, which only the workflow makes", remedy)
    methods = dict.fromkeys(results().tables, "table")
    methods |= {known: "figure" for figure in results().figures for known in (target(figure), figure)}
    if own in methods:
        return InputError(name, f"is a {methods[own]}, not a {kind}", f"call study.{methods[own]}({own!r})")
    guess = nearest(own, methods)
    if guess is None:
        remedy = "study.available lists the tables and figures that a study can make"
    elif kind in (methods[guess], "result"):
        remedy = f"did you mean {guess}?"
    else:
        remedy = f"did you mean study.{methods[guess]}({guess!r})?"
    return InputError(f"{kind} {name}", "is not known", remedy)
