"""Meanings that both languages can express alike.

Choices that German shows stay: voice, the order of objects, what is fronted, whether a complement clause has a
conjunction. For those that it cannot show, one way is fixed: contractions, the place of particles, the kind of relative
pronoun. What would be odd in German is left out: the present perfect beside the past, "must not", a negation beside
"never".
"""

from __future__ import annotations

from dataclasses import replace

from miniature.english.lexicon import PEOPLE, Adverb
from miniature.german import lexicon
from miniature.meaning import (
    ROLES,
    Adjunct,
    Clause,
    Complement,
    Coordination,
    Manner,
    Nominal,
    NounPhrase,
    Pronoun,
    Purpose,
    Reduced,
    Relative,
    Setting,
    Subordinate,
    Time,
)

_NEGATABLE = {"often", "always", "really"}  # adverbs that German negates as English does: not often, nicht oft
_WITHOUT_CONJUNCTION = {"say", "think", "hope", "claim", "suspect"}  # verbs whose "that" German can leave out as well
_GIVEN_TO = {"send", "sell"}  # verbs whose recipient can stand with a preposition in German
_OF_TIME = {"on", "after", "before", "during"}  # prepositions

Part = Nominal | Complement | Adjunct | Clause | None


def translatable_clause(clause: Clause) -> Clause:
    """The clause, with everything in it, as both German and English can say it."""
    modal = "could" if clause.modal == "might" else clause.modal
    if modal == "must" and clause.negated:
        modal = "should"  # "muss nicht" is "need not"
    perfect = clause.perfect and clause.tense == "past" and not modal and clause.verb.name != "want"
    adverb, adjuncts = _adverbs(clause)
    negated = clause.negated and not (adverb and adverb.lemma == "never")
    if negated and adverb and adverb.lemma not in _NEGATABLE:
        adverb = None
    progressive = clause.progressive and not (adverb or clause.content) and clause.tense != "future"
    negated = negated and not progressive
    without_that = clause.verb.lemma in _WITHOUT_CONJUNCTION and not negated
    can_follow = clause.verb.lemma in _GIVEN_TO and not isinstance(clause.recipient, Pronoun)
    clause = replace(
        clause,
        modal=modal,
        perfect=perfect,
        progressive=progressive,
        negated=negated,
        adverb=adverb,
        **{name: _part(getattr(clause, name)) for name in (*ROLES, "complement", "content", "front")},
        conjunction=clause.conjunction or (None if without_that else "that"),
        adjuncts=tuple(map(_part, adjuncts)),
        also=(clause.also[0], translatable_clause(clause.also[1])) if clause.also else None,
        contracted=False,
        particle_last=False,
        recipient_first=not clause.passive and (clause.recipient_first or not can_follow),
        question=None,
    )
    return _existential(clause) if clause.existential else clause


def _adverbs(clause: Clause) -> tuple[Adverb | None, tuple[Adjunct, ...]]:
    """The adverb and the adjuncts: manner always as an adjunct, and no time after one in front."""
    adverb, adjuncts = clause.adverb, clause.adjuncts
    if adverb and adverb.place == "manner":
        others = (part for part in adjuncts if not isinstance(part, Manner))
        adverb, adjuncts = None, (Manner(adverb), *others)
    if clause.front and is_time(clause.front):
        adjuncts = tuple(part for part in adjuncts if not is_time(part))
    return adverb, adjuncts


def is_time(meaning: Adjunct) -> bool:
    """Whether an adjunct says when."""
    return isinstance(meaning, Time) or (isinstance(meaning, Setting) and meaning.preposition in _OF_TIME)


def _existential(clause: Clause) -> Clause:
    """An existential clause: without an article before a name, and with its negation as a determiner (no dog)."""
    subject = clause.subject
    if subject.noun.is_name:
        return replace(clause, negated=False, subject=replace(subject, determiner=None))
    if not clause.negated or subject.numeral or subject.determiner == "another":
        return replace(clause, negated=False)
    return replace(clause, negated=False, subject=replace(subject, determiner="no"))


def _part(meaning: Part) -> Part:
    """A part of a clause as both languages can say it."""
    match meaning:
        case NounPhrase():
            return _noun_phrase(meaning)
        case Coordination():
            return replace(meaning, members=tuple(map(_part, meaning.members)))
        case Setting():
            return replace(meaning, nominal=_part(meaning.nominal))
        case Purpose() | Subordinate():
            return replace(meaning, clause=translatable_clause(meaning.clause))
        case Clause():
            return translatable_clause(meaning)
        case _:
            return meaning


def _noun_phrase(meaning: NounPhrase) -> NounPhrase:
    outer, inner = meaning.modifiers[:-1], meaning.modifiers[-1:]
    outer = tuple(noun for noun in outer if noun not in inner and noun.lemma in lexicon.OUTER_FIRST_PARTS)
    return replace(
        meaning,
        all=meaning.all and meaning.numeral != "two",  # "alle zwei" is "every other"
        modifiers=(*outer, *inner),
        owner=_part(meaning.owner),
        attribute=_attribute(meaning.attribute),
        clause=_about_noun(meaning.clause, meaning),
    )


def _attribute(meaning: Setting | None) -> Setting | None:
    """A prepositional phrase after a noun, unless German would use "von", which also says "by"."""
    if meaning is None or meaning.preposition == "of":
        return None
    of_person = isinstance(meaning.nominal, NounPhrase) and meaning.nominal.noun.kind in PEOPLE
    return None if meaning.preposition == "from" and of_person else _part(meaning)


def _about_noun(meaning: Relative | Reduced | None, phrase: NounPhrase) -> Relative | Reduced | None:
    match meaning:
        case Relative():
            return _relative(meaning, phrase)
        case Reduced(form="infinitive"):
            return replace(meaning, clause=translatable_clause(meaning.clause))
        case Reduced():
            return _participle(meaning)
    return None


def _relative(meaning: Relative, phrase: NounPhrase) -> Relative:
    """A relative clause, in the passive if German would not tell its object from its subject."""
    clause = translatable_clause(meaning.clause)
    if meaning.gap == "object" and not _tells_object(clause, phrase):
        passive = replace(clause, passive=True, progressive=False)
        return _relative(Relative(passive, "subject", None), phrase)
    who = "who" if phrase.noun.kind in PEOPLE else "which"
    return replace(meaning, clause=clause, pronoun="that" if meaning.gap == "object" else who)


def _tells_object(clause: Clause, phrase: NounPhrase) -> bool:
    """Whether the form of the relative pronoun or of the subject shows which of the two is the object."""
    is_masculine = lexicon.noun(phrase.noun, phrase.modifiers).gender == "m" and phrase.number == "Sing"
    has_dative = lexicon.VERBS[clause.verb.name].case == "Dat"
    is_nominative = isinstance(clause.subject, Pronoun) and (
        clause.subject.person == 1 or clause.subject.gender == "Masc"
    )
    return is_masculine or has_dative or is_nominative


def _participle(meaning: Reduced) -> Reduced | None:
    """A participle that can stand before its noun in German: without clauses, and not of a verb with a dative."""
    clause = translatable_clause(meaning.clause)
    if clause.passive and lexicon.VERBS[clause.verb.name].case == "Dat":
        return None
    short = {role: _bare_nominal(getattr(clause, role)) for role in ROLES}
    adjuncts = tuple(
        replace(part, nominal=_bare_nominal(part.nominal)) for part in clause.adjuncts if isinstance(part, Setting)
    )
    if meaning.form == "participle" and not (short["subject"] or adjuncts):
        return None  # "a neighbor watched" misleads
    return replace(meaning, clause=replace(clause, **short, adjuncts=adjuncts, front=None))


def _bare_nominal(meaning: Nominal | None) -> Nominal | None:
    """The nominal with nothing after its noun."""
    match meaning:
        case NounPhrase():
            return replace(meaning, clause=None, attribute=None, apposition=None)
        case Coordination():
            return replace(meaning, members=tuple(_bare_nominal(member) for member in meaning.members))
        case _:
            return meaning
