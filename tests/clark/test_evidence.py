"""Sentences that the best heads get right and wrong: which are chosen, and the roles of their words."""

import numpy as np
import pandas as pd
import pytest

from bert_attention.errors import InputError
from bert_attention.papers.clark.evidence import evidence
from bert_attention.papers.clark.examples import examples
from tests.treebanks import random_sequences, sentence_of

OBJECT = [("She", 2, "nsubj"), ("sees", 0, "root"), ("it", 2, "obj"), ("now", 2, "advmod"), (".", 2, "punct")]


def heads(direction="dependent_to_head", relations=("all", "obj")):
    columns = ["relation", "selection", "variant", "layer", "head", "direction"]
    chosen = (("same_data", 2, 3), ("held_out", 1, 1))
    rows = [(name, data, "described", *head, direction) for name in relations for data, *head in chosen]
    return pd.DataFrame(rows, columns=columns)


def maps(treebank, predictions, direction="dependent_to_head"):
    """Maps in which the best head predicts a word, by its number, for the third word, the first object."""
    sequences = random_sequences(treebank, layers=2, heads=3)
    for sequence, predicted in zip(sequences, predictions, strict=True):
        best = sequence.attention[1, 2] if direction == "dependent_to_head" else sequence.attention[1, 2].T
        best[3] = 0
        best[3, predicted] = 0.7
    return sequences


def outcomes(found):
    return found.groupby("sentence", sort=False)["right"].first().to_dict()


def test_the_first_two_right_and_the_first_two_wrong_sentences_are_shown():
    treebank = [sentence_of(*OBJECT)] * 7
    found = evidence(maps(treebank, [1, 2, 2, 2, 4, 1, 2]), treebank, heads())
    assert outcomes(found) == {2: True, 3: True, 1: False, 5: False}
    assert found[["relation", "layer", "head"]].drop_duplicates().to_numpy().tolist() == [["obj", 2, 3]]


@pytest.mark.parametrize("direction", ["dependent_to_head", "head_to_dependent"])
def test_words_have_roles_and_weights(direction):
    treebank = [sentence_of(*OBJECT)] * 2
    found = evidence(maps(treebank, [2, 4], direction), treebank, heads(direction))
    right, wrong = (rows for _, rows in found.groupby("sentence"))
    assert right["role"].tolist() == ["", "head", "dependent", "", ""]
    assert wrong["role"].tolist() == ["", "head", "dependent", "predicted", ""]
    np.testing.assert_allclose(wrong["weight"], [0, 0, 0, 0.7, 0], atol=1e-6)
    assert wrong["word"].tolist() == ["She", "sees", "it", "now", "."]
    assert wrong["index"].tolist() == [1, 2, 3, 4, 5]


def test_a_marker_that_attends_to_its_own_possessor_is_wrong():
    """Table 1 counts it as wrong, too. The possessor's role stays that of the dependent."""
    words = [("Tom", 3, "poss"), ("'s", 1, "possessive"), ("book", 4, "nsubj"), ("fell", 0, "root")]
    treebank = [sentence_of(*words)] * 2
    sequences = random_sequences(treebank, layers=2, heads=3)
    for sequence, predicted in zip(sequences, (3, 1), strict=True):
        sequence.attention[1, 2, 2] = np.eye(6)[predicted] * 0.8
    found = evidence(sequences, treebank, heads(relations=["all", "poss"]))
    assert outcomes(found) == {1: True, 2: False}
    assert found["role"].tolist() == ["dependent", "", "head", ""] * 2


def test_long_sentences_are_left_out_unless_the_relation_is_in_no_others():
    long, short = sentence_of(*OBJECT, *[("now", 2, "advmod")] * 14), sentence_of(*OBJECT)
    other = sentence_of(OBJECT[0], ("comes", 0, "root"), *OBJECT[3:], ("again", 2, "advmod"))
    for treebank, shown in (([long, short], {2: True}), ([long, other], {1: True})):
        assert outcomes(evidence(maps(treebank, [2] * len(treebank)), treebank, heads())) == shown


def test_without_a_frequent_relation_the_head_of_all_relations_is_shown():
    relations = ["all", "all_without_punctuation"]
    found = evidence(maps([sentence_of(*OBJECT)], [2]), [sentence_of(*OBJECT)], heads(relations=relations))
    assert set(found["relation"]) == {"all"}
    assert found["role"].tolist()[:2] == ["dependent", "head"]


@pytest.mark.parametrize("analysis", [evidence, examples])
def test_a_treebank_without_dependents_is_an_error(analysis):
    treebank = [sentence_of(("Go", 0, "root"))]
    with pytest.raises(InputError, match="no sentence has a word that depends on another"):
        analysis(random_sequences(treebank), treebank, heads(relations=["all"]))
