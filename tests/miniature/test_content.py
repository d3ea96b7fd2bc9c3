"""What known clauses say, imply, deny and answer, and whether they praise or blame."""

from dataclasses import replace

import pytest

from miniature.content import answers, contradicts, entails, likeness, same_meaning
from miniature.english.lexicon import ADJECTIVES
from miniature.meaning import Coordination, Property, Subordinate
from miniature.opinions import polarity
from tests.miniature import known_clauses as known
from tests.miniature.known_clauses import ANNA, FOUND, KEY, PARK, SAW, SLEPT, TOM, YESTERDAY, past, present, the, thinks

BOTH = Coordination((ANNA, TOM))


@pytest.mark.parametrize(
    ("clause", "other"),
    [
        (FOUND, replace(FOUND, passive=True, front=YESTERDAY, adjuncts=(PARK,))),
        (known.GAVE, replace(known.GAVE, recipient_first=True)),
        (known.PICKED, replace(known.PICKED, particle_last=True)),
        (replace(SLEPT, subject=BOTH), replace(SLEPT, subject=replace(BOTH, members=(TOM, ANNA)))),
    ],
)
def test_the_same_in_other_words(clause, other):
    assert same_meaning(clause, other)


@pytest.mark.parametrize(
    "change",
    [
        {"subject": TOM, "object": ANNA},
        {"negated": True},
        {"tense": "future"},
        {"verb": known.VERB["hear"]},
        {"adjuncts": (PARK,)},
        {"question": "truth"},
    ],
)
def test_something_else(change):
    assert not same_meaning(SAW, replace(SAW, **change))


@pytest.mark.parametrize(
    ("premise", "hypothesis", "expected"),
    [
        (FOUND, replace(FOUND, adjuncts=(), object=the("key")), True),
        (FOUND, replace(FOUND, subject=None, passive=True), True),
        (replace(FOUND, adjuncts=()), FOUND, False),
        (SAW, replace(SAW, subject=TOM, object=ANNA), False),
        # what is denied of something in particular need not be so in general
        (replace(FOUND, negated=True), replace(FOUND, negated=True, adjuncts=()), False),
        (past("sleep", replace(KEY, determiner="every")), past("sleep", the("key", determiner="every")), False),
        (replace(SLEPT, modal="may", tense="present"), replace(SLEPT, tense="present"), False),
        (replace(SLEPT, adjuncts=(Subordinate("because", SAW),)), SLEPT, True),
        (replace(SLEPT, adjuncts=(Subordinate("if", SAW),)), SLEPT, False),
        (thinks("know", SLEPT), SLEPT, True),
        (thinks("know", SLEPT, negated=True), SLEPT, False),
        (thinks("hope", SLEPT), SLEPT, False),
        (replace(SAW, also=("and", SLEPT)), SLEPT, True),
        (replace(SAW, also=("and", SLEPT)), SAW, True),
        (past("manage", TOM, content=present("sleep")), SLEPT, True),
        (past("try", TOM, content=present("sleep")), SLEPT, False),
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


def test_polarity():
    good = past("be", KEY, complement=Property(ADJECTIVES["good"]))
    assert polarity(good) == 1
    assert polarity(replace(good, negated=True)) == -1
    assert polarity(past("hate", ANNA, object=TOM, negated=True)) == 1
    assert polarity(thinks("think", replace(good, negated=True))) == -1
