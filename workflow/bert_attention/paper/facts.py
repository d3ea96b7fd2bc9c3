"""The numbers in the paper's prose, which are called facts: queries of the result tables, and formats.

``workflow/report/facts.yaml`` lists the facts and describes their keys.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from string import Formatter

import numpy as np
import pandas as pd
import yaml

from bert_attention.claims.publications import Publication, read_publication
from bert_attention.errors import InputError, nearest
from bert_attention.kovaleva.column_values import METRIC_LABELS, TASK_LABELS
from bert_attention.paper.layout import decimal, percent
from bert_attention.statistics.jackknife import Replicates
from bert_attention.statistics.queries import Measured, NoneWithinLimitsError, NothingFoundError, measure
from bert_attention.statistics.tables import FLOAT_FORMAT
from bert_attention.tables import bounds_text

_LABELS = {"cls": "[CLS]", "sep": "[SEP]"} | TASK_LABELS | METRIC_LABELS
_OWN_KEYS = ("text", "pick", "labels", "if_none")
# Keys that combine rows into numbers.
_COMBINES = ("by", "each", "take", "minus", "divided_by", "over")


@dataclass(frozen=True)
class Fact:
    """A number in the prose. ``facts.yaml`` describes ``text``, ``pick``, ``labels`` and ``if_none``.

    Attributes
    ----------
    location
        The location of the fact, for messages.
    query
        The query for :func:`measure`.
    depth
        The number of layers of the encoder that the query's ``layers`` refer to.
    """

    location: str
    query: Mapping
    text: str
    depth: int = 0
    pick: str | Mapping[str, float] | None = None
    labels: Mapping[str, str] = field(default_factory=dict)
    if_none: str | None = ""


def read_facts(path: Path | str, claims: Iterable[Path | str]) -> dict[str, Fact]:
    """Return the facts of a file by name.

    Parameters
    ----------
    claims
        Files of the papers' claims, for facts that use the query of a claim. Without the paper's file, such a fact is
        skipped.

    Raises
    ------
    InputError
        If a fact refers to a claim, or by ``like`` to another fact, that does not exist.
    """
    content = yaml.safe_load(Path(path).read_text(encoding="utf-8"))
    publications = [read_publication(file) for file in claims]
    claims_by_id = {claim["id"]: (claim, publication) for publication in publications for claim in publication.claims}
    papers = {publication.path.stem for publication in publications}
    entries = {name: {"table": table, **entry} for table, group in content.items() for name, entry in group.items()}
    merged = {name: _merged(entries, name, path) for name in entries}
    return {
        name: _fact(f"{path}, {name}", entry, claims_by_id)
        for name, entry in merged.items()
        if "claim" not in entry or entry["table"].partition("_")[0] in papers
    }


def _merged(entries: Mapping[str, Mapping], name: str, path: Path | str) -> dict:
    """Return the entry of a fact, merged with the entry of the fact under ``like``."""
    entry = dict(entries[name])
    if "like" not in entry:
        return entry
    like = entry.pop("like")
    base = _merged(entries, _known(like, entries, f"{path}, {name}"), path)
    return {**base, **entry, "where": {**base.get("where", {}), **entry.get("where", {})}}


def _known(name: str, known: Iterable[str], location: str) -> str:
    if name not in known:
        raise InputError(location, f"there is no {name}", f"did you mean {nearest(name, known)}?")
    return name


def _fact(location: str, entry: Mapping, claims: Mapping[str, tuple[Mapping, Publication]]) -> Fact:
    own = {key: entry[key] for key in _OWN_KEYS if key in entry}
    if "claim" not in entry:
        return Fact(location, {key: value for key, value in entry.items() if key not in _OWN_KEYS}, **own)
    claim, publication = claims[_known(entry["claim"], claims, location)]
    return Fact(location, claim["measured"], depth=publication.depth, **own)


def facts(requested: Mapping[str, Fact], tables: Mapping[str, Replicates]) -> dict[str, str]:
    """Return the texts of the facts whose tables are given. Facts without data are skipped if ``if_none`` is null.

    Raises
    ------
    InputError
        If a table lacks a row, a column or a number that a fact needs.
    """
    texts = {name: _text(fact, tables) for name, fact in requested.items() if fact.query["table"] in tables}
    return {name: text for name, text in texts.items() if text is not None}


def _text(fact: Fact, tables: Mapping[str, Replicates]) -> str | None:
    try:
        return _Text(fact, tables).vformat(fact.text, (), {})
    except NothingFoundError:
        if fact.if_none == "":
            raise
        return fact.if_none


class _Text(Formatter):
    """Formatter of a fact's text. Its fields are numbers that queries find."""

    def __init__(self, fact: Fact, tables: Mapping[str, Replicates]) -> None:
        self._fact = fact
        self._tables = tables
        self._found = _picked(self._measured(), fact)

    def get_value(self, key: int | str, args: tuple, kwargs: Mapping) -> Measured | list:
        """Return the query's numbers for an integer key, else the numbers of a column or the values of ``by``."""
        if isinstance(key, int):
            return self._found
        keys = self._found.numbers.index
        if key in keys.names:
            return [*keys.get_level_values(key)]
        first_key = zip(keys.names, keys[0], strict=True) if isinstance(keys, pd.MultiIndex) else ()
        where = {**self._fact.query.get("where", {}), **dict(first_key)}
        return self._measured(where=where, **({"take": "count"} if key == "rows" else {"column": key}))

    def format_field(self, value: Measured | list, form: str) -> str:
        """Return the text of numbers, or the labels of the values of ``by``."""
        if isinstance(value, Measured):
            return number_text(value, form)
        labels = _LABELS | self._fact.labels
        order = {key: index for index, key in enumerate(labels)}
        return ", ".join(str(labels.get(key, key)) for key in sorted(value, key=lambda key: order.get(key, len(order))))

    def _measured(self, **changes: object) -> Measured:
        """Return the result of the fact's query. With changes, the rows are not combined."""
        query = self._fact.query
        if changes:
            query = {key: value for key, value in query.items() if key not in _COMBINES} | changes
        return measure(query, self._tables.__getitem__, self._fact.depth, self._fact.location)


def _picked(found: Measured, fact: Fact) -> Measured:
    """Return the numbers that a fact picks by ``pick``."""
    numbers = found.numbers
    match fact.pick:
        case None:
            return found
        case {"at_least": limit}:
            keys = numbers.index[numbers >= limit]
        case "first" | "last":
            keys = numbers.index[[0 if fact.pick == "first" else -1]]
        case _:
            keys = numbers.index[[numbers.argmax() if fact.pick == "largest" else numbers.argmin()]]
    if keys.empty:
        raise NoneWithinLimitsError(fact.location, f"no number matches `pick: {fact.pick}`", "add a text by `if_none`")
    return found.at(keys)


# Functions that format a number, and the unit that follows the number.
_FORMS: dict[str, tuple[Callable[[float], str], str]] = {
    "": ("{:,.0f}".format, ""),
    "count": ("{:,.0f}".format, ""),
    "share": (percent, "%"),
    "points": (percent, ""),
    "lost": (lambda fraction: percent(-fraction), ""),
    "p": (lambda p: f"p = {p:.3f}" if p >= 0.0005 else "p < 0.001", ""),
}


def number_text(found: Measured, form: str) -> str:
    """Return numbers as text, in a form that the head of ``facts.yaml`` describes.

    Fractional numbers are first rounded to the digits of the result tables, so that text and tables agree.
    """
    *parts, form = form.split(" ")
    form_number, unit = _FORMS.get(form) or (decimal(int(form)), "")

    def write(number: float) -> str:
        return form_number(number if float(number).is_integer() else float(FLOAT_FORMAT % number))

    if not parts:
        low, high = write(found.numbers.min()), write(found.numbers.max())
        return f"{low}{unit}" if low == high else f"{low} to {high}{unit}"
    texts = []
    for value, low, high in zip(*map(np.atleast_1d, found.interval()), strict=True):
        bounds = "" if pd.isna(low) else bounds_text(write(low), write(high))
        texts.append(bounds if parts == ["bounds"] else write(value) + unit + (f" ({bounds})" if bounds else ""))
    return ", ".join(texts)
