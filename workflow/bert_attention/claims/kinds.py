"""Kinds of evidence, by the texts and labels behind a corpus, a result or a claim.

============= ================================================================================================
real          text written by people, with labels given by people, or without labels
silver        the same text with automatic parses
model-labeled attention maps of such text, labeled by a language model
stand-in      text or labels that the workflow makes if no package has real ones: they demonstrate an analysis,
              and no claim is judged on them
============= ================================================================================================
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from bert_attention.corpora.relations import clark_name
from bert_attention.downloads.sources import entries_with_sources
from bert_attention.kovaleva.column_values import TAGGED_FEATURES
from bert_attention.results import results

REAL, SILVER, MODEL_LABELED, STAND_IN = "real", "silver", "model-labeled", "stand-in"

_STAND_IN_TEXT = "stand-in:"
_STAND_IN_TRANSLATION = "trained:stand-in"


def kind_of_corpus(edition: Mapping, name: str) -> str:
    """Return the kind of one of the edition's corpora, by its name below ``corpora``, or of its ``labeled_maps``.

    A corpus is a stand-in if any part of it is a stand-in. The alignment is also a stand-in if a translation model was
    trained on a stand-in.
    """
    if name == "labeled_maps":
        return MODEL_LABELED if edition["pattern_annotation"]["labeled_by"] == "language_model" else REAL
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
    corpora = claim.get("needs", {}).get("corpora", ())
    kinds = {kind_of_corpus(edition, name) for name in corpora if name != "tasks"}
    if (
        STAND_IN in kinds
        or ("tasks" in corpora and _has_stand_in(_tasks(claim, edition["corpora"]["tasks"])))
        or (model and is_trained_on_stand_in(model))
    ):
        return STAND_IN
    if MODEL_LABELED in kinds:
        return MODEL_LABELED
    return SILVER if SILVER in kinds or _needs_parses(claim.get("measured", {})) else REAL


def is_trained_on_stand_in(model: Mapping) -> bool:
    """Return True for a translation model that was trained on the stand-in for parallel text."""
    return model["source"] == _STAND_IN_TRANSLATION


def parser_specific_relations(claim: Mapping, published_relations: Iterable[str] = ()) -> list[str]:
    """Return the relations of a claim that a parser can define in another way than Clark et al.

    Except in clauses with a copula, the relations of the paper's table 1 are the same in a parser's scheme (ClearNLP)
    and in the paper's scheme (Stanford Dependencies). Other relations are not.

    Parameters
    ----------
    published_relations
        The relations whose published numbers the claim compares, if its query includes every relation.
    """
    names = _names(claim.get("measured", {}).get("where", {}).get("relation")) or published_relations
    return [name for name in names if name != "all" and not clark_name(name)]


def _tasks(claim: Mapping, tasks: Mapping) -> dict:
    """Return the settings of the tasks that a claim's filter names, or of all tasks of the edition."""
    wanted = claim.get("measured", {}).get("where", {}).get("task")
    excluded = _names(wanted.get("not")) if isinstance(wanted, Mapping) else []
    return {name: tasks.get(name) for name in _names(wanted) or tasks if name not in excluded}


def _has_stand_in(settings: object) -> bool:
    return any(entry["source"].startswith(_STAND_IN_TEXT) for _, entry in entries_with_sources(settings))


def _needs_parses(query: Mapping) -> bool:
    """Return True if a query's numbers depend on the parser's tags or relations of task examples."""
    if not query or query["table"] not in results().tables or not results().tables[query["table"]].is_parsed:
        return False
    filters = (query.get("where", {}), query.get("minus", {}).get("where", {}))
    features = {name for where in filters for name in _names(where.get("feature"))}
    return not features or not features.isdisjoint(TAGGED_FEATURES)


def _names(wanted: object) -> list[str]:
    """Return the names in the filter of a column, including alternatives in inner lists."""
    if isinstance(wanted, str):
        return [wanted]
    parts = wanted.get("in") if isinstance(wanted, Mapping) else wanted
    return [name for part in parts for name in _names(part)] if isinstance(parts, list) else []
