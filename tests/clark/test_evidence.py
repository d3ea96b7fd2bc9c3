"""Sentences that the best heads have right and wrong: which they are, and who is who in them."""

import numpy as np
import pandas as pd

from bert_attention.clark.evidence import evidence
from tests.treebanks import random_sequences, sentence_of

OBJECT = [("She", 2, "nsubj"), ("sees", 0, "root"), ("it", 2, "obj"), ("now", 2, "advmod"), (".", 2, "punct")]


def heads(direction="dependent_to_head", relations=("all", "obj")):
    columns = ["relation", "selection", "variant", "layer", "head", "direction"]
    chosen = (("same_data", 2, 3), ("held_out", 1, 1))
    rows = [(name, data, "described", *head, direction) for name in relations for data, *head in chosen]
    return pd.DataFrame(rows, columns=columns)


def maps(treebank, looks_at, direction="dependent_to_head"):
    """The best head has the word of the number ``looks_at`` for the third word, the first dependent of ``obj``."""
    sequences = random_sequences(treebank, layers=2, heads=3)
    for sequence, place in zip(sequences, looks_at, strict=True):
        best = sequence.attention[1, 2] if direction == "dependent_to_head" else sequence.attention[1, 2].T
        best[3] = 0
        best[3, place] = 0.7
    return sequences


def outcomes(found):
    return found.groupby("sentence", sort=False)["right"].first().to_dict()


def test_the_first_two_that_are_right_and_the_first_two_that_are_wrong():
    treebank = [sentence_of(*OBJECT)] * 7
    found = evidence(maps(treebank, [1, 2, 2, 4, 2, 1, 2]), treebank, heads())
    assert outcomes(found) == {2: True, 3: True, 1: False, 4: False}
    assert set(found["relation"]) == {"obj"}
    assert set(zip(found["layer"], found["head"], strict=True)) == {(2, 3)}


def test_words_have_their_roles_and_weights_in_both_directions():
    treebank = [sentence_of(*OBJECT)] * 2
    for direction in ("dependent_to_head", "head_to_dependent"):
        found = evidence(maps(treebank, [2, 4], direction), treebank, heads(direction))
        right, wrong = (rows for _, rows in found.groupby("sentence"))
        assert right["role"].tolist() == ["", "head", "dependent", "", ""]
        assert wrong["role"].tolist() == ["", "head", "dependent", "predicted", ""]
        np.testing.assert_allclose(wrong["weight"], [0, 0, 0, 0.7, 0], atol=1e-6)
        assert wrong["word"].tolist() == ["She", "sees", "it", "now", "."]
        assert wrong["place"].tolist() == [1, 2, 3, 4, 5]


def test_long_sentences_are_left_out_unless_the_relation_is_in_no_others():
    """A table needs rows: a small treebank may have long sentences alone."""
    long, short = sentence_of(*OBJECT, *[("now", 2, "advmod")] * 14), sentence_of(*OBJECT)
    other = sentence_of(OBJECT[0], ("comes", 0, "root"), *OBJECT[3:], ("again", 2, "advmod"))
    for treebank, shown in (([long, short], {2: True}), ([long, other], {1: True})):
        assert outcomes(evidence(maps(treebank, [2] * len(treebank)), treebank, heads())) == shown


def test_the_head_of_all_relations_is_shown_where_no_relation_is_frequent_enough():
    """A treebank of some hundred words may have no relation of 100 instances."""
    found = evidence(
        maps([sentence_of(*OBJECT)], [2]), [sentence_of(*OBJECT)], heads(relations=["all", "all_without_punctuation"])
    )
    assert set(found["relation"]) == {"all"}
    assert found["role"].tolist()[:2] == ["dependent", "head"]
