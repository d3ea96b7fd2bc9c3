"""What a sentence says: the abstract syntax that both English and German express.

Concepts go by their English words. A noun phrase holds an English noun and a clause an English verb; determiners,
prepositions and conjunctions are English strings. German looks up its own words for them (:mod:`german.lexicon`).

Meanings are compared by identity, not by content: two dogs of the same description are two dogs. A part of a meaning
is therefore a pair of an object and the part's name (:data:`Sense`). Words of two languages with the same sense are
counterparts.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any, Literal

from miniature.english.lexicon import Adjective, Adverb, Noun
from miniature.english.verbs import Verb

# What a word expresses: an object of the meaning and the name of one of its parts.
Sense = tuple[Hashable, str]

ROLES = ("subject", "object", "recipient", "oblique")
Number = Literal["Sing", "Plur"]
Tense = Literal["past", "present", "future"]


@dataclass(frozen=True, eq=False, slots=True)
class NounPhrase:
    """A description: "all the three very old kitchen tables of the king that Anna bought, a gift".

    ``modifiers`` make a compound, outermost first. ``names`` follow a given name. ``clause`` is about the noun.
    """

    noun: Noun
    number: Number = "Sing"
    determiner: str | None = "the"
    all: bool = False
    numeral: str | None = None
    owner: Nominal | None = None
    degree: Adverb | None = None
    adjectives: tuple[Adjective, ...] = ()
    modifiers: tuple[Noun, ...] = ()
    names: tuple[Noun, ...] = ()
    attribute: Setting | None = None
    clause: Relative | Reduced | None = None
    apposition: NounPhrase | None = None


@dataclass(frozen=True, eq=False, slots=True)
class Pronoun:
    """A personal pronoun; ``entity`` is whom it mentions, if that is known."""

    person: int
    number: Number = "Sing"
    gender: str = ""
    entity: object = None


@dataclass(frozen=True, eq=False, slots=True)
class Referent:
    """An entity of the discourse, whose expression is chosen later; ``full`` rules out a pronoun."""

    entity: Any
    full: bool = False

    @property
    def noun(self) -> Noun:
        """The noun that describes the entity."""
        return self.entity.noun

    @property
    def number(self) -> Number:
        """The entity's number."""
        return self.entity.number


@dataclass(frozen=True, eq=False, slots=True)
class Coordination:
    """Two things, joined by "and"."""

    members: tuple[Nominal, Nominal]
    number: Number = "Plur"


Nominal = NounPhrase | Pronoun | Referent | Coordination


@dataclass(frozen=True, eq=False, slots=True)
class Relative:
    """A relative clause without its ``gap``, the subject or the object; it has no pronoun if ``pronoun`` is None."""

    clause: Clause
    gap: Literal["subject", "object"]
    pronoun: str | None


@dataclass(frozen=True, eq=False, slots=True)
class Reduced:
    """A participle or infinitive about a noun: "written by Anna", "waiting for the bus", "to leave the city"."""

    clause: Clause
    form: Literal["participle", "gerund", "infinitive"]


@dataclass(frozen=True, eq=False, slots=True)
class Property:
    """A predicate adjective with its degree."""

    adjective: Adjective
    degree: Adverb | None = None


@dataclass(frozen=True, eq=False, slots=True)
class Setting:
    """A prepositional phrase."""

    preposition: str
    nominal: Nominal


@dataclass(frozen=True, eq=False, slots=True)
class Time:
    """An expression of time without a preposition: "last week"."""

    words: tuple[str, ...]


@dataclass(frozen=True, eq=False, slots=True)
class Manner:
    """An adverb at the end or the beginning of a clause."""

    adverb: Adverb


@dataclass(frozen=True, eq=False, slots=True)
class Subordinate:
    """An adverbial clause with its conjunction."""

    conjunction: str
    clause: Clause


@dataclass(frozen=True, eq=False, slots=True)
class Purpose:
    """An infinitive of purpose: "to buy bread"."""

    clause: Clause


Adjunct = Setting | Time | Manner | Subordinate | Purpose
Complement = NounPhrase | Property | Setting
Form = Literal["finite", "infinitive", "gerund", "participle", "imperative"]


@dataclass(frozen=True, eq=False, slots=True)
class Clause:
    """A verb with what belongs to it.

    ``subject`` is None if the clause has none of its own (infinitives, imperatives, gaps, passives without an agent).
    ``content`` is a complement clause; ``conjunction`` introduces it (that, whether, or None).
    ``question`` is what a question asks for: "truth", a function, or an interrogative adverb.
    ``also`` is a conjunction with a second clause, which shares this one's subject if it has none.
    The fields below ``also`` are style: they change the words, not what is said.
    """

    verb: Verb
    subject: Nominal | None = None
    object: Nominal | None = None
    recipient: Nominal | None = None
    oblique: Nominal | None = None
    complement: Complement | None = None
    content: Clause | None = None
    conjunction: str | None = None
    existential: bool = False
    tense: Tense = "past"
    modal: str | None = None
    perfect: bool = False
    progressive: bool = False
    negated: bool = False
    adverb: Adverb | None = None
    adjuncts: tuple[Adjunct, ...] = ()
    question: str | None = None
    also: tuple[str, Clause] | None = None
    passive: bool = False
    contracted: bool = False
    particle_last: bool = False
    recipient_first: bool = False
    front: Adjunct | None = None

    @property
    def grammatical_subject(self) -> Nominal | None:
        """What stands as the subject: in the passive, the object."""
        return self.object if self.passive else self.subject


@dataclass(frozen=True, eq=False, slots=True)
class Utterance:
    """A whole sentence: a clause and what stands around it.

    ``interjection`` opens it. ``addressee`` is called on before the clause, or after it if ``addressee_last``.
    ``speech`` is a clause such as "Anna said" after what was said.
    """

    clause: Clause
    interjection: str | None = None
    addressee: Nominal | None = None
    addressee_last: bool = False
    speech: Clause | None = None
    imperative: bool = False
    final: str = "."


def number_of(nominal: Nominal | None) -> Number:
    """The grammatical number of a nominal; singular where there is none."""
    return "Sing" if nominal is None else nominal.number


def kind_of(nominal: Nominal) -> str:
    """The kind of what a nominal speaks of."""
    match nominal:
        case NounPhrase() | Referent():
            return nominal.noun.kind
        case Pronoun():
            return "thing" if nominal.gender == "Neut" else "person"
        case _:
            return kind_of(nominal.members[0])
