"""German noun phrases and prepositional phrases, from meanings to words."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from miniature.german import lexicon
from miniature.german.inflection import (
    Case,
    Class,
    GermanNoun,
    declension_after,
    declined_adjective,
    declined_determiner,
    personal_pronoun,
)
from miniature.meaning import (
    Coordination,
    Nominal,
    NounPhrase,
    Pronoun,
    Reduced,
    Relative,
    Sense,
    Setting,
    Time,
)


class GermanWord(NamedTuple):
    """A word with its part of speech in Universal Dependencies; its senses are as in :class:`trees.Node`."""

    form: str
    upos: str
    senses: tuple[Sense, ...] = ()
    loosely: tuple[Sense, ...] = ()


Words = list[GermanWord]


class Attribute(NamedTuple):
    """A participle before a noun: the words that belong to it, its stem, its senses."""

    before: Words
    stem: str
    senses: tuple[Sense, ...]


class NounClauses(NamedTuple):
    """Makes the words of clauses about nouns. The module of clauses builds on this one and passes it in."""

    before_noun: Callable[[Reduced], Attribute]
    after_noun: Callable[[Relative | Reduced, Class], Words]


COMMA = GermanWord(",", "PUNCT")
POSSESSIVE = "possessive"  # the part of an owner that English says with 's


def nominal(meaning: Nominal, case: Case, noun_clauses: NounClauses) -> Words:
    """The words of a nominal."""
    match meaning:
        case Pronoun():
            form = personal_pronoun(meaning.person, meaning.number, meaning.gender, case)
            return [GermanWord(form, "PRON", ((meaning, "head"),))]
        case Coordination():
            first, second = (nominal(member, case, noun_clauses) for member in meaning.members)
            joint = lexicon.CONJUNCTIONS[meaning.conjunction]
            return [*first, GermanWord(joint, "CCONJ", ((meaning, "conjunction"),)), *second]
        case _:
            return noun_phrase(meaning, case, noun_clauses)


def noun_phrase(
    meaning: NounPhrase, case: Case, noun_clauses: NounClauses, woman: bool = False, denied_by: Sense | None = None
) -> Words:
    """The words of a noun phrase.

    Parameters
    ----------
    woman
        Whether the noun describes a woman.
    denied_by
        A negation that the indefinite article expresses: kein.
    """
    if meaning.noun.is_name:
        return _name(meaning)
    woman = woman or (meaning.apposition is not None and meaning.apposition.noun.gender == "Fem")
    noun = lexicon.noun(meaning.noun, meaning.modifiers, woman)
    plural = meaning.number == "Plur"
    column: Class = "p" if plural else noun.gender
    if case == "Gen" and not _shows_genitive(meaning):
        case = "Dat"
    words, determiner = _determiners(meaning, case, column, denied_by)
    if meaning.numeral:
        words.append(GermanWord(lexicon.NUMERALS[meaning.numeral], "NUM", ((meaning, "numeral"),)))
    words += _attributes(meaning, case, column, determiner, noun_clauses)
    words.append(_noun(meaning, noun, case))
    return words + _after_noun(meaning, column, noun_clauses)


def gender_of(meaning: Nominal) -> Class:
    """The German gender of a nominal; that of a coordination is the plural."""
    match meaning:
        case Pronoun():
            return "f" if meaning.gender == "Fem" else "m"
        case Coordination():
            return "p"
        case _ if meaning.noun.is_name:
            return "f" if meaning.noun.gender == "Fem" else "m"
        case _:
            return lexicon.noun(meaning.noun, meaning.modifiers).gender


def is_indefinite(meaning: Nominal | None) -> bool:
    """Whether "kein" negates a nominal."""
    if not isinstance(meaning, NounPhrase) or meaning.owner or meaning.numeral or meaning.noun.is_name:
        return False
    return meaning.determiner == "a" or (meaning.determiner is None and meaning.number == "Plur")


def _shows_genitive(meaning: NounPhrase) -> bool:
    """Whether a word before the noun shows the genitive, which is only used then."""
    if meaning.owner:
        return isinstance(meaning.owner, Pronoun) or not _owner_precedes(meaning)
    return bool(meaning.determiner) or bool(meaning.adjectives)


def _name(meaning: NounPhrase) -> Words:
    words = [GermanWord(lexicon.name(meaning.noun), "PROPN", ((meaning, "head"),))]
    return words + [GermanWord(lexicon.name(more), "PROPN", ((meaning, more.lemma),)) for more in meaning.names]


def _owner_precedes(meaning: NounPhrase) -> bool:
    """Whether the owner is a name with "s" before the noun: Annas Buch, but das Buch von Felix."""
    owner = meaning.owner
    if not isinstance(owner, NounPhrase) or not owner.noun.is_name or meaning.all:
        return False
    return not (owner.names or (owner.noun,))[-1].lemma.endswith(("s", "x", "z"))


def _determiners(meaning: NounPhrase, case: Case, column: Class, denied_by: Sense | None) -> tuple[Words, str | None]:
    """The words before numeral and adjectives, and the stem of the determiner that decides on their endings."""
    words: Words = []
    article = ((meaning, "determiner"),)
    if meaning.all:
        loosely = () if meaning.owner else article
        words.append(GermanWord(declined_determiner("all", case, column), "DET", ((meaning, "all"),), loosely))
    owner = meaning.owner
    if isinstance(owner, Pronoun):
        stem = personal_pronoun(owner.person, owner.number, owner.gender, "possessive")
        return [*words, GermanWord(declined_determiner(stem, case, column), "DET", ((owner, "head"),))], stem
    if owner and _owner_precedes(meaning):
        *names, last = _name(owner)
        return [*words, *names, last._replace(form=last.form + "s", loosely=((owner, POSSESSIVE),))], None
    if meaning.all:
        return words, "all"
    if owner:
        return [GermanWord(declined_determiner("der", case, column), "DET", (), ((owner, POSSESSIVE),))], "der"
    if denied_by:
        form = declined_determiner("kein", case, column)
        return [GermanWord(form, "DET", (denied_by,), article)], "kein"
    if not meaning.determiner:
        return [], None
    stem = lexicon.DETERMINERS[meaning.determiner]
    words.append(GermanWord(declined_determiner(stem, case, column), "DET", article))
    if meaning.determiner == "another":
        words.append(GermanWord(declined_adjective("ander", "mixed", case, column), "ADJ", article))
    return words, stem


def _attributes(
    meaning: NounPhrase, case: Case, column: Class, determiner: str | None, noun_clauses: NounClauses
) -> Words:
    """A participle with what belongs to it, and the adjectives."""
    declension = declension_after(determiner)
    words: Words = []
    if isinstance(meaning.clause, Reduced) and meaning.clause.form != "infinitive":
        before, stem, senses = noun_clauses.before_noun(meaning.clause)
        words = [*before, GermanWord(declined_adjective(stem, declension, case, column), "ADJ", senses)]
    if meaning.degree:
        words.append(GermanWord(lexicon.ADVERBS[meaning.degree.lemma], "ADV", ((meaning, "degree"),)))
    for adjective in meaning.adjectives:
        _, stem = lexicon.adjective(adjective.lemma, meaning.noun.kind)
        form = declined_adjective(stem, declension, case, column)
        words.append(GermanWord(form, "ADJ", ((meaning, adjective.lemma),)))
    return words


def _noun(meaning: NounPhrase, noun: GermanNoun, case: Case) -> GermanWord:
    parts = ("head", *(modifier.lemma for modifier in meaning.modifiers))
    return GermanWord(noun.form(case, meaning.number == "Plur"), "NOUN", tuple((meaning, part) for part in parts))


def _after_noun(meaning: NounPhrase, column: Class, noun_clauses: NounClauses) -> Words:
    words: Words = []
    owner = meaning.owner
    if isinstance(owner, NounPhrase) and not _owner_precedes(meaning):
        if owner.noun.is_name:
            words += [GermanWord("von", "ADP", (), ((owner, POSSESSIVE),)), *_name(owner)]
        else:
            words += [_as_possessive(word, owner) for word in noun_phrase(owner, "Gen", noun_clauses)]
    if meaning.attribute:
        words += prepositional_phrase(meaning.attribute, noun_clauses)
    if isinstance(meaning.clause, Relative) or (meaning.clause and meaning.clause.form == "infinitive"):
        words += [COMMA, *noun_clauses.after_noun(meaning.clause, column), COMMA]
    if meaning.apposition:
        opening, closing = ((meaning.apposition, f"{place} comma") for place in ("opening", "closing"))
        words += [COMMA._replace(senses=(opening,)), *noun_phrase(meaning.apposition, "Nom", noun_clauses)]
        words.append(COMMA._replace(senses=(closing,)))
    return words


def _as_possessive(word: GermanWord, owner: NounPhrase) -> GermanWord:
    """A word of an owner in the genitive; if it is the article or the noun, it helps to express 's."""
    marked = {(owner, "determiner"), (owner, "head")} & set(word.senses)
    return word._replace(loosely=((owner, POSSESSIVE),)) if marked else word


def prepositional_phrase(meaning: Setting, noun_clauses: NounClauses) -> Words:
    """The words of a prepositional phrase."""
    form, case = lexicon.PREPOSITIONS[meaning.preposition]
    inner = meaning.nominal.members[0] if isinstance(meaning.nominal, Coordination) else meaning.nominal
    if form == "in" and isinstance(inner, NounPhrase) and inner.noun.lemma in lexicon.ON_TOP:
        form = "auf"
    if meaning.preposition == "on":
        sense = ((meaning, "preposition"),)
        return [GermanWord("am", "ADP", sense), *nominal(meaning.nominal, case, noun_clauses)]
    return with_preposition(form, case, (meaning, "preposition"), meaning.nominal, noun_clauses)


def with_preposition(preposition: str, case: Case, sense: Sense, meaning: Nominal, noun_clauses: NounClauses) -> Words:
    """A preposition with its nominal; the preposition and the article become one word if they can."""
    first, *others = nominal(meaning, case, noun_clauses)
    contracted = lexicon.CONTRACTED.get((preposition, first.form))
    if contracted:
        return [GermanWord(contracted, "ADP", (sense, *first.senses), first.loosely), *others]
    return [GermanWord(preposition, "ADP", (sense,)), first, *others]


def time(meaning: Time) -> Words:
    """The words of an expression of time."""
    return [
        GermanWord(form, upos, tuple((meaning, part) for part in parts), () if parts else ((meaning, "head"),))
        for form, upos, parts in lexicon.TIMES[meaning.words]
    ]
