"""The English words except verbs and function words; ``lexicon.data.yaml`` lists them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import yaml

from miniature.english.inflection import plural
from miniature.tokens import Token

PEOPLE = ("person", "relative")  # the kinds of nouns for people

_WORDS = yaml.safe_load(Path(__file__).with_suffix(".data.yaml").read_text(encoding="utf-8"))


@dataclass(frozen=True, eq=False, slots=True)
class _Lexeme:
    """What all words have: a ``token``, which is that of a noun in the singular."""

    token: Token

    @property
    def lemma(self) -> str:
        """The word as a string."""
        return self.token.lemma


@dataclass(frozen=True, eq=False, slots=True)
class Noun(_Lexeme):
    """A common noun or a name; ``gender`` is Fem, Masc, Neut or Any (a person of either gender)."""

    plural: Token
    kind: str
    gender: str

    @property
    def is_name(self) -> bool:
        """Whether it is a name."""
        return self.token.upos == "PROPN"


@dataclass(frozen=True, eq=False, slots=True)
class Adjective(_Lexeme):
    """An adjective, the ``kinds`` of nouns that it goes with, and its ``rank`` among several before a noun.

    A noun has at most one of each ``group`` (colours, sizes, ...). "Very" can stand before a ``gradable`` one.
    """

    kinds: frozenset[str]
    rank: int
    group: int
    gradable: bool


@dataclass(frozen=True, eq=False, slots=True)
class Adverb(_Lexeme):
    """An adverb; ``place`` is the class that decides where it stands."""

    place: str


def _noun(entry: str, kind: str) -> Noun:
    lemma, _, gender = entry.partition(":")
    singular = Token(lemma, lemma, "NOUN", "NN", "Number=Sing")
    several = Token(plural(lemma), lemma, "NOUN", "NNS", "Number=Plur")
    return Noun(singular, several, kind, gender or ("Any" if kind in PEOPLE else "Neut"))


def _names(key: str, kind: str, gender: str) -> tuple[Noun, ...]:
    tokens = (Token(form, form, "PROPN", "NNP", "Number=Sing") for form in _WORDS[key].split())
    return tuple(Noun(token, token, kind, gender) for token in tokens)


def _adjectives() -> dict[str, Adjective]:
    kinds: dict[str, set[str]] = {}
    groups: dict[str, int] = {}
    for group, (lemmas, row_kinds) in enumerate(_WORDS["adjectives"].items()):
        for lemma in lemmas.split():
            kinds.setdefault(lemma, set()).update(_WORDS["nouns"] if row_kinds == "all" else row_kinds.split())
            groups.setdefault(lemma, group)
    for lemma in _WORDS["moods"].split():
        kinds[lemma], groups[lemma] = set(), -1
    absolute = _WORDS["absolute"].split()
    return {
        lemma: Adjective(
            Token(lemma, lemma, "ADJ", "JJ", "Degree=Pos"), frozenset(of), rank, groups[lemma], lemma not in absolute
        )
        for rank, (lemma, of) in enumerate(kinds.items())
    }


NOUNS_OF_KIND: dict[str, tuple[Noun, ...]] = {
    kind: tuple(_noun(entry, kind) for entry in entries.split()) for kind, entries in _WORDS["nouns"].items()
}
NOUNS: dict[str, Noun] = {noun.lemma: noun for nouns in NOUNS_OF_KIND.values() for noun in nouns} | {
    entry: _noun(entry, "other") for entry in _WORDS["other_nouns"].split()
}
COMPOUNDS: dict[Noun, list[Noun]] = {  # head: modifiers
    NOUNS[head]: [NOUNS[modifier] for modifier in modifiers.split()] for head, modifiers in _WORDS["compounds"].items()
}
OUTER_MODIFIERS = tuple(NOUNS[lemma] for lemma in _WORDS["outer_modifiers"].split())

ADJECTIVES = _adjectives()
ADJECTIVES_OF_KIND: dict[str, tuple[Adjective, ...]] = {
    kind: tuple(adjective for adjective in ADJECTIVES.values() if kind in adjective.kinds) for kind in NOUNS_OF_KIND
}
MOODS = tuple(ADJECTIVES[lemma] for lemma in _WORDS["moods"].split())

ADVERBS_OF_PLACE: dict[str, tuple[Adverb, ...]] = {
    place: tuple(Adverb(Token(lemma, lemma, "ADV", "RB"), place) for lemma in row.split())
    for place, row in _WORDS["adverbs"].items()
}
ADVERBS: dict[str, Adverb] = {adverb.lemma: adverb for adverbs in ADVERBS_OF_PLACE.values() for adverb in adverbs}

GIVEN_NAMES = _names("female_names", "person", "Fem") + _names("male_names", "person", "Masc")
SURNAMES = _names("surnames", "person", "Any")
CITIES = _names("cities", "city", "Neut")
DAYS = _names("days", "day", "Neut")
NUMERALS = {
    lemma: Token(lemma, lemma, "NUM", "CD", "NumForm=Word|NumType=Card") for lemma in _WORDS["numerals"].split()
}

PLACE_PREPOSITIONS = {kind: prepositions.split() for kind, prepositions in _WORDS["place_prepositions"].items()}
EVENT_PREPOSITIONS = _WORDS["event_prepositions"].split()
TIMES = {tense: [tuple(words.split()) for words in times] for tense, times in _WORDS["times"].items()}
