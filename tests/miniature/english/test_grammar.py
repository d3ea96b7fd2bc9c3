"""Known meanings in English words and as trees."""

from dataclasses import replace

import pytest

from miniature.english.grammar import utterance
from miniature.english.lexicon import SURNAMES
from miniature.english.writing import text_of, tree_sentence
from miniature.meaning import Relative, Subordinate, Utterance
from miniature.trees import flatten
from tests.miniature.known_clauses import ANNA, FOUND, GAVE, KEY, PICKED, SAW, SLEPT, TOM, YESTERDAY, past, the, thinks

BARE = replace(FOUND, adjuncts=())


def say(clause, **around):
    return text_of(utterance(Utterance(clause, **around)))


@pytest.mark.parametrize(
    ("clause", "text"),
    [
        (FOUND, "Anna found the old key in the park yesterday."),
        (replace(BARE, passive=True, front=YESTERDAY), "Yesterday, the old key was found by Anna."),
        (replace(BARE, negated=True, contracted=True), "Anna didn't find the old key."),
        (replace(BARE, perfect=True, tense="present"), "Anna has found the old key."),
        (GAVE, "Anna gave the old key to Tom."),
        (replace(GAVE, recipient_first=True, tense="future"), "Anna will give Tom the old key."),
        (PICKED, "Anna picked up the old key."),
        (replace(PICKED, particle_last=True), "Anna picked the old key up."),
        (thinks("say", SLEPT), "Anna said that Tom slept."),
        (replace(SLEPT, front=Subordinate("because", SAW)), "Because Anna saw Tom, Tom slept."),
        (past("be", replace(KEY, determiner="a"), existential=True), "There was an old key."),
        (past("sleep", the("thief", number="Plur"), progressive=True), "The thieves were sleeping."),
        (
            past("see", ANNA, object=the("dog", owner=replace(TOM, names=(SURNAMES[0],)))),
            "Anna saw Tom Miller's dog.",
        ),
        (
            past("see", ANNA, object=the("man", clause=Relative(past("see", object=TOM), "subject", "who"))),
            "Anna saw the man who saw Tom.",
        ),
    ],
)
def test_a_meaning_in_words(clause, text):
    assert say(clause) == text


def test_questions_and_what_surrounds_a_clause():
    question = replace(BARE, question="where")
    assert say(question, addressee=TOM, addressee_last=True, final="?") == "Where did Anna find the old key, Tom?"
    assert say(SLEPT, interjection="yes", speech=past("say", ANNA)) == "Yes, Tom slept, Anna said."
    assert say(replace(PICKED, subject=None), imperative=True, final="!") == "Pick up the old key!"


def test_the_tree_of_a_sentence():
    placed = flatten(utterance(Utterance(replace(PICKED, passive=True, negated=True, contracted=True))))
    words = tree_sentence(placed).words
    assert [(word.form, word.xpos, word.head, word.relation, word.misc) for word in words] == [
        ("The", "DT", 3, "det", "_"),
        ("old", "JJ", 3, "amod", "_"),
        ("key", "NN", 6, "nsubj:pass", "_"),
        ("was", "VBD", 6, "aux:pass", "SpaceAfter=No"),
        ("n't", "RB", 6, "advmod", "_"),
        ("picked", "VBN", 0, "root", "_"),
        ("up", "RP", 6, "compound:prt", "_"),
        ("by", "IN", 9, "case", "_"),
        ("Anna", "NNP", 6, "obl:agent", "SpaceAfter=No"),
        (".", ".", 6, "punct", "_"),
    ]
