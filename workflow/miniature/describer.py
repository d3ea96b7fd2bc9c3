"""Noun phrases drawn at random.

The frequencies here and in :mod:`inventor` were set by hand: every construction should be frequent enough to measure,
and no relation should have its head at a fixed distance. They come from no corpus.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import replace
from typing import Protocol

from miniature.drawing import Draw
from miniature.english.lexicon import (
    ADJECTIVES_OF_KIND,
    ADVERBS,
    CITIES,
    COMPOUNDS,
    GIVEN_NAMES,
    NOUNS,
    NOUNS_OF_KIND,
    NUMERALS,
    OUTER_MODIFIERS,
    PLACE_PREPOSITIONS,
    SURNAMES,
    Adjective,
    Noun,
)
from miniature.meaning import (
    Coordination,
    Nominal,
    NounPhrase,
    Number,
    Pronoun,
    Reduced,
    Referent,
    Relative,
    Setting,
)

Kinds = tuple[str, ...]

_DETERMINERS = {"the": 50, "a": 36, "this": 7, "another": 4, "every": 3}
_PLURAL_DETERMINERS = {"the": 50, None: 20, "some": 20, "this": 10}
_ABSOLUTE = "great terrible wonderful delicious huge empty broken wooden red green blue black white"
_CARRIED = ("clothes", "bag", "basket", "umbrella", "guitar", "camera", "knife", "book")
_ONE_OF_A_KIND = {"mother", "father"}  # nobody has two


class Cast(Protocol):
    """Who and what a text is about."""

    def begin_clause(self) -> None:
        """Until the clause ends, participants differ from each other."""

    def end_clause(self) -> None:
        """The clause ends; the one around it goes on."""

    def participant(self, kinds: Kinds) -> Nominal | None:
        """A participant of one of several kinds; None asks for a new one, which will not be mentioned again."""

    def owner(self) -> Nominal | None:
        """A person that may own something, in the clause already or not; None asks for a new one."""

    def speaker(self, number: Number) -> Pronoun:
        """The pronoun of the speaker: I or we."""

    def is_taken(self, noun: Noun) -> bool:
        """Whether the noun has been used for something before; it counts as used from now on."""


class Strangers:
    """A cast of nobody: every participant is new."""

    def begin_clause(self) -> None:
        """Nothing to remember."""

    def end_clause(self) -> None:
        """Nothing to forget."""

    def participant(self, kinds: Kinds) -> None:
        """Nobody known."""

    def owner(self) -> None:
        """Nobody known."""

    def speaker(self, number: Number) -> Pronoun:
        """Nobody in particular."""
        return Pronoun(1, number)

    def is_taken(self, noun: Noun) -> bool:
        """Nouns may come again."""
        return False


def is_gradable(adjective: Adjective) -> bool:
    """Whether "very" can stand before the adjective."""
    return adjective.lemma not in _ABSOLUTE.split()


class Describer(ABC):
    """Draws noun phrases; subclasses draw the clauses about them.

    Parameters
    ----------
    cast
        Asked first for every participant; if it gives None, a new one is drawn.
    names
        How often a new person has a name.
    """

    def __init__(self, draw: Draw, cast: Cast | None = None, names: float = 0.3):
        self.draw = draw
        self.cast = cast or Strangers()
        self._names = names

    @abstractmethod
    def relative(self, phrase: NounPhrase, depth: int) -> Relative:
        """A relative clause about a noun phrase."""

    @abstractmethod
    def reduced(self, phrase: NounPhrase, depth: int) -> Reduced | None:
        """A participle or infinitive about a noun phrase; None if nothing fits."""

    def nominal(self, kinds: Kinds, depth: int = 1) -> Nominal:
        """A participant of one of several kinds, known or new."""
        return self.cast.participant(kinds) or self.new_nominal(kinds, depth)

    def new_nominal(self, kinds: Kinds, depth: int = 1) -> NounPhrase | Coordination:
        """A new participant, now and then two."""
        kind = self.draw.pick(kinds)
        first = self.noun_phrase(kind, depth)
        if kind == "city" or not self.draw.chance(0.06):
            return first
        second = self.noun_phrase(kind, 0)
        return first if second.noun is first.noun else Coordination((first, second))

    def noun_phrase(self, kind: str, depth: int = 1) -> NounPhrase:
        """A noun of a kind (or a single noun, by its lemma) with its modifiers; at depth 0, nothing follows it."""
        draw = self.draw
        if kind == "city":
            return NounPhrase(draw.pick(CITIES), determiner=None)
        if kind == "person" and draw.chance(self._names):
            return self.name()
        choices = NOUNS_OF_KIND.get(kind) or (NOUNS[kind],)
        for _ in range(3):
            noun = draw.pick(choices)
            if not self.cast.is_taken(noun):
                return self.description(noun, depth)
        return replace(self.description(noun, depth), determiner="another", number="Sing", all=False, numeral=None)

    def name(self, gender: str | None = None, surname: float = 0.4) -> NounPhrase:
        """A person's name, now and then with one or two further names."""
        draw = self.draw
        choices = [name for name in GIVEN_NAMES if gender in (None, name.gender)]
        in_order = draw.shuffled(choices)
        given = next((name for name in in_order if not self.cast.is_taken(name)), in_order[0])
        names = self.further_names(given) if draw.chance(surname) else ()
        return NounPhrase(given, determiner=None, names=names)

    def further_names(self, given: Noun) -> tuple[Noun, ...]:
        """A surname, now and then with a second given name before it."""
        draw = self.draw
        seconds = [name for name in GIVEN_NAMES if name.gender == given.gender and name is not given]
        middle = (draw.pick(seconds),) if draw.chance(0.3) else ()
        return (*middle, draw.pick(SURNAMES))

    def description(self, noun: Noun, depth: int = 1) -> NounPhrase:
        """A noun with a determiner and modifiers."""
        draw = self.draw
        plural = draw.chance(0.22) and noun.lemma not in _ONE_OF_A_KIND
        determiner = draw.weighted(_PLURAL_DETERMINERS if plural else _DETERMINERS)
        numeral = None
        if plural and determiner in ("the", None) and draw.chance(0.5):
            numeral = draw.pick(tuple(NUMERALS)[1:])
        phrase = NounPhrase(
            noun,
            number="Plur" if plural else "Sing",
            determiner=determiner,
            all=plural and determiner == "the" and draw.chance(0.25),
            numeral=numeral,
            **self._modifiers(noun),
            owner=self._owner(noun),
        )
        return self._with_more(phrase, depth) if depth > 0 else phrase

    def _modifiers(self, noun: Noun) -> dict:
        draw = self.draw
        adjectives = ADJECTIVES_OF_KIND[noun.kind]
        count = draw.weighted({0: 50, 1: 34, 2: 16}) if adjectives else 0
        chosen = {adjective.group: adjective for adjective in (draw.pick(adjectives) for _ in range(count))}
        ranked = tuple(sorted(chosen.values(), key=lambda adjective: adjective.rank))
        modifiers = ()
        if noun in COMPOUNDS and draw.chance(0.5):
            modifiers = (draw.pick(COMPOUNDS[noun]),)
            if draw.chance(0.3):
                outer = [modifier for modifier in OUTER_MODIFIERS if modifier not in modifiers]
                modifiers = (draw.pick(outer), *modifiers)
        degree = ADVERBS["very"] if ranked and is_gradable(ranked[0]) and draw.chance(0.2) else None
        return {"adjectives": ranked, "modifiers": modifiers, "degree": degree}

    def _owner(self, noun: Noun) -> Nominal | None:
        draw = self.draw
        public = noun.kind == "place" and noun.lemma != "garden"
        if not (noun.kind == "relative" or draw.chance(0.16)) or public:
            return None
        if draw.chance(0.08):
            return self.cast.speaker(draw.pick(("Sing", "Plur")))
        return self.cast.owner() or (
            self.name(surname=0.2) if draw.chance(0.4) else NounPhrase(draw.pick(NOUNS_OF_KIND["person"]))
        )

    def _with_more(self, phrase: NounPhrase, depth: int) -> NounPhrase:
        """The phrase, now and then with something after its noun."""
        draw = self.draw
        kind = draw.fraction()
        if kind < 0.14:
            return replace(phrase, attribute=self._attribute(phrase))
        if kind < 0.22:
            return replace(phrase, clause=self.relative(phrase, depth - 1))
        if kind < 0.27:
            return replace(phrase, clause=self.reduced(phrase, depth - 1))
        if kind < 0.29 and phrase.number == "Sing" and phrase.noun.kind in ("person", "relative"):
            return replace(phrase, apposition=self.name(None if phrase.noun.gender == "Any" else phrase.noun.gender))
        return phrase

    def _attribute(self, phrase: NounPhrase) -> Setting:
        """A prepositional phrase after the noun, which depends on the noun's kind."""
        draw = self.draw
        match phrase.noun.kind:
            case "person" | "relative" | "animal":
                preposition, kinds = draw.pick((("from", ("city",)), ("with", _CARRIED)))
            case "text" | "idea":
                preposition, kinds = draw.pick((("about", ("animal", "city", "building")), ("from", ("person",))))
            case "event":
                preposition, kinds = draw.pick((("with", ("person", "relative")), ("in", ("city", "building"))))
            case "food":
                preposition, kinds = draw.pick((("from", ("building", "city")), ("with", ("food",))))
            case "building" | "place":
                return self.place(("place", "city"), 0)
            case _:
                origin = ("from", ("building", "city"))
                preposition, kinds = origin if phrase.owner else draw.pick((("of", ("person",)), origin))
        return Setting(preposition, self.nominal(kinds, 0))

    def place(self, kinds: Kinds, depth: int = 1) -> Setting:
        """A prepositional phrase that says where."""
        kind = self.draw.pick(kinds)
        nominal = self.nominal((kind,), depth)
        if isinstance(nominal, NounPhrase) and nominal.number == "Plur":  # things mostly happen in one place
            nominal = self.nominal((kind,), depth)
        prepositions = PLACE_PREPOSITIONS[kind]
        if _noun_of(nominal) is NOUNS["river"]:
            prepositions = [preposition for preposition in prepositions if preposition != "in"]
        return Setting(self.draw.pick(prepositions), nominal)


def is_heavy(nominal: Nominal | None) -> bool:
    """Whether so much follows the noun that no particle should come after it."""
    return isinstance(nominal, NounPhrase) and bool(nominal.clause or nominal.attribute)


def _noun_of(nominal: Nominal) -> Noun | None:
    match nominal:
        case NounPhrase():
            return nominal.noun
        case Referent():
            return nominal.entity.noun
    return None
