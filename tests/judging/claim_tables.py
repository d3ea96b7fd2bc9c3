"""Small tables with every row that claims query, and an edition like the paper's."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import pandas as pd

from bert_attention.corpora.task_names import TASK_LABELS
from bert_attention.judging.claims import CORPORA, Paper
from bert_attention.judging.scoreboard import scoreboard
from bert_attention.papers import paper
from bert_attention.statistics.jackknife import FEWEST_BLOCKS, Replicates


def claims_of(name: str) -> Paper:
    return paper(name)


_NAME = "google-bert/bert-base-uncased"
BERT = {"name": "bert", "source": f"hub:{_NAME}@0 sha256:{claims_of('clark').weights[_NAME][0]}"}
OTHER = {"name": "other", "source": "path:other"}


def rows(*keys: Mapping, **columns: object) -> pd.DataFrame:
    """A row for each combination of the values of each of ``keys``, with more ``columns``.

    Values of several columns that go together have the columns' names as their key.
    """
    return pd.concat([_combinations(values) for values in keys], ignore_index=True).assign(**columns)


def _combinations(values_of: Mapping) -> pd.DataFrame:
    table = pd.DataFrame({"": [0]})
    for key, values in values_of.items():
        names = list(key) if isinstance(key, tuple) else [key]
        table = table.merge(pd.DataFrame(list(values), columns=names), how="cross")
    return table.drop(columns="")


def changed(table: pd.DataFrame, column: str, cells: Mapping[str, object]) -> pd.DataFrame:
    """The table with other values in a column: by queries of rows, one after the other; all rows by an empty query."""
    table = table.copy()
    for query, value in cells.items():
        chosen = table.eval(query) if query else slice(None)
        assert not query or chosen.any(), query
        table.loc[chosen, column] = value
    return table


def board(
    name: str,
    tables: Mapping[str, pd.DataFrame | Replicates],
    model: Mapping = BERT,
    entries: tuple[str, ...] = ("",),
    weights: Mapping[str, list[str]] | None = None,
    **edition: object,
) -> pd.DataFrame:
    """The scoreboard of one paper, by the ids of its claims. By default, model and corpora are the paper's own.

    ``entries`` are the prefixes of the names to judge, ``weights`` digests of further models.
    """
    edition = {
        "models": [model],
        "translation_models": [],
        "pattern_annotation": {"labeled_by": "language_model"},
        "corpora": {"tasks": {task: {"source": "hub:glue@1"} for task in TASK_LABELS}},
        "papers_corpora": list(CORPORA),
        **edition,
    }
    whole = claims_of(name)
    claims = [claim for claim in whole.claims if claim.name.startswith(entries)]
    names = {claim.name for claim in claims}
    # References to claims that are not judged here are dropped.
    unknown = {key for claim in claims for key in ("restates", "premise") if getattr(claim, key) not in {"", *names}}
    chosen = replace(whole, claims=[], weights={**whole.weights, **(weights or {})})
    chosen.claims.extend(replace(claim, paper=chosen, **dict.fromkeys(unknown, "")) for claim in claims)
    replicates = {n: without_noise(table) if isinstance(table, pd.DataFrame) else table for n, table in tables.items()}
    return scoreboard({name: chosen}, lambda _, table: replicates.get(table), edition).set_index("id")


def check_verdicts(paper: str, tables: Mapping[str, pd.DataFrame | Replicates], expected: str, **kwargs) -> None:
    """Check the verdicts on the number and on the condition of claims, such as ``K14: met; K16: reproduced, met``."""
    wanted = dict(part.split(": ") for part in expected.split("; "))
    found = board(paper, tables, entries=tuple(wanted), **kwargs).loc[list(wanted), ["verdict", "condition"]]
    assert {name: ", ".join(filter(None, row)) for name, row in zip(wanted, found.to_numpy(), strict=True)} == wanted


def without_noise(table: pd.DataFrame) -> Replicates:
    """A table that is the same without each block: its numbers have intervals of no width."""
    return Replicates(table, [table] * FEWEST_BLOCKS)


def published_rows(paper: str, table: str) -> pd.DataFrame:
    return claims_of(paper).published(table)


def published_curve(paper: str, figure: str, series: str) -> pd.Series:
    """A published curve by layer."""
    return claims_of(paper).curve(figure, series)
