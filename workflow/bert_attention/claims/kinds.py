"""Kinds of evidence: what a corpus, a result or a claim is measured on.

======== ===================================================================================================
real     text that people wrote, with labels that people gave, or without labels
silver   the same text with the parses of a program
stand-in text or labels that the workflow makes where no package has the real ones: it shows an analysis, and
         nothing is judged by it
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

    A corpus that has a stand-in as a part is a stand-in, and so is the alignment of a translation model that learned
    from one.
    """
    settings = edition["corpora"].get(name)
    models = edition["translation_models"] if name == "alignment" else []
    if _has_stand_in(settings) or any(is_trained_on_stand_in(model) for model in models):
        return STAND_IN
    return SILVER if name == "treebank" and settings and settings["trees"] != "gold" else REAL


def kind_of_claim(claim: Mapping, edition: Mapping, model: Mapping | None = None) -> str:
    """Return the kind of what a claim's numbers are measured on: the weakest of its parts.

    Parameters
    ----------
    model
        The encoder or the translation model that is measured, if it is about one.
    """
    kinds = {kind_of_corpus(edition, name) for name in _corpora_asked_for(claim)}
    kinds.add(_kind_of_tasks(claim, edition))
    if STAND_IN in kinds or (model and is_trained_on_stand_in(model)):
        return STAND_IN
    return SILVER if SILVER in kinds or _needs_parses(claim.get("measured", {})) else REAL


def is_trained_on_stand_in(model: Mapping) -> bool:
    """Return True if a model of the edition is a translation model that learned from the stand-in's pairs."""
    return model["source"] == _STAND_IN_TRANSLATION


def relations_of_another_scheme(claim: Mapping, published_relations: Iterable[str] = ()) -> list[str]:
    """Return the relations that a claim asks about and that parsers need not define as Clark et al. do.

    Only the relations of their table 1 are the same in a parser's scheme (ClearNLP) and in theirs (Stanford
    Dependencies).

    Parameters
    ----------
    published_relations
        The relations whose published numbers the claim compares, if its query asks for every relation.
    """
    asked = _named(claim.get("measured", {}).get("where", {}).get("relation")) or list(published_relations)
    return [name for name in asked if name != "all" and not clark_name(name)]


def _corpora_asked_for(claim: Mapping) -> list[str]:
    needs = claim.get("needs", {}).get("corpora", ())
    return [name for name in needs if name not in ("labelled_maps", "tasks")]


def _kind_of_tasks(claim: Mapping, edition: Mapping) -> str:
    """Return the kind of the tasks that a claim asks about: those that its filter names, or all of the edition."""
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
    """Return True if a query's numbers depend on the tags or relations that the parser gave to examples of tasks."""
    if not query or query["table"] not in results().tables or not results().tables[query["table"]].is_parsed:
        return False
    filters = [query.get("where", {}), query.get("minus", {}).get("where", {})]
    features = [name for where in filters for name in _named(where.get("feature"))]
    return not features or not set(features).isdisjoint(TAGGED_FEATURES)


def _named(value: object) -> list[str]:
    """Return the values that a filter of one column names, those of alternatives included."""
    return list(_flat(value.get("in", ()) if isinstance(value, Mapping) else value))


def _flat(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Iterable):
        for part in value:
            yield from _flat(part)
