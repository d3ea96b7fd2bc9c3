"""Kinds of evidence, by the texts and labels behind a corpus, a result or a claim.

======== ===================================================================================================
real     text written by people, with labels given by people, or without labels
silver   the same text with automatic parses
stand-in text or labels that the workflow makes where no package has real ones: they demonstrate an analysis,
         and no claim is judged by them
======== ===================================================================================================
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from bert_attention.corpora.relations import clark_name
from bert_attention.downloads.sources import entries_with_sources
from bert_attention.kovaleva.column_values import TAGGED_FEATURES
from bert_attention.results import results

REAL, SILVER, STAND_IN = "real", "silver", "stand-in"

_STAND_IN_TEXT = "stand-in:"
_STAND_IN_TRANSLATION = "trained:stand-in"


def kind_of_corpus(edition: Mapping, name: str) -> str:
    """Return the kind of one of the edition's corpora, by its name below ``corpora``.

    A corpus is a stand-in if any part of it is a stand-in. The alignment is also a stand-in if a translation model was
    trained on a stand-in.
    """
    settings = edition["corpora"].get(name)
    models = edition["translation_models"] if name == "alignment" else []
    if _has_stand_in(settings) or any(is_trained_on_stand_in(model) for model in models):
        return STAND_IN
    return SILVER if name == "treebank" and settings and settings["trees"] != "gold" else REAL


def kind_of_claim(claim: Mapping, edition: Mapping, model: Mapping | None = None) -> str:
    """Return the kind of evidence on a claim: the weakest kind among its corpora, tasks and parses.

    Parameters
    ----------
    model
        The encoder or the translation model that is measured, if there is one.
    """
    kinds = {kind_of_corpus(edition, name) for name in _corpora_asked_for(claim)}
    kinds.add(_kind_of_tasks(claim, edition))
    if STAND_IN in kinds or (model and is_trained_on_stand_in(model)):
        return STAND_IN
    return SILVER if SILVER in kinds or _needs_parses(claim.get("measured", {})) else REAL


def is_trained_on_stand_in(model: Mapping) -> bool:
    """Return True if a model of the edition is a translation model that was trained on the stand-in's pairs."""
    return model["source"] == _STAND_IN_TRANSLATION


def relations_of_another_scheme(claim: Mapping, published_relations: Iterable[str] = ()) -> list[str]:
    """Return the relations in a claim that parsers need not define as Clark et al. do.

    Only the relations of the paper's table 1 are the same in a parser's scheme (ClearNLP) and in the paper's scheme
    (Stanford Dependencies).

    Parameters
    ----------
    published_relations
        The relations whose published numbers the claim compares, if its query includes every relation.
    """
    asked = _named(claim.get("measured", {}).get("where", {}).get("relation")) or list(published_relations)
    return [name for name in asked if name != "all" and not clark_name(name)]


def _corpora_asked_for(claim: Mapping) -> list[str]:
    needs = claim.get("needs", {}).get("corpora", ())
    return [name for name in needs if name not in ("labeled_maps", "tasks")]


def _kind_of_tasks(claim: Mapping, edition: Mapping) -> str:
    """Return the kind of a claim's tasks: the tasks that its filter names, or all tasks of the edition."""
    if "tasks" not in claim.get("needs", {}).get("corpora", ()):
        return REAL
    tasks = edition["corpora"]["tasks"]
    wanted = claim.get("measured", {}).get("where", {}).get("task")
    excluded = wanted.get("not") if isinstance(wanted, Mapping) else None
    asked = {name: tasks.get(name) for name in _named(wanted) or tasks if name != excluded}
    return STAND_IN if _has_stand_in(asked) else REAL


def _has_stand_in(settings: object) -> bool:
    return any(entry["source"].startswith(_STAND_IN_TEXT) for _, entry in entries_with_sources(settings))


def _needs_parses(query: Mapping) -> bool:
    """Return True if a query's numbers depend on the parser's tags or relations of task examples."""
    if not query or query["table"] not in results().tables or not results().tables[query["table"]].is_parsed:
        return False
    filters = [query.get("where", {}), query.get("minus", {}).get("where", {})]
    features = [name for where in filters for name in _named(where.get("feature"))]
    return not features or not set(features).isdisjoint(TAGGED_FEATURES)


def _named(value: object) -> list[str]:
    """Return the values that the filter of a column names, including alternatives."""
    return list(_flat(value.get("in", ()) if isinstance(value, Mapping) else value))


def _flat(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Iterable):
        for part in value:
            yield from _flat(part)
