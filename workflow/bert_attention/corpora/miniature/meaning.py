"""What a sentence says, apart from its words: the abstract syntax that English and German are both spoken from.

Meanings are told apart by identity, not by content: two dogs of the same description are two dogs. A part of a meaning
is therefore known by the object and the part's name, which is how words of two languages find their counterparts.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from bert_attention.corpora.miniature.lexicon import Adjective, Adverb, Noun
from bert_attention.corpora.miniature.verbs import Verb

Number = Literal["Sing", "Plur"]
Tense = Literal["past", "present", "future"]


@dataclass(frozen=True, eq=False, slots=True)
class NounPhrase:
    """A thing described: "all the three very old kitchen tables of the king that Anna bought, a gift".

    ``modifiers`` make a compound, outermost first; ``names`` follow a given name. ``clause`` is a relative or reduced
    clause about the noun.
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
    """A personal pronoun; ``entity`` is whom it mentions, where that is known."""

    person: int
    number: Number = "Sing"
    gender: str = ""
    entity: object = None


@dataclass(frozen=True, eq=False, slots=True)
class Referent:
    """An entity of the discourse whose expression is chosen when the sentence is spoken; ``full``: not a pronoun."""

    entity: object
    number: Number = "Sing"
    full: bool = False


@dataclass(frozen=True, eq=False, slots=True)
class Coordination:
    """Several things, joined by "and" or "or"."""

    members: tuple[Nominal, ...]
    conjunction: str = "and"
    number: Number = "Plur"


Nominal = NounPhrase | Pronoun | Referent | Coordination


@dataclass(frozen=True, eq=False, slots=True)
class Relative:
    """A relative clause that lacks its ``gap``, the subject or the object; ``pronoun`` None leaves the pronoun out."""

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
    """A bare expression of time: "last week"."""

    words: tuple[str, ...]


@dataclass(frozen=True, eq=False, slots=True)
class Manner:
    """An adverb at the clause's end or beginning."""

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
    """A predication.

    ``subject`` is None where the clause has none of its own (infinitives, imperatives, gaps, agentless passives);
    ``content`` is a complement clause, ``conjunction`` what introduces it (that, whether, or None);
    ``question`` is what a question asks for: "truth", a function, or an interrogative adverb;
    ``also`` is a coordinated clause, whose subject is this one's where it has none.
    The fields below ``also`` are matters of style: they change the words, not what is said.
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


@dataclass(frozen=True, eq=False, slots=True)
class Utterance:
    """A whole sentence: a clause with what speakers put around it.

    ``interjection`` opens it, ``addressee`` is called on before or (``addressee_last``) after it, ``speech`` is a
    clause like "Anna said" that follows what was said.
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
