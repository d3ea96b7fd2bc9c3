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

from collections.abc import Mapping

from bert_attention.corpora.relations import clark_name
from bert_attention.downloads.sources import entries_with_sources
from bert_attention.judging.claims import Claim

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


def kind_of_claim(claim: Claim, edition: Mapping, model: Mapping | None = None) -> str:
    """Return the kind of evidence on a claim: the weakest kind among its corpora, tasks and parses.

    ``model`` is the encoder or the translation model that is measured, if there is one.
    """
    kinds = {kind_of_corpus(edition, name) for name in claim.needs if name != "tasks"}
    if (
        STAND_IN in kinds
        or ("tasks" in claim.needs and _has_stand_in(_tasks(claim, edition["corpora"]["tasks"])))
        or (model and is_trained_on_stand_in(model))
    ):
        return STAND_IN
    if MODEL_LABELED in kinds:
        return MODEL_LABELED
    return SILVER if SILVER in kinds or claim.is_parsed else REAL


def is_trained_on_stand_in(model: Mapping) -> bool:
    """Return True for a translation model that was trained on the stand-in for parallel text."""
    return model["source"] == _STAND_IN_TRANSLATION


def parser_specific_relations(claim: Claim) -> list[str]:
    """Return the relations of a claim that a parser can define in another way than Clark et al.

    Except in clauses with a copula, the relations of the paper's table 1 are the same in a parser's scheme (ClearNLP)
    and in the paper's scheme (Stanford Dependencies). Other relations are not.
    """
    return [name for name in claim.relations if name != "all" and not clark_name(name)]


def _tasks(claim: Claim, tasks: Mapping) -> dict:
    """Return the settings of the tasks that a claim is about: those that it names, or all tasks of the edition."""
    return {name: tasks.get(name) for name in claim.tasks or tasks if name not in claim.other_tasks}


def _has_stand_in(settings: object) -> bool:
    return any(entry["source"].startswith(_STAND_IN_TEXT) for _, entry in entries_with_sources(settings))
