"""Claims are real, silver or stand-in by the corpora and tables that they are measured on."""

import pytest

from bert_attention.judging.claims import Claim, Paper
from bert_attention.judging.kinds import kind_of_claim

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


def claim(*needs, **about):
    paper = Paper("clark/claims.py", "Clark et al. 2019", "bert", 12, {})
    return Claim("C01", "a label", "A statement.", "section 3", None, paper, needs=needs, **about)


@pytest.mark.parametrize(
    ("claim", "expected"),
    [
        (claim(), "real"),
        (claim("wikipedia", "labeled_maps"), "model-labeled"),
        (claim("treebank", "labeled_maps"), "model-labeled"),
        (claim("coreference", "labeled_maps"), "stand-in"),
        (claim("wikipedia", "treebank"), "silver"),
        (claim("treebank", "coreference"), "stand-in"),
        (claim("alignment"), "stand-in"),
        (claim("tasks"), "stand-in"),
        (claim("tasks", tasks=["sst2"]), "real"),
        (claim("tasks", tasks=["sst2", "rte"]), "stand-in"),
        (claim("tasks", other_tasks=["rte"]), "real"),
        (claim("tasks", other_tasks=["rte", "qqp"]), "real"),
        (claim("tasks", other_tasks=["sst2"]), "stand-in"),
        (claim("tasks", tasks=["sst2"], is_parsed=True), "silver"),
    ],
)
def test_a_claim_has_the_weakest_kind_of_evidence_that_it_uses(claim, expected):
    assert kind_of_claim(claim, EDITION) == expected


def test_labels_by_people_are_real():
    by_people = EDITION | {"pattern_annotation": {"labeled_by": "people"}}
    assert kind_of_claim(claim("wikipedia", "labeled_maps"), by_people) == "real"
    assert kind_of_claim(claim("treebank", "labeled_maps"), by_people) == "silver"


def test_a_translation_model_that_learned_from_a_stand_in_is_no_evidence():
    real = EDITION | {"translation_models": [{"name": "opus", "source": "hub:opus@1"}]}
    assert kind_of_claim(claim("alignment"), real, real["translation_models"][0]) == "real"
    assert kind_of_claim(claim(), EDITION, EDITION["translation_models"][0]) == "stand-in"
