"""Every number of the paper's prose, from the tables of a run."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from types import ModuleType

import pandas as pd

from bert_attention.paper import clark_facts, coenen_facts, kobayashi_facts, kovaleva_facts, vig_facts
from bert_attention.paper.cells import MissingCellError
from bert_attention.paper.layout import NO_VALUE


def _functions(paper: str, module: ModuleType) -> dict[str, Callable[..., str | None]]:
    """The public functions that a module defines, by the names that their numbers have in the template."""
    return {
        f"{paper}_{name}": function
        for name, function in inspect.getmembers(module, inspect.isfunction)
        if function.__module__ == module.__name__ and not name.startswith("_")
    }


FACTS = {
    **_functions("clark", clark_facts),
    **_functions("kovaleva", kovaleva_facts),
    **_functions("kobayashi", kobayashi_facts),
    **_functions("coenen", coenen_facts),
    **_functions("vig", vig_facts),
}


def tables_of(fact: str) -> tuple[str, ...]:
    """The result tables that a number is taken from."""
    return tuple(inspect.signature(FACTS[fact]).parameters)


def facts(tables: Mapping[str, pd.DataFrame]) -> dict[str, str]:
    """The numbers as text, by name: all those whose tables are there, and for which an edition has data.

    Raises
    ------
    MissingCellError
        If a table has no cell for a number; it says which number, table and cell.
    """
    found = {name: _number(name, tables) for name in FACTS if all(table in tables for table in tables_of(name))}
    return {name: text for name, text in found.items() if text is not None}


def _number(name: str, tables: Mapping[str, pd.DataFrame]) -> str | None:
    needed = tables_of(name)
    try:
        text = FACTS[name](*(tables[table] for table in needed))
    except MissingCellError as error:
        raise MissingCellError(f"number {name} of the paper: {error}") from None
    except KeyError as error:
        raise MissingCellError(f"number {name} of the paper: {', '.join(needed)}: has no column {error}") from None
    if text is not None and NO_VALUE.text in text:
        raise MissingCellError(f"number {name} of the paper: {', '.join(needed)}: has an empty cell ({text})")
    return text
