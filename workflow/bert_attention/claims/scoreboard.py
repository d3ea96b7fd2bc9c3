"""The scoreboard: every claim of the papers, published beside replicated, with a verdict by rule."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict
from functools import cache
from pathlib import Path

import pandas as pd

from bert_attention.claims.publications import Publication
from bert_attention.claims.queries import NoneWithinLimitsError, NothingFoundError, measure
from bert_attention.claims.verdicts import VERDICTS, Judgement, differences, is_model, judge, not_measured
from bert_attention.errors import InputError, nearest
from bert_attention.kovaleva.column_values import learnt_tasks
from bert_attention.results import Table, results
from bert_attention.statistics.jackknife import Replicates
from bert_attention.statistics.tables import read_replicates
from bert_attention.tables import bounds_text

_NO_VALUE = "\N{EM DASH}"
_TASK_COLUMNS = ("task", "task_a", "task_b")


def scoreboard(
    publications: Mapping[str, Publication],
    tables: Callable[[str, str], Replicates | None],
    edition: Mapping,
) -> pd.DataFrame:
    """A row for each claim and each model that it is measured on.

    Parameters
    ----------
    publications
        What each paper published, by its short name.
    tables
        A result table by the name of a model and its own; None for a table that the edition does not make.
    edition
        The configuration: its models, its corpora, and which of these are the papers' own.

    Returns
    -------
    DataFrame
        As ``results.yaml`` describes ``scoreboard``: ``model`` is empty where no model is measured.

    Raises
    ------
    InputError
        If a claim names a table or a column that does not exist, matches no row where it is comparable, or several rows
        without saying how they become one.
    """
    rows = []
    for paper, publication in publications.items():
        for claim in publication.claims:
            for model in _models(claim, publication, edition):
                judgement = _judged(claim, publication, model, tables, edition)
                rows.append(_row(paper, claim, model, judgement))
    return pd.DataFrame(rows)


def find_tables(paths: Iterable[Path | str], folder: Path) -> Callable[[str, str], Replicates | None]:
    """A function that reads the result table of a model, with its replicates, by both names.

    It returns None for a table that is not among the files.

    Parameters
    ----------
    paths
        Tables of an edition: ``<folder>/tables/<name>.csv``, and ``<folder>/<model>/tables/<name>.csv`` where there are
        several models.
    """
    files = {(*path.relative_to(folder).parts[:-2], path.stem): path for path in map(Path, paths)}

    @cache
    def table(model: str, name: str) -> Replicates | None:
        path = files.get((model, name), files.get((name,)))
        return read_replicates(path) if path else None

    return table


def _place(publication: Publication, claim: Mapping) -> str:
    return f"{publication.path}, claim {claim['id']}"


def _contract(claim: Mapping, name: str, publication: Publication) -> Table:
    if name not in results().tables:
        guess = nearest(name, results().tables)
        raise InputError(_place(publication, claim), f"there is no table {name}", f"did you mean {guess}?")
    return results().tables[name]


def _models(claim: Mapping, publication: Publication, edition: Mapping) -> list[Mapping | None]:
    """The models that a claim is measured on; a single None if it is about none."""
    if "measured" not in claim:
        return [None]
    match _contract(claim, claim["measured"]["table"], publication).per:
        case "edition":
            return [None]
        case "translation_model":
            return edition["translation_models"]
        case _:
            return edition["models"]


def _judged(
    claim: Mapping, publication: Publication, model: Mapping | None, tables: Callable, edition: Mapping
) -> Judgement:
    if "absent" in claim:
        return not_measured(claim, publication, claim["absent"])
    reasons = differences(claim, publication, model, edition["papers_corpora"])
    query = claim["measured"]
    for tasks in _tasks_asked_for(query.get("where", {})):
        if not any(edition["corpora"]["tasks"].get(task) for task in tasks):
            return not_measured(claim, publication, f"the edition has no {' or '.join(tasks)}")
    if model and claim.get("heads_of_model") and not is_model(model, publication.model):
        return not_measured(claim, publication, f"the statement names heads of {publication.model}")
    name = model["name"] if model else ""
    for tasks in _tasks_asked_for(query.get("where", {})) or [edition["corpora"]["tasks"]]:
        if _contract(claim, query["table"], publication).finetuned and not _learnt(tables, name, tasks):
            return not_measured(claim, publication, f"the model has not learnt {' or '.join(tasks)}")
    if _contract(claim, query["table"], publication).per == "translation_model":
        query = {**query, "where": {"model": name, **query.get("where", {})}}

    def table(asked: str) -> Replicates:
        _contract(claim, asked, publication)
        found = _of_learnt(tables, name, asked)
        if found is None:
            raise NothingFoundError(
                _place(publication, claim), f"the edition does not make {asked}", "add what it needs"
            )
        return found

    try:
        depth = claim.get("needs", {}).get("depth", publication.depth)
        measured = measure(query, table, depth, _place(publication, claim))
        return judge(claim, publication, measured, reasons)
    except NothingFoundError as error:
        if not reasons and not isinstance(error, NoneWithinLimitsError):
            raise
        return not_measured(claim, publication, "; ".join([*reasons, error.problem]))


def _learnt(tables: Callable, model: str, tasks: Iterable[str]) -> set[str]:
    """Those of some tasks that a model has learnt; all, where nothing tells how well it does."""
    scores = tables(model, "kovaleva_finetuning")
    return {*tasks} & learnt_tasks(scores.whole) if scores else {*tasks}


def _of_learnt(tables: Callable, model: str, name: str) -> Replicates | None:
    """A result table; of fine-tuned models, its rows of tasks that they have learnt."""
    found, entry = tables(model, name), results().tables.get(name)
    if found is None or entry is None or not entry.finetuned:
        return found
    columns = [column for column in _TASK_COLUMNS if column in found.whole]
    learnt = _learnt(tables, model, found.whole[columns].stack())
    return found.made_into(lambda rows: rows[rows[columns].isin(learnt).all(axis=1)].reset_index(drop=True))


def _tasks_asked_for(where: Mapping) -> list[list[str]]:
    """Tasks that a filter names: of each list, one at least is needed."""
    wanted = [where[column] for column in _TASK_COLUMNS if column in where]
    lists = [value.get("in", []) if isinstance(value, Mapping) else [value] for value in wanted]
    return [tasks for tasks in lists if tasks]


def _row(paper: str, claim: Mapping, model: Mapping | None, judgement: Judgement) -> dict:
    query = claim.get("measured", {})
    return {
        "id": claim["id"],
        "paper": paper,
        "model": model["name"] if model else None,
        "place": claim["place"],
        "label": claim["label"],
        "statement": claim["statement"],
        **asdict(judgement),
        "tolerance": claim.get("tolerance"),
        "provenance": claim["provenance"] + (", remembered poorly" if claim.get("confidence") == "low" else ""),
        "table": query.get("table"),
        "column": query.get("column"),
        "note": claim.get("note"),
    }


def counts_by_verdict(table: pd.DataFrame) -> dict[str, int]:
    """How many claims have each verdict; verdicts that none has are left out."""
    counts = table["verdict"].value_counts()
    return {verdict: int(counts[verdict]) for verdict in VERDICTS if verdict in counts}


def summary(table: pd.DataFrame) -> str:
    """How many claims there are, and how many of their parts have each verdict.

    Of those that cannot be compared, also in how many the direction holds.
    """
    claims = len(set(zip(table["paper"], table["id"].str.partition("-")[0], strict=True)))
    counts = ", ".join(f"{number} {verdict}" for verdict, number in counts_by_verdict(table).items())
    judged = table[(table["verdict"] == "not comparable") & table["direction"].isin(["holds", "does not hold"])]
    counts = f"{claims} claims, {len(table)} numbers and statements: {counts}"
    if judged.empty:
        return counts
    holds = int((judged["direction"] == "holds").sum())
    return f"{counts}; of those not comparable, the direction holds in {holds} of {len(judged)}"


def as_page(table: pd.DataFrame, titles: Mapping[str, str], edition: str) -> str:
    """The scoreboard in Markdown: counts by verdict, then a table for each paper.

    Parameters
    ----------
    titles
        What the page calls each paper, by its short name.
    """
    several = table["model"].nunique() > 1
    lines = [
        f"# Scoreboard of the edition `{edition}`",
        "",
        f"{summary(table)}.",
        "",
        *_LEGEND,
        "",
    ]
    for paper, rows in table.groupby("paper", sort=False):
        titles_row = ["claim", "where", "what", *(["model"] if several else []), "published", "replicated", "verdict"]
        lines += [f"## {titles[paper]}", "", _line(titles_row), _line(["---"] * len(titles_row))]
        for _, row in rows.iterrows():
            model = [_text(row["model"])] if several else []
            verdict = [row["verdict"] + (f": {_outcome(row)}" if _outcome(row) else "")]
            numbers = [published_text(row), replicated_text(row)]
            lines.append(_line([row["id"], row["place"], row["statement"], *model, *numbers, *verdict]))
        lines.append("")
    return "\n".join(lines)


_LEGEND = (
    "*Reproduced*: the replicated number is within the claim's tolerance of the published one, or the published one",
    "within the 95 % interval (in parentheses); a statement without a number is true here. *Direction only*: the",
    "number differs, but what it is evidence for is true here. *Not comparable*: another model or corpus than the",
    "paper's; where that makes sense, whether the statement is true here. Of several numbers the means are shown, and",
    "their tolerance is for the mean absolute difference. Where a claim names layers of the paper's encoder, ours are",
    "those at the same relative depth: of 6 layers, the last stands for the last two of 12. `scoreboard.csv` has all",
    "digits, and the table and column of each number.",
)


def published_text(row: Mapping) -> str:
    """A published number, range or list, as it is printed."""
    if _text(row["published_list"]):
        return row["published_list"]
    if pd.notna(row["published_low"]):
        return bounds_text(number_text(row["published_low"]), number_text(row["published_high"]))
    return number_text(row["published"]) + _count(row)


def replicated_text(row: Mapping) -> str:
    """A replicated number with its interval, or a list, as it is printed."""
    if _text(row["replicated_list"]):
        return row["replicated_list"]
    if pd.isna(row["replicated"]):
        return _NO_VALUE
    interval = ""
    if pd.notna(row["low"]):
        interval = f" ({bounds_text(number_text(row['low']), number_text(row['high']))})"
    return number_text(row["replicated"]) + interval


def _count(row: Mapping) -> str:
    return f" (mean of {row['cells']:.0f})" if row["cells"] > 1 and pd.notna(row["published"]) else ""


def number_text(value: float) -> str:
    """A number with three significant digits, or whole if it has more; a dash where there is none.

    It is rounded to the digits of ``scoreboard.csv`` first, from which the paper takes it.
    """
    if pd.isna(value):
        return _NO_VALUE
    value = float(f"{value:.6g}")
    text = f"{value:.0f}" if abs(value) >= 100 else f"{value:.3g}"
    return text.replace("-", "\N{MINUS SIGN}")


def _outcome(row: Mapping) -> str:
    """What is said beside the verdict: whether the direction holds, and why numbers cannot be compared."""
    direction = row["direction"] if row["verdict"] == "not comparable" else ""
    return "; ".join(part for part in (_text(direction), _text(row["reason"])) if part)


def _text(value: object) -> str:
    return "" if pd.isna(value) else str(value)


def _line(cells: Iterable[object]) -> str:
    return f"| {' | '.join(_text(cell).replace('|', chr(92) + '|') for cell in cells)} |"
