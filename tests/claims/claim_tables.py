"""Shared by the tests of claims: small tables with every row that claims ask for, and an edition like the paper's."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cache

import pandas as pd

from bert_attention.claims.publications import Publication, read_publication
from bert_attention.claims.scoreboard import scoreboard
from bert_attention.claims.verdicts import CORPORA
from bert_attention.kovaleva.column_values import TASK_LABELS
from bert_attention.statistics.jackknife import Replicates
from tests.conftest import ROOT

ALL_CORPORA = tuple(CORPORA)


@cache
def claims_of(paper: str) -> Publication:
    """Return the publication of a paper."""
    return read_publication(ROOT / "workflow" / "claims" / f"{paper}.yaml")


_NAME = "google-bert/bert-base-uncased"
BERT = {"name": "bert", "source": f"hub:{_NAME}@0 sha256:{claims_of('clark').weights[_NAME][0]}"}


def rows(*keys: Mapping, **columns: object) -> pd.DataFrame:
    """A row for each combination of the values of each of ``keys``, with more ``columns``.

    Values of several columns that go together have the columns' names as their key.
    """
    return pd.concat([_combined(named) for named in keys], ignore_index=True).assign(**columns)


def _combined(values_of: Mapping) -> pd.DataFrame:
    table = pd.DataFrame({"": [0]})
    for key, values in values_of.items():
        names = list(key) if isinstance(key, tuple) else [key]
        table = table.merge(pd.DataFrame(list(values), columns=names), how="cross")
    return table.drop(columns="")


def board(
    paper: str,
    tables: Mapping[str, pd.DataFrame | Replicates],
    model: Mapping = BERT,
    entries: tuple[str, ...] = ("",),
    weights: Mapping[str, list[str]] | None = None,
    **edition: object,
) -> pd.DataFrame:
    """The scoreboard of one paper, by the ids of its claims; where nothing else is said, all is the paper's own.

    ``entries`` are what the ids begin with, ``weights`` digests of further models.
    """
    edition = {
        "models": [model],
        "translation_models": [],
        "corpora": {"tasks": {task: {"source": "hub:glue@1"} for task in TASK_LABELS}},
        "papers_corpora": list(ALL_CORPORA),
        **edition,
    }
    publication = claims_of(paper)
    asked = [claim for claim in publication.claims if claim["id"].startswith(entries)]
    ids = {claim["id"] for claim in asked}
    # A claim is asked for without the claims that it names, unless they are asked for, too.
    unknown = {key for claim in asked for key in ("restates", "given") if claim.get(key, claim["id"]) not in ids}
    asked = tuple({key: value for key, value in claim.items() if key not in unknown} for claim in asked)
    chosen = replace(publication, claims=asked, weights=publication.weights | (weights or {}))
    replicates = {n: without_noise(table) if isinstance(table, pd.DataFrame) else table for n, table in tables.items()}
    return scoreboard({paper: chosen}, lambda _, name: replicates.get(name), edition).set_index("id")


def without_noise(table: pd.DataFrame) -> Replicates:
    """A table that is the same without each of twenty blocks: its numbers have intervals of no width."""
    return Replicates(table, [table] * 20)


def published_rows(paper: str, table: str) -> pd.DataFrame:
    """The rows of a published table."""
    return pd.DataFrame(claims_of(paper).tables[table]["rows"])


def published_curve(paper: str, figure: str, series: str) -> pd.Series:
    """A published curve by layer."""
    (found,) = [c["by_layer"] for c in claims_of(paper).curves if (c["figure"], c["series"]) == (figure, series)]
    return pd.Series(found, index=range(1, len(found) + 1))


def asked_columns(paper: str) -> dict[str, set[str]]:
    """The columns that the queries of a paper name, by table."""
    found = {}
    for query in (claim["measured"] for claim in claims_of(paper).claims if "measured" in claim):
        for part in (query, {"table": query["table"], **query.get("minus", {})}):
            names = {*part.get("where", {}), *part.get("heads", {}), *part.get("by", [])}
            names |= {part[key] for key in ("column", "each") if key in part}
            found.setdefault(part["table"], set()).update(names)
    return found


def ids_of(paper: str) -> list[str]:
    """The ids of a paper's list that its claims answer, parts left out, each once."""
    return list(dict.fromkeys(claim["id"].partition("-")[0] for claim in claims_of(paper).claims))
