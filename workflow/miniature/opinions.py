"""Clauses that praise or blame, through their words and negation."""

from __future__ import annotations

from dataclasses import replace

from miniature.english.lexicon import ADJECTIVES, ADVERBS, NOUNS_OF_KIND, Adjective
from miniature.english.verbs import BE, VERBS
from miniature.inventor import Inventor
from miniature.meaning import Clause, NounPhrase, Property, Setting, Tense

_GOOD = "good great wonderful beautiful clever friendly brave polite interesting delicious fresh useful clean"
_BAD = "bad terrible lazy boring dirty broken dangerous strange"
_LIKING = "love enjoy admire praise believe_in"
_DISLIKING = "hate blame laugh_at"
_JUDGED = ("event", "event", "text", "food", "building", "person", "thing", "vehicle", "idea")
_JUDGES = ("person", "person", "relative")

_POLARITY = dict.fromkeys(_GOOD.split(), 1) | dict.fromkeys(_BAD.split(), -1)
_ATTITUDE = dict.fromkeys(_LIKING.split(), 1) | dict.fromkeys(_DISLIKING.split(), -1)
_VERBS = {verb.name: verb for verb in VERBS if verb.name in _ATTITUDE or verb.name == "think"}
_DEGREES = tuple(ADVERBS[lemma] for lemma in ("very", "quite", "rather"))


def polarity(clause: Clause) -> int:
    """1 for praise, -1 for blame: that of the verb or the predicate, reversed by a negation."""
    if clause.content:
        return polarity(clause.content) * _sign(clause)
    if isinstance(clause.complement, Property):
        return _POLARITY[clause.complement.adjective.lemma] * _sign(clause)
    if clause.existential:
        return _POLARITY[clause.subject.adjectives[0].lemma] * _sign(clause)
    return _ATTITUDE[clause.verb.name] * _sign(clause)


def _sign(clause: Clause) -> int:
    never = clause.adverb is not None and clause.adverb.lemma == "never"
    return -1 if clause.negated or never else 1


def opinion(inventor: Inventor) -> Clause:
    """A clause that praises or blames."""
    draw = inventor.draw
    kind = draw.weighted({"predicate": 45, "attitude": 35, "thought": 12, "existential": 8})
    if kind == "attitude":
        return _attitude(inventor)
    if kind == "existential":
        return _existential(inventor)
    clause = _predicate(inventor)
    if kind == "predicate":
        return clause
    subject = _neutral_phrase(inventor, draw.pick(_JUDGES))
    thought = Clause(_VERBS["think"], subject, content=clause, conjunction=draw.pick(("that", None)))
    return _with_negation(inventor, thought, draw.chance(0.3) and not clause.negated)


def _predicate(inventor: Inventor) -> Clause:
    """The party was (not) wonderful."""
    draw = inventor.draw
    subject = _neutral_phrase(inventor, draw.pick(_JUDGED))
    adjective = draw.pick(_judging_adjectives(subject))
    negated = draw.chance(0.35)
    degree = None
    if adjective.gradable and draw.chance(0.4):
        degree = ADVERBS["very"] if negated else draw.pick(_DEGREES)
    clause = Clause(BE, subject, complement=Property(adjective, degree), tense=_tense(inventor))
    return _with_negation(inventor, clause, negated)


def _attitude(inventor: Inventor) -> Clause:
    """Anna (never) enjoyed the party."""
    draw = inventor.draw
    verb = _VERBS[draw.pick(tuple(_ATTITUDE))]
    role = "oblique" if verb.pattern == "prepositional" else "object"
    about = _neutral_phrase(inventor, draw.pick([kind for kind in verb.kinds[role] if kind in NOUNS_OF_KIND]))
    clause = Clause(verb, _neutral_phrase(inventor, "person"), **{role: about}, tense=_tense(inventor))
    return _with_negation(inventor, clause, draw.chance(0.35))


def _existential(inventor: Inventor) -> Clause:
    """There was (not) a wonderful garden."""
    draw = inventor.draw
    phrase = _neutral_phrase(inventor, draw.pick(("event", "building", "person")))
    adjective = draw.pick(_judging_adjectives(phrase))
    phrase = replace(phrase, determiner="a", adjectives=(adjective, *phrase.adjectives), owner=None)
    place = Setting("in", inventor.noun_phrase("city"))
    clause = Clause(BE, phrase, existential=True, adjuncts=(place,), tense=_tense(inventor))
    return _with_negation(inventor, clause, draw.chance(0.3))


def _tense(inventor: Inventor) -> Tense:
    return inventor.draw.pick(("past", "past", "present"))


def _with_negation(inventor: Inventor, clause: Clause, negated: bool) -> Clause:
    """The clause with "not" or "never" if ``negated``, and now and then with another adverb."""
    draw = inventor.draw
    if negated and draw.chance(0.3):
        return replace(clause, adverb=ADVERBS["never"])
    adverb = ADVERBS[draw.pick(("really", "usually", "often"))] if draw.chance(0.2) and not clause.existential else None
    return replace(clause, negated=negated, contracted=draw.chance(0.5), adverb=adverb)


def _judging_adjectives(phrase: NounPhrase) -> list[Adjective]:
    """Adjectives that praise or blame a thing, as many for praise as for blame."""
    fit = [ADJECTIVES[lemma] for lemma in _POLARITY if phrase.noun.kind in ADJECTIVES[lemma].kinds]
    bad = [adjective for adjective in fit if _POLARITY[adjective.lemma] < 0]
    return bad + [adjective for adjective in fit if adjective not in bad][-len(bad) :]


def _neutral_phrase(inventor: Inventor, kind: str) -> NounPhrase:
    """A description of one thing without praise or blame."""
    while True:
        phrase = inventor.noun_phrase(kind, 0)
        if phrase.number == "Sing":
            return _without_judgement(phrase)


def _without_judgement(phrase: NounPhrase) -> NounPhrase:
    adjectives = tuple(adjective for adjective in phrase.adjectives if adjective.lemma not in _POLARITY)
    owner = _without_judgement(phrase.owner) if isinstance(phrase.owner, NounPhrase) else phrase.owner
    return replace(phrase, adjectives=adjectives, degree=None, owner=owner)
