"""Clauses that several tests use."""

from miniature.english.lexicon import ADJECTIVES, GIVEN_NAMES, NOUNS
from miniature.english.verbs import VERBS
from miniature.meaning import Clause, NounPhrase, Setting, Time

VERB = {verb.name: verb for verb in reversed(VERBS)}  # of two patterns, the first
ANNA = NounPhrase(next(name for name in GIVEN_NAMES if name.lemma == "Anna"), determiner=None)
TOM = NounPhrase(next(name for name in GIVEN_NAMES if name.lemma == "Tom"), determiner=None)
KEY = NounPhrase(NOUNS["key"], adjectives=(ADJECTIVES["old"],))
PARK = Setting("in", NounPhrase(NOUNS["park"]))
YESTERDAY = Time(("yesterday",))

FOUND = Clause(VERB["find"], subject=ANNA, object=KEY, adjuncts=(PARK, YESTERDAY))
GAVE = Clause(VERB["give"], subject=ANNA, object=KEY, recipient=TOM)
PICKED = Clause(VERB["pick_up"], subject=ANNA, object=KEY)
SAW = Clause(VERB["see"], subject=ANNA, object=TOM)
SLEPT = Clause(VERB["sleep"], subject=TOM)


def thinks(verb, content, **fields):
    return Clause(VERB[verb], subject=ANNA, content=content, conjunction="that", **fields)
