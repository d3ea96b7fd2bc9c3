"""Meanings made fit for translation: what one language says in two ways without the other following is said in one.

Choices that German shows stay: voice, order of objects, what is fronted, whether a complement clause has a conjunction.
What it cannot show is settled: contractions, the place of particles, the kind of relative pronoun. What would be odd in
German is left out: the present perfect beside the past, "must not", a negation beside "never".
"""

from __future__ import annotations

from dataclasses import replace

from bert_attention.corpora.miniature import german_lexicon
from bert_attention.corpora.miniature.lexicon import Adverb
from bert_attention.corpora.miniature.meaning import (
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
_WITHOUT_CONJUNCTION = {"say", "think", "hope", "claim", "suspect"}  # verbs whose "that" German leaves out as well
_REPLACED_MODALS = {"might": "could"}
_PEOPLE = {"person", "relative"}
_GIVEN_TO = {"send", "sell"}  # verbs whose recipient can stand with a preposition in German
_OF_TIME = {"on", "after", "before", "during"}  # prepositions


def settled(clause: Clause) -> Clause:
    """The clause, with all in it, as it can be said in German and in English alike."""
    modal = _REPLACED_MODALS.get(clause.modal, clause.modal)
    if modal == "must" and clause.negated:
        modal = "should"  # "muss nicht" is "need not"
    perfect = clause.perfect and clause.tense == "past" and not modal and clause.verb.name != "want"
    adverb, adjuncts = _adverbs(clause)
    negated = clause.negated and not (adverb and adverb.lemma == "never")
    if negated and adverb and adverb.lemma not in _NEGATABLE:
        adverb = None
    progressive = clause.progressive and not (adverb or clause.content) and clause.tense != "future"
    negated = negated and not progressive
    clause = replace(
        clause,
        modal=modal,
        perfect=perfect,
        progressive=progressive,
        negated=negated,
        adverb=adverb,
        subject=_nominal(clause.subject),
        object=_nominal(clause.object),
        recipient=_nominal(clause.recipient),
        oblique=_nominal(clause.oblique),
        complement=_complement(clause.complement),
        content=settled(clause.content) if clause.content else None,
        conjunction=_conjunction(clause, negated),
        adjuncts=tuple(_adjunct(part) for part in adjuncts),
        also=(clause.also[0], settled(clause.also[1])) if clause.also else None,
        front=_adjunct(clause.front) if clause.front else None,
        contracted=False,
        particle_last=False,
        recipient_first=not clause.passive and _recipient_first(clause),
        question=None,
    )
    return _existential(clause) if clause.existential else clause


def _adverbs(clause: Clause) -> tuple[Adverb | None, tuple[Adjunct, ...]]:
    """The adverb and the adjuncts, with one place for manner and one time."""
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


def _recipient_first(clause: Clause) -> bool:
    can_follow = clause.verb.lemma in _GIVEN_TO and not isinstance(clause.recipient, Pronoun)
    return clause.recipient_first or not can_follow


def _conjunction(clause: Clause, negated: bool) -> str | None:
    """The conjunction before a complement clause; infinitives have none."""
    if clause.verb.pattern not in ("clausal", "addressed", "whether") or clause.conjunction:
        return clause.conjunction
    bare = clause.verb.lemma in _WITHOUT_CONJUNCTION and not negated
    return None if bare else "that"


def _existential(clause: Clause) -> Clause:
    """An existential without an article before a name, and denied by its determiner: there is no dog."""
    subject = clause.subject
    if subject.noun.is_name:
        return replace(clause, negated=False, subject=replace(subject, determiner=None))
    if not clause.negated or subject.numeral or subject.determiner == "another":
        return replace(clause, negated=False)
    return replace(clause, negated=False, subject=replace(subject, determiner="no"))


def _nominal(meaning: Nominal | None) -> Nominal | None:
    match meaning:
        case NounPhrase():
            return _noun_phrase(meaning)
        case Coordination():
            return replace(meaning, members=tuple(_nominal(member) for member in meaning.members))
        case _:
            return meaning


def _noun_phrase(meaning: NounPhrase) -> NounPhrase:
    outer, inner = meaning.modifiers[:-1], meaning.modifiers[-1:]
    outer = tuple(noun for noun in outer if noun not in inner and noun.lemma in german_lexicon.OUTER_FIRST_PARTS)
    return replace(
        meaning,
        all=meaning.all and meaning.numeral != "two",  # "alle zwei" is "every other"
        modifiers=(*outer, *inner),
        owner=_nominal(meaning.owner),
        attribute=_attribute(meaning.attribute),
        clause=_about_noun(meaning.clause, meaning),
    )


def _attribute(meaning: Setting | None) -> Setting | None:
    """A prepositional phrase after a noun, unless it would be with "von", which would say "by" as well."""
    if meaning is None or meaning.preposition == "of":
        return None
    of_person = isinstance(meaning.nominal, NounPhrase) and meaning.nominal.noun.kind in _PEOPLE
    return None if meaning.preposition == "from" and of_person else _setting(meaning)


def _about_noun(meaning: Relative | Reduced | None, phrase: NounPhrase) -> Relative | Reduced | None:
    match meaning:
        case Relative():
            return _relative(meaning, phrase)
        case Reduced(form="infinitive"):
            return replace(meaning, clause=settled(meaning.clause))
        case Reduced():
            return _participle(meaning)
    return None


def _relative(meaning: Relative, phrase: NounPhrase) -> Relative:
    """A relative clause, in the passive where German would not tell its object from its subject."""
    clause = settled(meaning.clause)
    if meaning.gap == "object" and not _tells_object(clause, phrase):
        passive = replace(clause, passive=True, progressive=False)
        return _relative(Relative(passive, "subject", None), phrase)
    who = "who" if phrase.noun.kind in _PEOPLE else "which"
    return replace(meaning, clause=clause, pronoun="that" if meaning.gap == "object" else who)


def _tells_object(clause: Clause, phrase: NounPhrase) -> bool:
    """Whether the pronoun's form or the subject's shows which of both is the object."""
    is_masculine = german_lexicon.noun(phrase.noun, phrase.modifiers).gender == "m" and phrase.number == "Sing"
    has_dative = german_lexicon.VERBS[clause.verb.name].case == "Dat"
    is_nominative = isinstance(clause.subject, Pronoun) and (
        clause.subject.person == 1 or clause.subject.gender == "Masc"
    )
    return is_masculine or has_dative or is_nominative


def _participle(meaning: Reduced) -> Reduced | None:
    """A participle that can stand before its noun in German: without clauses in it, and not of a verb with a dative."""
    clause = settled(meaning.clause)
    if clause.passive and german_lexicon.VERBS[clause.verb.name].case == "Dat":
        return None
    functions = ("subject", "object", "recipient", "oblique")
    short = {function: _short(getattr(clause, function)) for function in functions}
    adjuncts = tuple(
        replace(part, nominal=_short(part.nominal)) for part in clause.adjuncts if isinstance(part, Setting)
    )
    if meaning.form == "participle" and not (short["subject"] or adjuncts):
        return None  # "a neighbor watched" misleads
    return replace(meaning, clause=replace(clause, **short, adjuncts=adjuncts, front=None))


def _short(meaning: Nominal | None) -> Nominal | None:
    """A nominal without anything after its noun."""
    match meaning:
        case NounPhrase():
            return replace(meaning, clause=None, attribute=None, apposition=None)
        case Coordination():
            return replace(meaning, members=tuple(_short(member) for member in meaning.members))
        case _:
            return meaning


def _complement(meaning: Complement | None) -> Complement | None:
    match meaning:
        case NounPhrase():
            return _noun_phrase(meaning)
        case Setting():
            return _setting(meaning)
        case _:
            return meaning


def _setting(meaning: Setting) -> Setting:
    return replace(meaning, nominal=_nominal(meaning.nominal))


def _adjunct(meaning: Adjunct) -> Adjunct:
    match meaning:
        case Setting():
            return _setting(meaning)
        case Purpose() | Subordinate():
            return replace(meaning, clause=settled(meaning.clause))
        case _:
            return meaning
