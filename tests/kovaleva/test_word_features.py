"""Features of words by their tags and relations."""

import dataclasses

import numpy as np
import pytest

from bert_attention.papers.kovaleva.word_features import NEGATIONS, feature_words, plain_subjects, verb_links
from tests.kovaleva.examples import CAT, DOG, parsed

GIVE = parsed(
    "There was Ann given him a prize by me",
    "There/PRON/EX/4/expl was/AUX/VBD/4/aux:pass Ann/PROPN/NNP/4/nsubj:pass given/VERB/VBN/0/root him/PRON/PRP/4/iobj"
    " a/DET/DT/7/det prize/NOUN/NN/4/obj by/ADP/IN/9/case me/PRON/PRP/4/obl:agent",
)
BE = parsed(
    "What she said is his plan",
    "What/PRON/WP/3/obj she/PRON/PRP/3/nsubj said/VERB/VBD/6/csubj is/AUX/VBZ/6/cop his/PRON/PRP$/6/nmod:poss"
    " plan/NOUN/NN/0/root",
)
TIRED = parsed("She is tired", "She/PRON/PRP/3/nsubj is/AUX/VBZ/3/cop tired/ADJ/JJ/0/root")
ELECT = parsed(
    "They elected her president and seem happy",
    "They/PRON/PRP/2/nsubj elected/VERB/VBD/0/root her/PRON/PRP/2/obj president/NOUN/NN/2/xcomp and/CCONJ/CC/6/cc"
    " seem/VERB/VBP/2/conj happy/ADJ/JJ/6/xcomp",
)
HERE = parsed("You here", "You/PRON/PRP/2/nsubj here/ADV/RB/0/root")

# The same constructions in ClearNLP's labels.
GIVEN = parsed(
    "There was Ann given him a prize by me",
    "There/PRON/EX/4/expl was/AUX/VBD/4/auxpass Ann/PROPN/NNP/4/nsubjpass given/VERB/VBN/0/root him/PRON/PRP/4/dative"
    " a/DET/DT/7/det prize/NOUN/NN/4/dobj by/ADP/IN/4/agent me/PRON/PRP/8/pobj",
)
PLAN = parsed(
    "What she said is his plan",
    "What/PRON/WP/3/dobj she/PRON/PRP/3/nsubj said/VERB/VBD/4/csubj is/AUX/VBZ/0/root his/PRON/PRP$/6/poss"
    " plan/NOUN/NN/4/attr",
)
ELECTED = parsed(  # "plan" is a clause, though it is tagged as a noun
    "They elected her president and plan dinners",
    "They/PRON/PRP/2/nsubj elected/VERB/VBD/0/root her/PRON/PRP/2/dobj president/NOUN/NN/2/oprd and/CCONJ/CC/2/cc"
    " plan/NOUN/NN/2/xcomp dinners/NOUN/NNS/6/dobj",
)


def forms(sentence, feature):
    return [sentence.forms[index] for index in np.flatnonzero(feature_words(sentence)[feature])]


@pytest.mark.parametrize(
    ("sentence", "feature", "expected"),
    [
        (GIVE, "noun", ["Ann", "prize"]),
        (GIVE, "verb", ["was", "given"]),
        (GIVE, "pronoun", ["him", "me"]),  # not "There", which is EX
        (BE, "pronoun", ["she", "his"]),
        (TIRED, "object", []),
        (ELECTED, "object", ["her", "president", "dinners"]),
        (CAT, "punctuation", [",", "."]),
        (DOG, "negation", ["n't"]),
    ],
)
def test_words_have_the_features_worked_out_by_hand(sentence, feature, expected):
    assert forms(sentence, feature) == expected


@pytest.mark.parametrize(
    ("sentence", "feature", "expected"),
    [
        (GIVE, "subject", ["given There", "given Ann", "given me"]),
        (GIVE, "object", ["given him", "given prize"]),
        (BE, "subject", ["said she", "is said"]),
        (BE, "object", ["said What", "is plan"]),
        (TIRED, "subject", ["is She"]),
        (ELECT, "object", ["elected her", "elected president"]),
        (GIVEN, "subject", ["given There", "given Ann", "given by"]),
        (GIVEN, "object", ["given him", "given prize"]),
        (PLAN, "subject", ["said she", "is said"]),
        (PLAN, "object", ["said What", "is plan"]),
        (HERE, "subject", []),
    ],
)
def test_subjects_and_objects_are_linked_with_their_verb(sentence, feature, expected):
    links = verb_links(sentence, feature, feature_words(sentence)[feature])
    assert [f"{sentence.forms[verb]} {sentence.forms[word]}" for verb, word in links] == expected


def test_the_released_code_links_only_nsubj_with_verbs():
    assert plain_subjects(CAT) == [(2, 1), (7, 6)]
    assert plain_subjects(TIRED) == plain_subjects(GIVE) == []
    was_here = parsed("She was here", "She/PRON/PRP/2/nsubj was/AUX/VBD/0/root here/ADV/RB/2/advmod")
    assert plain_subjects(was_here) == [(1, 0)]


@pytest.mark.parametrize(
    ("upos", "feats", "features"),
    [
        ("PROPN", "_", ["noun"]),
        ("AUX", "_", ["verb"]),
        ("PRON", "Case=Acc|PronType=Prs", ["pronoun"]),
        ("PRON", "PronType=Dem", []),
    ],
)
def test_words_without_penn_tags_use_their_part_of_speech(upos, feats, features):
    sentence = parsed("so", f"so/{upos}/_/0/root")
    sentence = dataclasses.replace(sentence, words=(dataclasses.replace(sentence.words[0], feats=feats),))
    found = feature_words(sentence)
    assert [name for name in ("noun", "verb", "pronoun") if found[name][0]] == features


@pytest.mark.parametrize(
    ("form", "negates"),
    [("Nothing", True), ("N’T", True), ("can't", True), ("normal", False), ("knot", False), ("nobody", False)],
)
def test_only_whole_words_of_the_released_list_count_as_negation(form, negates):
    assert len(set(NEGATIONS)) == 17
    assert forms(parsed(form, f"{form}/ADV/RB/0/root"), "negation") == [form] * negates
