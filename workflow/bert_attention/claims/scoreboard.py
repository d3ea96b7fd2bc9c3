"""The scoreboard: each claim of the papers with its published and its replicated numbers and a verdict by rule."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import asdict, replace
from functools import cache, partial
from pathlib import Path

import numpy as np
import pandas as pd

from bert_attention.claims.evidence import INCONCLUSIVE, LEVEL, MET, NOT_MET
from bert_attention.claims.kinds import REAL, SILVER, STAND_IN, kind_of_claim, relations_of_another_scheme
from bert_attention.claims.publications import Publication, check_references, published_numbers
from bert_attention.claims.verdicts import (
    CONFIRMED,
    IN_STATEMENT,
    NO_CONTROL,
    NOT_APPLICABLE,
    NOT_CONFIRMED,
    NOT_MEASURED,
    NOT_REPRODUCED,
    NOT_SPECIFIC,
    REPRODUCED,
    Judgment,
    control_unknown,
    differences,
    finding,
    is_model,
    judge,
    not_measured,
    p_value,
    with_control,
    with_reason,
    without_statement,
)
from bert_attention.errors import InputError, nearest
from bert_attention.kovaleva.column_values import learned_tasks
from bert_attention.plan import control_of
from bert_attention.results import Table, results
from bert_attention.statistics.false_discoveries import largest_p_value
from bert_attention.statistics.jackknife import Replicates, control_rows
from bert_attention.statistics.queries import (
    EmptyCellError,
    Measured,
    NoneWithinLimitsError,
    NothingFoundError,
    measure,
)
from bert_attention.statistics.tables import read_replicates
from bert_attention.tables import bounds_text

_NO_VALUE = "\N{EM DASH}"
_TASK_COLUMNS = ("task", "task_a", "task_b")
# Reason for not judging a claim whose numbers exist, but are no evidence.
ON_STAND_IN = "measured on a stand-in"
# Words on a premise in a reason, by the condition of the premise.
_NOT_SO = {NOT_MET: "does not hold", INCONCLUSIVE: "is inconclusive", "": "is not measured"}


def scoreboard(
    publications: Mapping[str, Publication],
    tables: Callable[[str, str], Replicates | None],
    edition: Mapping,
) -> pd.DataFrame:
    """Return a table with a row for each claim and each model on which the claim is measured.

    Parameters
    ----------
    publications
        The publication of each paper, by the paper's short name.
    tables
        Function that returns a result table or a control, given the name of a model and of the table. It returns None
        for a table that the edition does not make.
    edition
        The configuration: its models, its corpora, and the corpora that the papers used.

    Returns
    -------
    DataFrame
        The table that ``results.yaml`` describes as ``scoreboard``. ``model`` is empty if no model is measured.

    Raises
    ------
    InputError
        If a claim names a table, column or claim that does not exist. Also if a comparable claim matches no row, or if
        a claim matches several rows without saying how to combine them.
    """
    check_references(publications.values())
    judged = []
    of_learned = cache(partial(_of_learned, tables))
    for paper, publication in publications.items():
        for claim in publication.claims:
            for model in _models(claim, publication, edition):
                judged.append((paper, claim, model, _judged(claim, publication, model, of_learned, edition)))
    conditions = {(claim["id"], _name(model)): judgment.condition for _, claim, model, judgment in judged}
    premises = {claim["id"]: claim["given"] for _, claim, *_ in judged if "given" in claim}
    judgments = []
    for _, claim, model, found in judged:
        # A claim that restates another claim also has the other claim's premise.
        premise = premises.get(claim["id"], premises.get(claim.get("restates")))
        condition = conditions.get((premise, _name(model)), MET)
        lacking = found.condition and condition != MET
        reason = f"needs {premise}, which {_NOT_SO.get(condition)} here"
        judgments.append(without_statement(found, reason) if lacking else found)
    described = [_description(*entry[:3], edition) for entry in judged]
    return _with_findings(pd.DataFrame(described), judgments)


def find_tables(paths: Iterable[Path | str], folder: Path) -> Callable[[str, str], Replicates | None]:
    """Return a function that reads a result table with its replicates, given the name of a model and of the table.

    The function returns None for a table that is not among the files.

    Parameters
    ----------
    paths
        Tables of the models, ``<folder>/<model>/tables/<name>.csv``, and of the edition,
        ``<folder>/tables/<name>.csv``. Controls are in ``tables/control``.
    """
    files = {path.relative_to(folder).with_suffix("").as_posix(): path for path in map(Path, paths)}

    @cache
    def read(model: str, name: str) -> Replicates | None:
        path = files.get(f"{model}/tables/{name}", files.get(f"tables/{name}"))
        return read_replicates(path) if path else None

    return read


def _name(model: Mapping | None) -> str | None:
    return model["name"] if model else None


def _place(publication: Publication, claim: Mapping) -> str:
    return f"{publication.path}, claim {claim['id']}"


def _contract(claim: Mapping, name: str, publication: Publication) -> Table:
    if name not in results().tables:
        guess = nearest(name, results().tables)
        raise InputError(_place(publication, claim), f"there is no table {name}", f"did you mean {guess}?")
    return results().tables[name]


def _models(claim: Mapping, publication: Publication, edition: Mapping) -> list[Mapping | None]:
    """Return the models on which a claim is measured, or a single None if the claim is about no model."""
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
) -> Judgment:
    if reason := _why_not_measured(claim, publication, model, tables, edition):
        return not_measured(claim, publication, reason)
    reasons = differences(claim, publication, model, edition["papers_corpora"])
    query = claim["measured"]
    contract, name, place = (
        _contract(claim, query["table"], publication),
        _name(model) or "",
        _place(publication, claim),
    )
    if contract.per == "translation_model":
        query = {**query, "where": {"model": name, **query.get("where", {})}}

    def found(called: Callable[[str], str], where: Mapping, seed: str = "") -> Measured:
        """Run the query on tables whose names ``called`` returns, with a changed filter, for one random encoder."""

        def replicates(table: str) -> Replicates:
            _contract(claim, table, publication)
            made = tables(name, called(table))
            if made is None:
                raise _NotMadeError(place, f"the edition does not make {called(table)}", "add what it needs")
            return control_rows(made, seed) if seed and "seed" in made.whole else made

        asked = {**query, "where": {**query.get("where", {}), **where}}
        return measure(asked, replicates, claim.get("needs", {}).get("depth", publication.depth), place)

    try:
        measured = found(str, {})
        judgment = judge(claim, publication, measured, reasons)
    except NothingFoundError as error:
        problem = claim.get("if_empty", "") if isinstance(error, EmptyCellError) else ""
        if not reasons and not problem and not isinstance(error, NoneWithinLimitsError):
            raise
        return not_measured(claim, publication, "; ".join([*reasons, problem or error.problem]))
    if not judgment.condition:
        return judgment
    if claim.get("control") == IN_STATEMENT:
        return replace(judgment, control=IN_STATEMENT)
    if "control" in claim:
        of_random = [partial(found, str, claim["control"])]
    else:
        of_random = [partial(found, control_of, {}, seed) for seed in _seeds(tables(name, control_of(query["table"])))]
    try:
        seeds = list(_with_heads_of_the_kind(of_random))
        if len(seeds) < len(of_random):
            judgment = with_reason(judgment, f"{len(seeds)} of {len(of_random)} random encoders have such heads")
        if len(seeds) < min(2, len(of_random)):  # a single random encoder would hide how much they vary
            return replace(judgment, control=NOT_APPLICABLE)
        return with_control(judgment, claim, publication, measured, seeds)
    except _NotMadeError:
        return judgment
    except NothingFoundError as error:
        return control_unknown(judgment, f"random weights: {error.problem}")


def _why_not_measured(
    claim: Mapping, publication: Publication, model: Mapping | None, tables: Callable, edition: Mapping
) -> str:
    """Return the reason why a claim is not measured on a model, or an empty text if it is measured."""
    if "absent" in claim:
        return claim["absent"]
    query = claim["measured"]
    if reason := _unfit_for_evidence(claim, publication, model, edition):
        return reason
    asked_for = _tasks_asked_for(query.get("where", {}))
    for tasks in asked_for:
        if not any(edition["corpora"]["tasks"].get(task) for task in tasks):
            return f"the edition has no {' or '.join(tasks)}"
    if model and claim.get("heads_of_model") and not is_model(model, publication.weights.get(publication.model, ())):
        return f"the statement names heads of {publication.model}"
    finetuned = _contract(claim, query["table"], publication).finetuned
    for tasks in asked_for or [edition["corpora"]["tasks"]]:
        if finetuned and not _learned(tables, _name(model) or "", tasks):
            return f"the model has not learned {' or '.join(tasks)}"
    return ""


def _unfit_for_evidence(claim: Mapping, publication: Publication, model: Mapping | None, edition: Mapping) -> str:
    """Return the reason why the edition's text is no evidence on a claim, or an empty text if it is evidence."""
    kind = kind_of_claim(claim, edition, model)
    if kind == STAND_IN:
        return ON_STAND_IN
    if kind == SILVER:
        published = published_numbers(claim, publication)
        keys = (
            [] if published is None or "relation" not in published.index.names else published.index.unique("relation")
        )
        if relations_of_another_scheme(claim, keys):
            return "the parser may define these relations in another way than the paper"
    return ""


def _with_heads_of_the_kind(of_seeds: Iterable[Callable[[], Measured]]) -> Iterator[Measured]:
    """Yield the numbers of each random encoder that has heads of the kind that the claim is about."""
    for of_seed in of_seeds:
        with suppress(NoneWithinLimitsError):
            yield of_seed()


def _seeds(control: Replicates | None) -> list[str]:
    """Return the numbers of the random encoders in a control; one empty number if the table has no seeds."""
    return sorted(map(str, control.whole["seed"].unique())) if control and "seed" in control.whole else [""]


class _NotMadeError(NothingFoundError):
    """Error for a table that an edition does not make."""


def _learned(tables: Callable, model: str, tasks: Iterable[str]) -> set[str]:
    """Return the tasks that a model has learned, or all tasks if it was not scored."""
    scores = tables(model, "kovaleva_finetuning")
    return {*tasks} & learned_tasks(scores.whole) if scores else {*tasks}


def _of_learned(tables: Callable, model: str, name: str) -> Replicates | None:
    """Return a result table or a control. A table of fine-tuned models has only the rows of learned tasks."""
    found = tables(model, name)
    if found is None or not results().table(name).finetuned:
        return found
    columns = [column for column in _TASK_COLUMNS if column in found.whole]
    learned = _learned(tables, model, found.whole[columns].stack())
    return found.made_into(lambda rows: rows[rows[columns].isin(learned).all(axis=1)].reset_index(drop=True))


def _tasks_asked_for(where: Mapping) -> list[list[str]]:
    """Return lists of tasks that a filter names. The edition needs at least one task of each list."""
    wanted = [where[column] for column in _TASK_COLUMNS if column in where]
    lists = [value.get("in", []) if isinstance(value, Mapping) else [value] for value in wanted]
    return [tasks for tasks in lists if tasks]


def _description(paper: str, claim: Mapping, model: Mapping | None, edition: Mapping) -> dict:
    """Return a row of the scoreboard without its judgment."""
    query = claim.get("measured", {})
    return {
        "id": claim["id"],
        "paper": paper,
        "model": _name(model),
        "place": claim["place"],
        "label": claim["label"],
        "statement": claim["statement"],
        "restates": claim.get("restates"),
        "text": kind_of_claim(claim, edition, model),
        "margin_reason": claim.get("margin_reason"),
        "provenance": claim["provenance"] + (", from memory, unsure" if claim.get("confidence") == "low" else ""),
        "table": query.get("table"),
        "column": query.get("column"),
        "note": claim.get("note"),
    }


# Names of the kinds of evidence in sentences.
EVIDENCE = {REAL: "real text", SILVER: "real text with automatic parses"}

# The verdicts on statements, with what a sentence says of one finding and of several.
STATEMENTS = {
    CONFIRMED: ("is confirmed", "are confirmed"),
    NOT_SPECIFIC: ("is just as true of random weights", "are just as true of random weights"),
    NO_CONTROL: ("holds but no control applies", "hold but no control applies"),
    NOT_CONFIRMED: ("is not confirmed", "are not confirmed"),
    INCONCLUSIVE: ("is inconclusive", "are inconclusive"),
}
NUMBERS = (REPRODUCED, NOT_REPRODUCED, INCONCLUSIVE)


def _with_findings(board: pd.DataFrame, judgments: list[Judgment]) -> pd.DataFrame:
    """Return the scoreboard with the verdicts on statements, which depend on the number of judged facts.

    The facts on one encoder and one kind of evidence (real or silver) are a family. At most 5 % of a family's confirmed
    or not confirmed statements are expected to be judged wrongly. A claim that restates a fact is judged at the level
    of the family, and not counted.
    """
    board = pd.concat([board, pd.DataFrame(map(asdict, judgments))], axis=1)
    board["text"] = board["text"].where((board["verdict"] != NOT_MEASURED) | (board["reason"] == ON_STAND_IN))
    board["p_of_finding"] = [p_value(judgment) for judgment in judgments]
    judged = board.assign(fact=board["restates"].fillna(board["id"]))[board["condition"] != ""]
    first = judged.sort_values("restates", key=pd.notna, kind="stable")  # claims that restate nothing come first
    counted = first.drop_duplicates(["model", "text", "fact"]).index
    board["counted"] = board.index.isin(counted)
    board["level"] = np.nan
    for _, rows in judged.groupby(["model", "text"], dropna=False):
        tested = board.loc[rows.index.intersection(counted), "p_of_finding"].dropna()
        board.loc[rows.index, "level"] = largest_p_value(tested, LEVEL)
    board["finding"] = [finding(judgment, level) for judgment, level in zip(judgments, board["level"], strict=True)]
    luck = (board["finding"] == INCONCLUSIVE) & (board["p_of_finding"] <= LEVEL)
    board.loc[luck, "reason"] = [
        "; ".join(
            filter(None, [row.reason, f"p = {row.p_of_finding:.2g}; for so many facts it has to be {row.level:.2g}"])
        )
        for row in board[luck].itertuples()
    ]
    return board


def counts(board: pd.DataFrame) -> pd.DataFrame:
    """Count the facts with each verdict, by paper and by kind of evidence: ``real`` or ``silver``.

    No fact is judged on a stand-in.
    """
    found = board[board["counted"]].groupby(["paper", "text", "finding"], sort=False).size().unstack(fill_value=0)
    return found.reindex(columns=list(STATEMENTS), fill_value=0)


def numbers_judged(board: pd.DataFrame) -> dict[str, int]:
    """Return how many published numbers were compared, by verdict."""
    return {verdict: int((board["verdict"] == verdict).sum()) for verdict in NUMBERS}


def summary(board: pd.DataFrame) -> list[str]:
    """Say what a run found: published numbers that were compared, findings by kind of evidence, then stand-ins."""
    numbers = {verdict: number for verdict, number in numbers_judged(board).items() if number}
    if numbers:
        said = [f"{number} {'is' if number == 1 else 'are'} {verdict}" for verdict, number in numbers.items()]
        lines = [_of(sum(numbers.values()), "published number", "can be compared", said)]
    else:
        lines = ["No published number is compared: the encoder or the corpora are not the papers'."]
    by_kind = counts(board).groupby("text").sum()
    models = board.loc[board["counted"], "model"].nunique()
    where = f"these {models} models" if models > 1 else "this encoder"
    for kind, title in EVIDENCE.items():
        if kind not in by_kind.index:
            continue
        found = {verdict: number for verdict, number in by_kind.loc[kind].items() if number}
        said = [f"{number} {STATEMENTS[verdict][number != 1]}" for verdict, number in found.items()]
        lines.append(_of(sum(found.values()), "finding", f"can be tested on {where} and {title}", said))
    if unjudged := int((board["text"] == STAND_IN).sum()):
        statements, get = ("statement is", "gets") if unjudged == 1 else ("statements are", "get")
        lines.append(f"{unjudged} {statements} only measured on stand-ins, and {get} no verdict.")
    return lines


def _of(number: int, what: str, which: str, said: list[str]) -> str:
    """Return the sentence on all things of a kind, of which so many have each verdict."""
    if number == 1:
        return f"The one {what} that {which} {said[0].partition(' ')[2]}."
    return f"Of {number} {what}s that {which}, {', '.join(said)}."


def as_page(board: pd.DataFrame, titles: Mapping[str, str], edition: str) -> str:
    """Return the scoreboard in Markdown: a summary, then a table for each paper.

    Parameters
    ----------
    titles
        The page's title for each paper, by the paper's short name.
    """
    several = board["model"].nunique() > 1
    lines = [
        f"# Scoreboard of the edition `{edition}`",
        "",
        *summary(board),
        "",
        *_LEGEND,
        "",
    ]
    for paper, rows in board.groupby("paper", sort=False):
        titles_row = [
            "claim",
            "where",
            "what",
            *(["model"] if several else []),
            "published",
            "here",
            "control",
            "over control",
            "verdict",
        ]
        lines += [f"## {titles[paper]}", "", _line(titles_row), _line(["---"] * len(titles_row))]
        for _, row in rows.iterrows():
            model = [_text(row["model"])] if several else []
            numbers = [published_text(row), replicated_text(row), number_text(row["control_value"]), gain_text(row)]
            lines.append(_line([row["id"], row["place"], row["statement"], *model, *numbers, verdict_text(row)]))
        lines.append("")
    return "\n".join(lines)


_LEGEND = (
    "A number is *reproduced* if its whole 95% interval (in parentheses) is within a margin of the published one,",
    "*not reproduced* if all of it is outside, else *inconclusive*; it is compared only where encoder and corpora are",
    "the paper's. A statement is *confirmed* if the interval lies on the stated side of its threshold, and farther on",
    "that side than random weights do, by the interval of the difference (the column `over control`), and *not",
    "confirmed* if the interval lies on the other side. A true statement that is not confirmed is *not specific to",
    "training* if it is true of random weights as well, or even more so; that describes both, and does not test if",
    "they are equal. All else is *inconclusive*. The control is the same encoder with random weights, its embeddings",
    "kept. Where random weights have no such heads, or none can be asked, a true statement is *true, no control",
    "applies*, and not counted as confirmed. A claim that restates another is shown, and not counted. Of many",
    "statements some would pass by luck: the limits of p are those of Benjamini and Hochberg, so that at most 5% of",
    "the statements that are *confirmed*, *not confirmed*, or *true, no control applies* are expected to be judged",
    "wrongly. These facts are counted apart by what they are measured on (`text` in `scoreboard.csv`): *real* text,",
    "without labels or with those that people gave, and *silver*, real text with automatic parses. On a stand-in",
    "nothing is judged. Of several numbers the means are shown, and each is judged. Where a claim names layers of the",
    "paper's encoder, ours are those at the same relative depth: of 6 layers, the last stands for the last two of 12.",
    "`scoreboard.csv` has all digits and margins, and says where each number stands.",
)


def published_text(row: Mapping) -> str:
    """Return the text of a published number, range or list."""
    if _text(row["published_list"]):
        return row["published_list"]
    if pd.notna(row["published_low"]):
        return bounds_text(number_text(row["published_low"]), number_text(row["published_high"]))
    return number_text(row["published"]) + _count(row)


def replicated_text(row: Mapping) -> str:
    """Return the text of a replicated number with its interval, or of a replicated list."""
    if _text(row["replicated_list"]):
        return row["replicated_list"]
    if pd.isna(row["replicated"]):
        return _NO_VALUE
    return _with_interval(row["replicated"], row["low"], row["high"])


def gain_text(row: Mapping) -> str:
    """Return the text of the gain: how much farther beyond the threshold the encoder is than random weights are."""
    return _with_interval(row["gain"], row["gain_low"], row["gain_high"])


def _with_interval(value: float, low: float, high: float) -> str:
    interval = f" ({bounds_text(number_text(low), number_text(high))})" if pd.notna(low) else ""
    return number_text(value) + interval


def _count(row: Mapping) -> str:
    return f" (mean of {row['cells']:.0f})" if row["cells"] > 1 and pd.notna(row["published"]) else ""


def number_text(value: float) -> str:
    """Return a number with three significant digits, or all digits of a larger whole number; a dash for NaN.

    The number is first rounded to the digits of ``scoreboard.csv``, from which the paper takes it.
    """
    if pd.isna(value):
        return _NO_VALUE
    value = float(f"{value:.6g}")
    text = f"{value:.0f}" if abs(value) >= 100 else f"{value:.3g}"
    return text.replace("-", "\N{MINUS SIGN}")


def verdict_text(row: Mapping) -> str:
    """Return the verdict on a row's statement, with the verdict on the control, then the verdict on its number."""
    statement, number, control = (_text(row[name]) for name in ("finding", "verdict", "control"))
    if statement and control:
        statement += f" (control: {control})"
    restated = f"restates {row['restates']}" if _text(row["restates"]) else ""
    return "; ".join(filter(None, [statement, number, restated, _text(row["reason"])]))


def _text(value: object) -> str:
    return "" if pd.isna(value) else str(value)


def _line(cells: Iterable[object]) -> str:
    return f"| {' | '.join(_text(cell).replace('|', chr(92) + '|') for cell in cells)} |"
