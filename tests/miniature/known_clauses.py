"""Phrases and clauses that several tests use."""

from miniature.english.lexicon import ADJECTIVES, GIVEN_NAMES, NOUNS
from miniature.english.verbs import VERBS
from miniature.meaning import Clause, NounPhrase, Pronoun, Setting, Time

VERB = {verb.name: verb for verb in reversed(VERBS)}  # of two patterns, the first
ANNA, TOM, FELIX = (NounPhrase(name, determiner=None) for name in GIVEN_NAMES if name.lemma in ("Anna", "Tom", "Felix"))
ME, HER = Pronoun(1), Pronoun(3, gender="Fem")


def the(lemma, **parts):
    return NounPhrase(NOUNS[lemma], **parts)


def a(lemma, **parts):
    return the(lemma, determiner="a", **parts)


def past(verb, subject=None, **parts):
    return Clause(VERB[verb], subject, **parts)


def present(verb, subject=None, **parts):
    return past(verb, subject, tense="present", **parts)


KEY = the("key", adjectives=(ADJECTIVES["old"],))
PARK = Setting("in", the("park"))
YESTERDAY = Time(("yesterday",))

FOUND = past("find", ANNA, object=KEY, adjuncts=(PARK, YESTERDAY))
GAVE = past("give", ANNA, object=KEY, recipient=TOM)
PICKED = past("pick_up", ANNA, object=KEY)
SAW = past("see", ANNA, object=TOM)
SLEPT = past("sleep", TOM)


def thinks(verb, content, **parts):
    return past(verb, ANNA, content=content, conjunction="that", **parts)
