"""Features of words by their tags and relations."""

import dataclasses

import numpy as np
import pytest

from bert_attention.kovaleva.word_features import NEGATIONS, feature_words, plain_subjects, verb_links
from tests.kovaleva.examples import CAT, DOG, parsed

GIVE = parsed(
    "There was Ann given him a prize by me",
    "There PRON EX 4 expl",
    "was AUX VBD 4 aux:pass",
    "Ann PROPN NNP 4 nsubj:pass",
    "given VERB VBN 0 root",
    "him PRON PRP 4 iobj",
    "a DET DT 7 det",
    "prize NOUN NN 4 obj",
    "by ADP IN 9 case",
    "me PRON PRP 4 obl:agent",
)
BE = parsed(
    "What she said is his plan",
    "What PRON WP 3 obj",
    "she PRON PRP 3 nsubj",
    "said VERB VBD 6 csubj",
    "is AUX VBZ 6 cop",
    "his PRON PRP$ 6 nmod:poss",
    "plan NOUN NN 0 root",
)
TIRED = parsed("She is tired", "She PRON PRP 3 nsubj", "is AUX VBZ 3 cop", "tired ADJ JJ 0 root")
ELECT = parsed(
    "They elected her president and seem happy",
    "They PRON PRP 2 nsubj",
    "elected VERB VBD 0 root",
    "her PRON PRP 2 obj",
    "president NOUN NN 2 xcomp",
    "and CCONJ CC 6 cc",
    "seem VERB VBP 2 conj",
    "happy ADJ JJ 6 xcomp",
)
MEANS = parsed(
    "What it is was art",
    "What PRON WP 5 csubj",
    "it PRON PRP 1 nsubj",
    "is AUX VBZ 1 cop",
    "was AUX VBD 5 cop",
    "art NOUN NN 0 root",
)
DREAM = parsed(
    "He wants to be king",
    "He PRON PRP 2 nsubj",
    "wants VERB VBZ 0 root",
    "to PART TO 5 mark",
    "be AUX VB 5 cop",
    "king NOUN NN 2 xcomp",
)

# The same constructions in ClearNLP's labels.
GIVEN = parsed(
    "There was Ann given him a prize by me",
    "There PRON EX 4 expl",
    "was AUX VBD 4 auxpass",
    "Ann PROPN NNP 4 nsubjpass",
    "given VERB VBN 0 root",
    "him PRON PRP 4 dative",
    "a DET DT 7 det",
    "prize NOUN NN 4 dobj",
    "by ADP IN 4 agent",
    "me PRON PRP 8 pobj",
)
PLAN = parsed(
    "What she said is his plan",
    "What PRON WP 3 dobj",
    "she PRON PRP 3 nsubj",
    "said VERB VBD 4 csubj",
    "is AUX VBZ 0 root",
    "his PRON PRP$ 6 poss",
    "plan NOUN NN 4 attr",
)
ELECTED = parsed(
    "They elected her president and plan dinners",
    "They PRON PRP 2 nsubj",
    "elected VERB VBD 0 root",
    "her PRON PRP 2 dobj",
    "president NOUN NN 2 oprd",
    "and CCONJ CC 2 cc",
    "plan NOUN NN 2 xcomp",  # a clause, though its verb has the wrong tag
    "dinners NOUN NNS 6 dobj",
)


def forms(sentence, feature):
    return [sentence.forms[place] for place in np.flatnonzero(feature_words(sentence)[feature])]


@pytest.mark.parametrize(
    ("sentence", "feature", "expected"),
    [
        (GIVE, "noun", ["Ann", "prize"]),
        (GIVE, "verb", ["was", "given"]),
        (GIVE, "pronoun", ["him", "me"]),  # not "There", which is EX
        (GIVE, "subject", ["There", "Ann", "me"]),
        (GIVE, "object", ["him", "prize"]),
        (BE, "pronoun", ["she", "his"]),
        (BE, "subject", ["she", "said"]),
        (BE, "object", ["What", "plan"]),
        (TIRED, "object", []),
        (ELECT, "object", ["her", "president"]),
        (DREAM, "object", ["king"]),
        (GIVEN, "subject", ["There", "Ann", "by"]),
        (GIVEN, "object", ["him", "prize"]),
        (PLAN, "subject", ["she", "said"]),
        (PLAN, "object", ["What", "plan"]),
        (ELECTED, "object", ["her", "president", "dinners"]),
        (CAT, "punctuation", [",", "."]),
    ],
)
def test_features_of_words(sentence, feature, expected):
    assert forms(sentence, feature) == expected


@pytest.mark.parametrize(
    ("sentence", "feature", "expected"),
    [
        (GIVE, "subject", [("given", "There"), ("given", "Ann"), ("given", "me")]),
        (GIVE, "object", [("given", "him"), ("given", "prize")]),
        (BE, "subject", [("said", "she"), ("is", "said")]),
        (BE, "object", [("said", "What"), ("is", "plan")]),
        (TIRED, "subject", [("is", "She")]),
        (ELECT, "object", [("elected", "her"), ("elected", "president")]),
        (DREAM, "object", [("be", "king")]),
        (GIVEN, "subject", [("given", "There"), ("given", "Ann"), ("given", "by")]),
        (GIVEN, "object", [("given", "him"), ("given", "prize")]),
        (PLAN, "subject", [("said", "she"), ("is", "said")]),
        (PLAN, "object", [("said", "What"), ("is", "plan")]),
        (MEANS, "subject", [("was", "What"), ("is", "it")]),
        (MEANS, "object", [("is", "What"), ("was", "art")]),
    ],
)
def test_subjects_and_objects_are_linked_with_their_verb(sentence, feature, expected):
    links = verb_links(sentence, feature, feature_words(sentence)[feature])
    assert [(sentence.forms[verb], sentence.forms[word]) for verb, word in links] == expected


def test_a_subject_without_a_verb_has_no_link():
    sentence = parsed("You here", "You PRON PRP 2 nsubj", "here ADV RB 0 root")
    assert verb_links(sentence, "subject", feature_words(sentence)["subject"]) == []


def test_the_code_links_nsubj_with_verbs_alone():
    assert plain_subjects(CAT) == [(2, 1), (7, 6)]
    assert plain_subjects(TIRED) == plain_subjects(GIVE) == []
    was_here = parsed("She was here", "She PRON PRP 2 nsubj", "was AUX VBD 0 root", "here ADV RB 2 advmod")
    assert plain_subjects(was_here) == [(1, 0)]


@pytest.mark.parametrize(
    ("upos", "feats", "feature"),
    [
        ("PROPN", "_", "noun"),
        ("AUX", "_", "verb"),
        ("PRON", "_", "pronoun"),
        ("PRON", "Case=Acc|PronType=Prs", "pronoun"),
        ("PRON", "PronType=Dem", None),
        ("ADJ", "_", None),
    ],
)
def test_words_without_penn_tags_go_by_their_part_of_speech(upos, feats, feature):
    sentence = parsed("so", f"so {upos} _ 0 root")
    sentence = dataclasses.replace(sentence, words=(dataclasses.replace(sentence.words[0], feats=feats),))
    found = feature_words(sentence)
    assert [name for name in ("noun", "verb", "pronoun") if found[name][0]] == ([feature] if feature else [])


@pytest.mark.parametrize("form", ["not", "Nothing", "n't", "N’T", "can't", "nowhere"])
def test_whole_words_of_the_list_negate(form):
    assert forms(parsed(form, f"{form} ADV RB 0 root"), "negation") == [form]


@pytest.mark.parametrize("form", ["normal", "knot", "no", "t", "nobody"])
def test_other_words_do_not_negate(form):
    assert forms(parsed(form, f"{form} ADV RB 0 root"), "negation") == []


def test_the_list_is_that_of_the_code():
    assert len(NEGATIONS) == len(set(NEGATIONS)) == 17
    assert forms(DOG, "negation") == ["n't"]
