"""The scoreboard: each claim of the papers with its published and its replicated numbers and a verdict by rule."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import replace
from functools import cache, partial
from pathlib import Path
from warnings import warn

import numpy as np
import pandas as pd

from bert_attention.errors import InputError, nearest
from bert_attention.judging.claims import IN_STATEMENT, Claim, Paper, check_references
from bert_attention.judging.evidence import INCONCLUSIVE, LEVEL, MET, NOT_MET, Comparison, compare
from bert_attention.judging.kinds import (
    SILVER,
    STAND_IN,
    kind_of_claim,
    parser_specific_relations,
)
from bert_attention.judging.learned import learned, learned_rows
from bert_attention.judging.requirements import layers_here, needed_bounds
from bert_attention.judging.verdicts import (
    NO_CONTROL,
    NOT_APPLICABLE,
    NOT_MEASURED,
    PERHAPS_SPECIFIC,
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
    with_control_of_number,
    with_reason,
    without_statement,
)
from bert_attention.plan import control_of
from bert_attention.results import EDITION_FOLDER, results
from bert_attention.statistics.false_discoveries import largest_p_value
from bert_attention.statistics.jackknife import Replicates, control_rows
from bert_attention.statistics.measures import (
    Choices,
    EmptyCellError,
    Function,
    Measured,
    NoneWithinLimitsError,
    NothingFoundError,
    NotMadeError,
    ResultTables,
    TableReader,
    measure,
)
from bert_attention.statistics.tables import read_replicates

# Function from the names of a model and a table to the result table, or to None if there is no such table.
Tables = Callable[[str, str], Replicates | None]

# Reasons for not judging a claim that has numbers: the numbers are no evidence, or the published finding is uncertain.
ON_STAND_IN = "measured on a stand-in"
UNSURE = "recalled, and not sure"
# Reasons for a statement without a verdict, and for a true statement without a control.
NOT_ABOUT_ENCODER = "the statement is about {}, not about an encoder"
HARDLY = "something hardly happens, as in random weights"
# A statement about heads of a kind has no verdict if fewer heads than this are of the kind.
FEWEST_HEADS = 5
# Words about a premise in the text of a reason, by the condition of the premise.
_PREMISE_IS = {NOT_MET: "does not hold", INCONCLUSIVE: "is inconclusive", "": "is not measured"}


def scoreboard(
    papers: Mapping[str, Paper], tables: Tables, edition: Mapping, choices: Choices | None = None
) -> pd.DataFrame:
    """Return a table with a row for each claim and each model on which the claim is measured.

    ``tables`` returns a result table or a control, given the name of a model and of the table, or None if the edition
    does not make the table. Column ``model`` is empty if no model is measured. ``choices`` are those of an alternative
    analysis. Raise InputError if a claim names a column or claim that does not exist.
    """
    check_references(papers.values())
    tables = cache(partial(_learned_rows, tables))
    readers = cache(partial(_Readers, tables, choices=choices))
    judged = [
        (claim, model, *_judge(claim, model, readers(_name(model) or ""), edition))
        for paper in papers.values()
        for claim in paper.claims
        for model in _models(claim, edition)
    ]
    conditions = {(claim.name, _name(model)): judgment.condition for claim, model, judgment, _ in judged}
    premises = {claim.name: _own_name(claim.premise) for claim, *_ in judged if claim.premise}
    judgments, rows = [], []
    for claim, model, judgment, seen in judged:
        # A claim that restates another claim also has the other claim's premise.
        premise = premises.get(claim.name, premises.get(_own_name(claim.restates)))
        condition = conditions.get((premise, _name(model)), MET)
        lacks_premise = judgment.condition and condition != MET
        reason = f"needs {premise}, which {_PREMISE_IS.get(condition)} here"
        judgments.append(without_statement(judgment, reason) if lacks_premise else judgment)
        rows.append({**_description(claim, model, edition), **seen})
    return _with_findings(pd.DataFrame(rows), judgments)


def compared(claims: Iterable[Claim], model: str, tables: Tables) -> dict[str, Comparison]:
    """Return the numbers that claims find on a model, beside the published ones, by the names of the claims.

    ``tables`` are as in :func:`scoreboard`. Raise NothingFoundError if a claim is not measured on the model.
    """
    readers = _Readers(cache(partial(_learned_rows, tables)), model)
    return {
        claim.name: compare(claim, _measured(claim, claim.measure, ResultTables(readers.reader(None), claim.depth)))
        for claim in claims
    }


def find_tables(paths: Iterable[Path | str], folder: Path) -> Tables:
    """Return a function that reads a result table with its replicates, given the name of a model and of the table.

    The function returns None for a table that is not among the files. The paths are
    ``<folder>/<model>/tables/<name>.csv`` for a model, and ``<folder>/edition/tables/<name>.csv`` for the edition.
    Controls are in ``tables/control``.
    """
    files = {path.relative_to(folder).with_suffix("").as_posix(): path for path in map(Path, paths)}

    @cache
    def read(model: str, name: str) -> Replicates | None:
        path = files.get(f"{model}/tables/{name}", files.get(f"{EDITION_FOLDER}/tables/{name}"))
        return read_replicates(path) if path else None

    return read


def _name(model: Mapping | None) -> str | None:
    return model["name"] if model else None


def _own_name(reference: str) -> str:
    """Return the name of a claim without the name of its paper."""
    return reference.rpartition(".")[2]


def _models(claim: Claim, edition: Mapping) -> list[Mapping | None]:
    """Return the models on which a claim is measured, or a single None if the claim is about no model."""
    if claim.measure is None:
        return [None]
    models = {"edition": [None], "translation_model": edition["translation_models"], "model": edition["models"]}
    return models[claim.per]


class _Readers:
    """The readers of a model's tables, and of those of each encoder with random weights."""

    def __init__(self, tables: Tables, model: str, choices: Choices | None = None) -> None:
        self.tables, self.model, self.choices = tables, model, choices
        self.reader = cache(self._reader)

    def _reader(self, seed: str | None) -> TableReader:
        """Return the reader of the model's tables for None, or of the control with this seed."""

        def replicates(table: str) -> Replicates:
            if table not in results().tables:
                guess = nearest(table, results().tables)
                raise InputError("claims", f"there is no table {table}", f"did you mean {guess}?")
            made = self.tables(self.model, table if seed is None else control_of(table))
            if made is None:
                raise NotMadeError("claims", f"the edition does not make {table}", "add what the table needs")
            if results().tables[table].per == "translation_model":
                made = made.where(lambda rows: rows["model"] == self.model)
            return control_rows(made, seed) if seed and "seed" in made.whole else made

        return TableReader(replicates, self.choices)


def _judge(claim: Claim, model: Mapping | None, readers: _Readers, edition: Mapping) -> tuple[Judgment, dict[str, str]]:
    """Return the judgment on a claim, and what its function asked for, as columns of the scoreboard."""
    if claim.measure is None or (reason := _reason_not_measured(claim, model, edition)):
        return not_measured(claim, claim.absent or reason), {}
    reasons = differences(claim, model, edition["papers_corpora"])
    asked = ResultTables(readers.reader(None), claim.depth)
    try:
        measured = _measured(claim, claim.measure, asked)
        judgment = judge(claim, measured, reasons)
    except NothingFoundError as error:
        if reason := _not_learned(claim, asked, readers, edition):
            return not_measured(claim, reason), _seen(claim, asked)
        problem = claim.if_empty if isinstance(error, EmptyCellError) else ""
        if not reasons and not problem and not isinstance(error, NoneWithinLimitsError):
            warn(
                f"claim {claim.name} is not measured, although its numbers are comparable: {error.problem}",
                stacklevel=2,
            )
        return not_measured(claim, "; ".join([*reasons, problem or error.problem])), _seen(claim, asked)
    if reason := _not_learned(claim, asked, readers, edition):
        return not_measured(claim, reason), _seen(claim, asked)
    lack = claim.lack(ResultTables(readers.reader(None), claim.depth)) if claim.lack else ""
    if lack := NOT_ABOUT_ENCODER.format(claim.is_about) if claim.is_about else lack:
        judgment = without_statement(judgment, lack)
    if judgment.condition:
        judgment = _judge_statement(claim, judgment, measured, readers, asked)
    if judgment.verdict == REPRODUCED and claim.model and not claim.is_exact and claim.control != IN_STATEMENT:
        with suppress(NothingFoundError):
            controls, _ = _controls(claim, readers, asked)
            judgment = with_control_of_number(judgment, claim, controls)
    return judgment, _seen(claim, asked)


def _judge_statement(
    claim: Claim, judgment: Judgment, measured: Measured, readers: _Readers, asked: ResultTables
) -> Judgment:
    """Return the judgment with the verdict on random weights, or without the statement if it is about too few heads."""
    if measured.rows_within_limit is not None and measured.rows_within_limit < FEWEST_HEADS:
        heads = "1 head" if measured.rows_within_limit == 1 else f"{measured.rows_within_limit} heads"
        return without_statement(judgment, f"only {heads} of this kind, which is too few for a verdict")
    if claim.control == IN_STATEMENT:
        return replace(judgment, control=IN_STATEMENT)
    try:
        controls, seeds = _controls(claim, readers, asked)
        if len(controls) < seeds:
            judgment = with_reason(judgment, f"{len(controls)} of {seeds} random encoders have such heads")
        if len(controls) < min(2, seeds):  # a single random encoder would hide the variation between them
            return replace(judgment, control=NOT_APPLICABLE)
        return with_control(judgment, claim, measured, controls)
    except NotMadeError:
        return judgment
    except NothingFoundError as error:
        return control_unknown(judgment, f"random weights: {error.problem}")


def _controls(claim: Claim, readers: _Readers, asked: ResultTables) -> tuple[list[Measured], int]:
    """Return the numbers of the random encoders that have heads of the claim's kind, and the number of all of them."""
    function, seeds = claim.control, [None]
    if not callable(function):
        function, seeds = claim.measure, _seeds(readers.tables(readers.model, control_of(name)) for name in asked.asked)
    controls = []
    for seed in seeds:
        # A random encoder can lack heads of the kind that the claim is about.
        with suppress(NoneWithinLimitsError):
            controls.append(_measured(claim, function, ResultTables(readers.reader(seed), claim.depth)))
    return controls, len(seeds)


def _measured(claim: Claim, function: Function, tables: ResultTables) -> Measured:
    return measure(function, tables, claim.limits, claim.is_exact)


def _seen(claim: Claim, asked: ResultTables) -> dict[str, str]:
    """Return the tables that a claim's function asked for, the layers that stand for the paper's, and the subject."""
    tables = ", ".join(asked.asked)
    deepest = asked.deepest if asked.ranges else np.nan  # it is also NaN if the table has no rows
    here = "" if np.isnan(deepest) else layers_here(asked.ranges, claim.depth, int(deepest))
    subject = claim.subject(asked) if claim.subject and asked.asked else ""
    return {"table": tables, "layers_here": here, "subject": subject}


def _reason_not_measured(claim: Claim, model: Mapping | None, edition: Mapping) -> str:
    """Return the reason why a claim is not measured on a model, or an empty text if it is measured."""
    if claim.is_unsure:
        return UNSURE
    kind = kind_of_claim(claim, edition, model)
    if kind == STAND_IN:
        return ON_STAND_IN
    if kind == SILVER and parser_specific_relations(claim):
        return "the parser may define these relations in another way than the paper"
    if lacking := [task for task in claim.tasks if not edition["corpora"]["tasks"].get(task)]:
        return f"the edition has no {', '.join(lacking)}"
    if model and claim.names_heads and not is_model(model, claim.paper.weights.get(claim.paper.model, ())):
        return f"the statement names heads of {claim.paper.model}"
    return ""


def _not_learned(claim: Claim, asked: ResultTables, readers: _Readers, edition: Mapping) -> str:
    """Return the reason why a claim on fine-tuned models is not measured, or an empty text if it is."""
    scores = {results().tables[table].finetuned for table in asked.asked} - {None}
    if not scores:
        return ""
    tasks = claim.tasks or [*edition["corpora"]["tasks"]]
    known = set.intersection(*(learned(partial(readers.tables, readers.model), table, tasks) for table in scores))
    if known and (not claim.tasks or known.issuperset(claim.tasks)):
        return ""
    return f"the model has not learned {', '.join(task for task in tasks if task not in known)}"


def _seeds(controls: Iterable[Replicates | None]) -> list[str]:
    """Return the numbers of the random encoders that all controls have; one empty number if none has seeds."""
    found = [{*control.whole["seed"]} for control in controls if control and "seed" in control.whole]
    return [str(number) for number in sorted(set.intersection(*found))] if found else [""]


def _learned_rows(tables: Tables, model: str, name: str) -> Replicates | None:
    return learned_rows(partial(tables, model), name)


def _description(claim: Claim, model: Mapping | None, edition: Mapping) -> dict:
    """Return a row of the scoreboard without its judgment."""
    return {
        "id": claim.name,
        "work": claim.work,
        "place": claim.at,
        "label": claim.label,
        "statement": claim.statement,
        "restates": _own_name(claim.restates) or None,
        "margin_reason": claim.margin.reason if claim.margin else None,
        "smallest": claim.smallest.size if claim.true_if else np.nan,
        "smallest_reason": claim.smallest.reason if claim.true_if else None,
        "note": claim.note or None,
        "table": None,
        "paper": claim.paper.name,
        "model": _name(model),
        "text": kind_of_claim(claim, edition, model),
        "provenance": claim.provenance + (", unsure" if claim.is_unsure else ""),
        "unit": claim.unit,
        **needed_bounds(claim.true_if),
        "layers_here": "",
        "subject": "",
    }


def _with_findings(board: pd.DataFrame, judgments: list[Judgment]) -> pd.DataFrame:
    """Return the scoreboard with the verdicts on statements, which depend on the number of judged facts.

    The facts on one encoder and one kind of evidence are a family. At most 5% of a family's confirmed
    or not confirmed statements are expected to be judged wrongly. A claim that restates a fact is judged at the level
    of its family, but it is not counted.
    """
    board = pd.concat([board, pd.DataFrame(judgments)], axis=1)
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
    board["finding"] = list(map(finding, judgments, board["level"]))
    has_no_control = (board["finding"] == NO_CONTROL) & ~board["control"].isin(["", NOT_APPLICABLE])
    for index in board.index[has_no_control]:
        board.loc[index, "reason"] = with_reason(judgments[index], HARDLY).reason
    is_limited = board["finding"].isin([INCONCLUSIVE, PERHAPS_SPECIFIC]) & (board["p_of_finding"] <= LEVEL)
    for row in board[is_limited].itertuples():
        reason = f"p = {row.p_of_finding:.2g} is above {row.level:.2g}, the limit for so many facts"
        board.loc[row.Index, "reason"] = with_reason(judgments[row.Index], reason).reason
    return board.drop(columns="says_absence")
