"""German noun phrases and prepositional phrases, from meanings to words."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from bert_attention.corpora.miniature import german_lexicon
from bert_attention.corpora.miniature.german_inflection import (
    Case,
    Class,
    GermanNoun,
    declension_after,
    declined_adjective,
    declined_determiner,
    personal_pronoun,
)
from bert_attention.corpora.miniature.meaning import (
    Coordination,
    Nominal,
    NounPhrase,
    Pronoun,
    Reduced,
    Relative,
    Setting,
    Time,
)
from bert_attention.corpora.miniature.trees import Sense


class GermanWord(NamedTuple):
    """A word with its part of speech (as in Universal Dependencies) and senses, as of :class:`trees.Node`."""

    form: str
    upos: str
    senses: tuple[Sense, ...] = ()
    loosely: tuple[Sense, ...] = ()


Words = list[GermanWord]


class Attribute(NamedTuple):
    """What is said before a noun by a participle: what belongs to it, its stem, its senses."""

    before: Words
    stem: str
    senses: tuple[Sense, ...]


class Speaker(NamedTuple):
    """How clauses about nouns are spoken; given by the grammar of clauses, which builds on this module."""

    before_noun: Callable[[Reduced], Attribute]
    after_noun: Callable[[Relative | Reduced, Class], Words]


COMMA = GermanWord(",", "PUNCT")
POSSESSIVE = "possessive"  # the part of an owner that English says by 's


def nominal(meaning: Nominal, case: Case, speaker: Speaker) -> Words:
    """The words of a nominal."""
    match meaning:
        case Pronoun():
            form = personal_pronoun(meaning.person, meaning.number, meaning.gender, case)
            return [GermanWord(form, "PRON", ((meaning, "head"),))]
        case Coordination():
            first, second = (nominal(member, case, speaker) for member in meaning.members)
            joint = german_lexicon.CONJUNCTIONS[meaning.conjunction]
            return [*first, GermanWord(joint, "CCONJ", ((meaning, "conjunction"),)), *second]
        case _:
            return noun_phrase(meaning, case, speaker)


def noun_phrase(
    meaning: NounPhrase, case: Case, speaker: Speaker, woman: bool = False, denied_by: Sense | None = None
) -> Words:
    """The words of a noun phrase.

    Parameters
    ----------
    woman
        Whether the noun is said of a woman.
    denied_by
        The negation that an indefinite article takes up: kein.
    """
    if meaning.noun.is_name:
        return _name(meaning)
    woman = woman or (meaning.apposition is not None and meaning.apposition.noun.gender == "Fem")
    noun = german_lexicon.noun(meaning.noun, meaning.modifiers, woman)
    plural = meaning.number == "Plur"
    column: Class = "p" if plural else noun.gender
    if case == "Gen" and not _shows_genitive(meaning):
        case = "Dat"
    words, determiner = _determiners(meaning, case, column, denied_by)
    if meaning.numeral:
        words.append(GermanWord(german_lexicon.NUMERALS[meaning.numeral], "NUM", ((meaning, "numeral"),)))
    words += _attributes(meaning, case, column, determiner, speaker)
    words.append(_noun(meaning, noun, case))
    return words + _after_noun(meaning, column, speaker)


def gender_of(meaning: Nominal) -> Class:
    """The gender of a nominal as German has it; that of a coordination is the plural."""
    match meaning:
        case Pronoun():
            return "f" if meaning.gender == "Fem" else "m"
        case Coordination():
            return "p"
        case _ if meaning.noun.is_name:
            return "f" if meaning.noun.gender == "Fem" else "m"
        case _:
            return german_lexicon.noun(meaning.noun, meaning.modifiers).gender


def is_indefinite(meaning: Nominal | None) -> bool:
    """Whether a nominal is denied by "kein"."""
    if not isinstance(meaning, NounPhrase) or meaning.owner or meaning.numeral or meaning.noun.is_name:
        return False
    return meaning.determiner == "a" or (meaning.determiner is None and meaning.number == "Plur")


def _shows_genitive(meaning: NounPhrase) -> bool:
    """Whether a word before the noun shows the genitive, without which it is not used."""
    if meaning.owner:
        return isinstance(meaning.owner, Pronoun) or not _owner_precedes(meaning)
    return bool(meaning.determiner) or bool(meaning.adjectives)


def _name(meaning: NounPhrase) -> Words:
    words = [GermanWord(german_lexicon.name(meaning.noun), "PROPN", ((meaning, "head"),))]
    return words + [GermanWord(german_lexicon.name(more), "PROPN", ((meaning, more.lemma),)) for more in meaning.names]


def _owner_precedes(meaning: NounPhrase) -> bool:
    """Whether the owner is a name with "s" before the noun: Annas Buch, but: das Buch von Felix."""
    owner = meaning.owner
    if not isinstance(owner, NounPhrase) or not owner.noun.is_name or meaning.all:
        return False
    return not (owner.names or (owner.noun,))[-1].lemma.endswith(("s", "x", "z"))


def _determiners(meaning: NounPhrase, case: Case, column: Class, denied_by: Sense | None) -> tuple[Words, str | None]:
    """The words before numeral and adjectives, and the determiner (its stem) that decides about their endings."""
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
    stem = german_lexicon.DETERMINERS[meaning.determiner]
    words.append(GermanWord(declined_determiner(stem, case, column), "DET", article))
    if meaning.determiner == "another":
        words.append(GermanWord(declined_adjective("ander", "mixed", case, column), "ADJ", article))
    return words, stem


def _attributes(meaning: NounPhrase, case: Case, column: Class, determiner: str | None, speaker: Speaker) -> Words:
    """A participle with what belongs to it, and the adjectives."""
    declension = declension_after(determiner)
    words: Words = []
    if isinstance(meaning.clause, Reduced) and meaning.clause.form != "infinitive":
        before, stem, senses = speaker.before_noun(meaning.clause)
        words = [*before, GermanWord(declined_adjective(stem, declension, case, column), "ADJ", senses)]
    if meaning.degree:
        words.append(GermanWord(german_lexicon.ADVERBS[meaning.degree.lemma], "ADV", ((meaning, "degree"),)))
    for adjective in meaning.adjectives:
        stem = german_lexicon.stem(adjective.lemma, meaning.noun.kind)
        form = declined_adjective(stem, declension, case, column)
        words.append(GermanWord(form, "ADJ", ((meaning, adjective.lemma),)))
    return words


def _noun(meaning: NounPhrase, noun: GermanNoun, case: Case) -> GermanWord:
    parts = ("head", *(modifier.lemma for modifier in meaning.modifiers))
    return GermanWord(noun.form(case, meaning.number == "Plur"), "NOUN", tuple((meaning, part) for part in parts))


def _after_noun(meaning: NounPhrase, column: Class, speaker: Speaker) -> Words:
    words: Words = []
    owner = meaning.owner
    if isinstance(owner, NounPhrase) and not _owner_precedes(meaning):
        if owner.noun.is_name:
            words += [GermanWord("von", "ADP", (), ((owner, POSSESSIVE),)), *_name(owner)]
        else:
            words += [_as_possessive(word, owner) for word in noun_phrase(owner, "Gen", speaker)]
    if meaning.attribute:
        words += prepositional(meaning.attribute, speaker)
    if isinstance(meaning.clause, Relative) or (meaning.clause and meaning.clause.form == "infinitive"):
        words += [COMMA, *speaker.after_noun(meaning.clause, column), COMMA]
    if meaning.apposition:
        opening, closing = ((meaning.apposition, f"{place} comma") for place in ("opening", "closing"))
        words += [COMMA._replace(senses=(opening,)), *noun_phrase(meaning.apposition, "Nom", speaker)]
        words.append(COMMA._replace(senses=(closing,)))
    return words


def _as_possessive(word: GermanWord, owner: NounPhrase) -> GermanWord:
    """A word of an owner in the genitive, which helps to say 's if it is the article or the noun."""
    marked = {(owner, "determiner"), (owner, "head")} & set(word.senses)
    return word._replace(loosely=((owner, POSSESSIVE),)) if marked else word


def prepositional(meaning: Setting, speaker: Speaker) -> Words:
    """The words of a prepositional phrase."""
    form, case = german_lexicon.PREPOSITIONS[meaning.preposition]
    inner = meaning.nominal.members[0] if isinstance(meaning.nominal, Coordination) else meaning.nominal
    if form == "in" and isinstance(inner, NounPhrase) and inner.noun.lemma in german_lexicon.ON_TOP:
        form = "auf"
    if meaning.preposition == "on":
        sense = ((meaning, "preposition"),)
        return [GermanWord("am", "ADP", sense), *nominal(meaning.nominal, case, speaker)]
    return governed(form, case, (meaning, "preposition"), meaning.nominal, speaker)


def governed(preposition: str, case: Case, sense: Sense, meaning: Nominal, speaker: Speaker) -> Words:
    """A preposition with its nominal; preposition and article are one word where they can be."""
    first, *others = nominal(meaning, case, speaker)
    contracted = german_lexicon.CONTRACTED.get((preposition, first.form))
    if contracted:
        return [GermanWord(contracted, "ADP", (sense, *first.senses), first.loosely), *others]
    return [GermanWord(preposition, "ADP", (sense,)), first, *others]


def time(meaning: Time) -> Words:
    """A bare expression of time."""
    return [
        GermanWord(form, upos, tuple((meaning, part) for part in parts), () if parts else ((meaning, "head"),))
        for form, upos, parts in german_lexicon.TIMES[meaning.words]
    ]
