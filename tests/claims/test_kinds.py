"""Claims are real, silver or stand-in by the corpora and tables that they are measured on."""

import pytest

from bert_attention.claims.kinds import kind_of_claim

EDITION = {
    "corpora": {
        "wikipedia": {"source": "path:text"},
        "treebank": {"train": None, "dev": None, "trees": "spacy"},
        "coreference": {"source": "stand-in:coreference.conllu"},
        "alignment": {"source_text": {"source": "path:a"}, "links": {"source": "path:b"}},
        "tasks": {"sst2": {"source": "path:reviews"}, "rte": {"source": "stand-in:rte"}, "qqp": None},
    },
    "translation_models": [{"name": "own", "source": "trained:stand-in"}],
    "pattern_annotation": {"labeled_by": "language_model"},
}
SEP = {"task": "sst2", "feature": "sep"}


def needs(*corpora, **measured):
    return {"needs": {"corpora": list(corpora)}, "measured": {"table": "clark_positions", **measured}}


def words(where, **measured):
    return needs("tasks", table="kovaleva_features", where=where, **measured)


@pytest.mark.parametrize(
    ("claim", "expected"),
    [
        ({"absent": "no numbers"}, "real"),
        (needs("wikipedia", "labeled_maps"), "model-labeled"),
        (needs("treebank", "labeled_maps"), "model-labeled"),
        (needs("coreference", "labeled_maps"), "stand-in"),
        (needs("wikipedia", "treebank"), "silver"),
        (needs("treebank", "coreference"), "stand-in"),
        (needs("alignment"), "stand-in"),
        (needs("tasks"), "stand-in"),
        (needs("tasks", where={"task": "sst2"}), "real"),
        (needs("tasks", where={"task": {"in": ["sst2", "rte"]}}), "stand-in"),
        (needs("tasks", where={"task": {"not": "rte"}}), "real"),
        (needs("tasks", where={"task": {"not": ["rte", "qqp"]}}), "real"),
        (needs("tasks", where={"task": {"not": "sst2"}}), "stand-in"),
        (words({"task": "sst2", "feature": "noun"}), "silver"),
        (words(SEP), "real"),
        (words({"task": "sst2"}), "silver"),
        (words(SEP, minus={"where": {"feature": {"in": ["negation", "verb"]}}}), "silver"),
        (needs("tasks", table="kovaleva_change", where={"task": "sst2"}), "real"),
    ],
)
def test_a_claim_has_the_weakest_kind_of_evidence_that_it_uses(claim, expected):
    assert kind_of_claim(claim, EDITION) == expected


def test_labels_by_people_are_real():
    by_people = EDITION | {"pattern_annotation": {"labeled_by": "people"}}
    assert kind_of_claim(needs("wikipedia", "labeled_maps"), by_people) == "real"
    assert kind_of_claim(needs("treebank", "labeled_maps"), by_people) == "silver"


def test_a_translation_model_that_learned_from_a_stand_in_is_no_evidence():
    real = EDITION | {"translation_models": [{"name": "opus", "source": "hub:opus@1"}]}
    assert kind_of_claim(needs("alignment"), real, real["translation_models"][0]) == "real"
    assert kind_of_claim(needs(), EDITION, EDITION["translation_models"][0]) == "stand-in"
