"""The polarity of known clauses."""

from dataclasses import replace

from miniature.english.lexicon import ADJECTIVES
from miniature.english.verbs import BE
from miniature.meaning import Clause, Property
from miniature.opinions import polarity
from tests.miniature.known_clauses import ANNA, KEY, TOM, VERB, thinks


def test_polarity():
    good = Clause(BE, subject=KEY, complement=Property(ADJECTIVES["good"]))
    assert polarity(good) == 1
    assert polarity(replace(good, negated=True)) == -1
    assert polarity(Clause(VERB["hate"], subject=ANNA, object=TOM, negated=True)) == 1
    assert polarity(thinks("think", replace(good, negated=True))) == -1
