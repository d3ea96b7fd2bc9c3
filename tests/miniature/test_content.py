"""What known clauses say, imply, deny and answer."""

from dataclasses import replace

import pytest

from miniature.content import answers, contradicts, entails, likeness, same_meaning
from miniature.english.lexicon import NOUNS
from miniature.meaning import Clause, Coordination, NounPhrase, Subordinate
from tests.miniature.known_clauses import ANNA, FOUND, GAVE, KEY, PARK, PICKED, SAW, SLEPT, TOM, VERB, YESTERDAY, thinks


def test_the_same_in_other_words():
    assert same_meaning(FOUND, replace(FOUND, passive=True, front=YESTERDAY, adjuncts=(PARK,)))
    assert same_meaning(GAVE, replace(GAVE, recipient_first=True))
    assert same_meaning(PICKED, replace(PICKED, particle_last=True))
    both = Coordination((ANNA, TOM))
    assert same_meaning(replace(SLEPT, subject=both), replace(SLEPT, subject=replace(both, members=(TOM, ANNA))))


@pytest.mark.parametrize(
    "other",
    [
        replace(SAW, subject=TOM, object=ANNA),
        replace(SAW, negated=True),
        replace(SAW, tense="future"),
        replace(SAW, verb=VERB["hear"]),
        replace(SAW, adjuncts=(PARK,)),
        replace(SAW, question="truth"),
    ],
)
def test_something_else(other):
    assert not same_meaning(SAW, other)


@pytest.mark.parametrize(
    ("premise", "hypothesis", "expected"),
    [
        (FOUND, replace(FOUND, adjuncts=(), object=replace(KEY, adjectives=())), True),
        (FOUND, replace(FOUND, subject=None, passive=True), True),
        (replace(FOUND, adjuncts=()), FOUND, False),
        (SAW, replace(SAW, subject=TOM, object=ANNA), False),
        # what is denied of something in particular need not be so in general
        (replace(FOUND, negated=True), replace(FOUND, negated=True, adjuncts=()), False),
        (
            replace(SLEPT, subject=replace(KEY, determiner="every")),
            replace(SLEPT, subject=NounPhrase(NOUNS["key"], determiner="every")),
            False,
        ),
        (replace(SLEPT, modal="may", tense="present"), replace(SLEPT, tense="present"), False),
        (replace(SLEPT, adjuncts=(Subordinate("because", SAW),)), SLEPT, True),
        (replace(SLEPT, adjuncts=(Subordinate("if", SAW),)), SLEPT, False),
        (thinks("know", SLEPT), SLEPT, True),
        (thinks("know", SLEPT, negated=True), SLEPT, False),
        (thinks("hope", SLEPT), SLEPT, False),
        (replace(SAW, also=("and", SLEPT)), SLEPT, True),
        (replace(SAW, also=("and", SLEPT)), SAW, True),
        (
            Clause(VERB["manage"], subject=TOM, content=Clause(VERB["sleep"], tense="present")),
            SLEPT,
            True,
        ),
        (
            Clause(VERB["try"], subject=TOM, content=Clause(VERB["sleep"], tense="present")),
            SLEPT,
            False,
        ),
    ],
)
def test_what_follows(premise, hypothesis, expected):
    assert entails(premise, hypothesis) == expected


def test_what_is_denied():
    denied = replace(FOUND, negated=True, adjuncts=())
    assert contradicts(FOUND, denied)
    assert contradicts(denied, FOUND)
    assert not contradicts(replace(FOUND, adjuncts=()), replace(FOUND, negated=True))  # perhaps elsewhere
    assert not contradicts(SAW, SLEPT)


def test_what_answers_a_question():
    asked = replace(FOUND, question="where", adjuncts=())
    assert answers(FOUND, asked)
    assert answers(replace(FOUND, passive=True), asked)
    assert not answers(replace(FOUND, adjuncts=(YESTERDAY,)), asked)
    assert not answers(replace(FOUND, subject=TOM), asked)
    assert answers(replace(FOUND, subject=TOM), replace(FOUND, question="subject"))
    assert not answers(replace(SAW, subject=TOM, object=ANNA), replace(SAW, question="object"))


def test_likeness():
    assert likeness(FOUND, replace(FOUND, passive=True)) == 5
    nearly, hardly = replace(FOUND, adjuncts=(PARK,)), replace(SLEPT, adjuncts=(PARK,))
    assert 5 > likeness(FOUND, nearly) > likeness(FOUND, hardly) > likeness(FOUND, SLEPT) == 0
