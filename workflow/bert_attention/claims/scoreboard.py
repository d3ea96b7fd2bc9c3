"""The scoreboard: every claim of the papers, published beside replicated, with a verdict by rule."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, replace
from functools import cache, partial
from pathlib import Path

import pandas as pd

from bert_attention.claims.publications import Publication
from bert_attention.claims.queries import Measured, NoneWithinLimitsError, NothingFoundError, measure
from bert_attention.claims.verdicts import (
    FAILS,
    HOLDS,
    NOT_COMPARABLE,
    NOT_MEASURED,
    NOT_REPRODUCED,
    REPRODUCED,
    UNDECIDED,
    Judgement,
    differences,
    is_generated,
    is_model,
    judge,
    not_measured,
    with_control,
)
from bert_attention.errors import InputError, nearest
from bert_attention.kovaleva.column_values import learnt_tasks
from bert_attention.results import Table, control_of, results
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
        A result table by the name of a model and its own, or that of its control; None for a table that the edition
        does not make.
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
    of_learnt = cache(partial(_of_learnt, tables))
    for paper, publication in publications.items():
        for claim in publication.claims:
            for model in _models(claim, publication, edition):
                judgement = _judged(claim, publication, model, of_learnt, edition)
                rows.append(_row(paper, claim, model, edition, judgement))
    return pd.DataFrame(rows)


def find_tables(paths: Iterable[Path | str], folder: Path) -> Callable[[str, str], Replicates | None]:
    """A function that reads the result table of a model, with its replicates, by both names.

    It returns None for a table that is not among the files.

    Parameters
    ----------
    paths
        Tables of an edition: ``<folder>/tables/<name>.csv``, and ``<folder>/<model>/tables/<name>.csv`` where there are
        several models; those of a control are in ``tables/control``.
    """
    files = {path.relative_to(folder).with_suffix("").as_posix(): path for path in map(Path, paths)}

    @cache
    def table(model: str, name: str) -> Replicates | None:
        path = files.get(f"{model}/tables/{name}", files.get(f"tables/{name}"))
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
    contract, asked_for = _contract(claim, query["table"], publication), _tasks_asked_for(query.get("where", {}))
    for tasks in asked_for:
        if not any(edition["corpora"]["tasks"].get(task) for task in tasks):
            return not_measured(claim, publication, f"the edition has no {' or '.join(tasks)}")
    if model and claim.get("heads_of_model") and not is_model(model, publication.weights.get(publication.model, ())):
        return not_measured(claim, publication, f"the statement names heads of {publication.model}")
    name, place = model["name"] if model else "", _place(publication, claim)
    for tasks in asked_for or [edition["corpora"]["tasks"]]:
        if contract.finetuned and not _learnt(tables, name, tasks):
            return not_measured(claim, publication, f"the model has not learnt {' or '.join(tasks)}")
    if contract.per == "translation_model":
        query = {**query, "where": {"model": name, **query.get("where", {})}}

    def found(called: Callable[[str], str], where: Mapping) -> Measured:
        """What the query finds in tables, or in those of random weights, be it in other rows."""

        def table(asked: str) -> Replicates:
            _contract(claim, asked, publication)
            made = tables(name, called(asked))
            if made is None:
                raise _NotMadeError(place, f"the edition does not make {called(asked)}", "add what it needs")
            return made

        asked = {**query, "where": {**query.get("where", {}), **where}}
        return measure(asked, table, claim.get("needs", {}).get("depth", publication.depth), place)

    try:
        judgement = judge(claim, publication, found(str, {}), reasons)
    except NothingFoundError as error:
        if not reasons and not isinstance(error, NoneWithinLimitsError):
            raise
        return not_measured(claim, publication, "; ".join([*reasons, error.problem]))
    return _beside_control(judgement, claim, publication, found) if judgement.direction else judgement


def _beside_control(
    judgement: Judgement,
    claim: Mapping,
    publication: Publication,
    found: Callable[[Callable[[str], str], Mapping], Measured],
) -> Judgement:
    """A judged statement with whether it holds of random weights, too."""
    if claim.get("control") == "in the statement":
        return replace(judgement, control=FAILS)
    try:
        of_random = found(str, claim["control"]) if "control" in claim else found(control_of, {})
        return with_control(judgement, claim, publication, of_random)
    except _NotMadeError:
        return judgement
    except NoneWithinLimitsError:  # random weights have no such head
        return replace(judgement, control=FAILS)
    except NothingFoundError:  # nor such a number
        return replace(judgement, control=UNDECIDED)


class _NotMadeError(NothingFoundError):
    """A table that an edition does not make."""


def _learnt(tables: Callable, model: str, tasks: Iterable[str]) -> set[str]:
    """Those of some tasks that a model has learnt; all, where nothing tells how well it does."""
    scores = tables(model, "kovaleva_finetuning")
    return {*tasks} & learnt_tasks(scores.whole) if scores else {*tasks}


def _of_learnt(tables: Callable, model: str, name: str) -> Replicates | None:
    """A result table, or a control; of fine-tuned models, its rows of tasks that have been learnt."""
    found = tables(model, name)
    if found is None or not results().table(name).finetuned:
        return found
    columns = [column for column in _TASK_COLUMNS if column in found.whole]
    learnt = _learnt(tables, model, found.whole[columns].stack())
    return found.made_into(lambda rows: rows[rows[columns].isin(learnt).all(axis=1)].reset_index(drop=True))


def _tasks_asked_for(where: Mapping) -> list[list[str]]:
    """Tasks that a filter names: of each list, one at least is needed."""
    wanted = [where[column] for column in _TASK_COLUMNS if column in where]
    lists = [value.get("in", []) if isinstance(value, Mapping) else [value] for value in wanted]
    return [tasks for tasks in lists if tasks]


def _row(paper: str, claim: Mapping, model: Mapping | None, edition: Mapping, judgement: Judgement) -> dict:
    query = claim.get("measured", {})
    measured_on = "generated" if is_generated(claim, edition["corpora"]) else "real"
    return {
        "id": claim["id"],
        "paper": paper,
        "model": model["name"] if model else None,
        "place": claim["place"],
        "label": claim["label"],
        "statement": claim["statement"],
        "text": measured_on if judgement.verdict != NOT_MEASURED else None,
        "kind": _kind(judgement),
        **asdict(judgement),
        "margin_reason": claim.get("margin_reason"),
        "provenance": claim["provenance"] + (", remembered poorly" if claim.get("confidence") == "low" else ""),
        "table": query.get("table"),
        "column": query.get("column"),
        "note": claim.get("note"),
    }


# How statements are counted: by whether they hold, and whether they hold of random weights, too.
BEYOND, ALSO_RANDOM, NO_CONTROL = "hold beyond the control", "hold, and may with random weights", "hold, no control"
FAILING, OPEN = "fail", "undecided"
STATEMENTS = (BEYOND, ALSO_RANDOM, NO_CONTROL, FAILING, OPEN)
NUMBERS = (REPRODUCED, NOT_REPRODUCED, UNDECIDED)


def _kind(judgement: Judgement) -> str | None:
    """How a statement is counted; None if there is none, or it was not judged."""
    if judgement.direction != HOLDS:
        return {FAILS: FAILING, UNDECIDED: OPEN}.get(judgement.direction)
    return {FAILS: BEYOND, "": NO_CONTROL}.get(judgement.control, ALSO_RANDOM)


def counts(table: pd.DataFrame) -> pd.DataFrame:
    """How many statements are of each kind, by paper and by what they are measured on (``real`` or ``generated`` text).

    They are not to be added up: what holds of generated text says nothing of a language.
    """
    judged = table[table["kind"].notna()]
    found = judged.groupby(["paper", "text", "kind"], sort=False).size().unstack(fill_value=0)
    return found.reindex(columns=list(STATEMENTS), fill_value=0)


def numbers_judged(table: pd.DataFrame) -> dict[str, int]:
    """How many published numbers were compared, by verdict."""
    compared = table[table["published"].notna() & table["verdict"].isin(NUMBERS)]
    return {verdict: int((compared["verdict"] == verdict).sum()) for verdict in NUMBERS}


def summary(table: pd.DataFrame) -> list[str]:
    """What a run found, in a few lines: numbers that were compared, then statements by what they are measured on."""
    numbers = numbers_judged(table)
    if sum(numbers.values()):
        lines = [f"Published numbers: {', '.join(f'{number} {verdict}' for verdict, number in numbers.items())}."]
    else:
        lines = ["No published number is compared: the encoder or the corpora are not the papers'."]
    by_text = counts(table).groupby("text").sum()
    for text in by_text.index[::-1]:
        said = "; ".join(f"{number} {kind}" for kind, number in by_text.loc[text].items() if number)
        lines.append(f"Statements on {text} text: {said}.")
    return lines


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
        *summary(table),
        "",
        *_LEGEND,
        "",
    ]
    for paper, rows in table.groupby("paper", sort=False):
        titles_row = [
            "claim",
            "where",
            "what",
            *(["model"] if several else []),
            "published",
            "here",
            "control",
            "verdict",
        ]
        lines += [f"## {titles[paper]}", "", _line(titles_row), _line(["---"] * len(titles_row))]
        for _, row in rows.iterrows():
            model = [_text(row["model"])] if several else []
            numbers = [published_text(row), replicated_text(row), number_text(row["control_value"])]
            lines.append(_line([row["id"], row["place"], row["statement"], *model, *numbers, verdict_text(row)]))
        lines.append("")
    return "\n".join(lines)


_LEGEND = (
    "A number is *reproduced* if its whole 95 % interval (in parentheses) is within a margin of the published one,",
    "*not reproduced* if all of it is outside, else *undecided*; it is compared only where encoder and corpora are the",
    "paper's. A statement *holds* if the interval lies on the right side of its threshold, *fails* if it lies on the",
    "other, else it is *undecided*. The control is the same encoder with random weights, its embeddings kept: what",
    "holds there as well says nothing of what was learnt. Of several numbers the means are shown, and each is judged.",
    "Where a claim names layers of the paper's encoder, ours are those at the same relative depth: of 6 layers, the",
    "last stands for the last two of 12. `scoreboard.csv` has all digits, margins, and where each number stands.",
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


def verdict_text(row: Mapping) -> str:
    """The verdict on a row's number, then on its statement, with the control's."""
    parts = [] if row["verdict"] in (HOLDS, FAILS) or pd.isna(row["verdict"]) else [row["verdict"]]
    if _text(row["direction"]):
        control = f" (control: {row['control']})" if _text(row["control"]) else ""
        parts = [f"{row['direction']}{control}"] + [p for p in parts if p not in (NOT_COMPARABLE, UNDECIDED)]
        if row["verdict"] == NOT_COMPARABLE and pd.notna(row["published"]):
            parts.append(NOT_COMPARABLE)
    return "; ".join([*parts, *filter(None, [_text(row["reason"])])])


def _text(value: object) -> str:
    return "" if pd.isna(value) else str(value)


def _line(cells: Iterable[object]) -> str:
    return f"| {' | '.join(_text(cell).replace('|', chr(92) + '|') for cell in cells)} |"
