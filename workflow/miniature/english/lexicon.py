"""The English words except verbs and function words, as tables and the entries made from them.

Most words are common, so that a wordpiece vocabulary keeps them whole. Some names and nouns are rare on purpose.
Kinds (person, food, ...) say what goes with what. They keep sentences dull rather than absurd.
"""

from __future__ import annotations

from dataclasses import dataclass

from miniature.english.inflection import plural
from miniature.tokens import Token

# Nouns by kind. A person's gender follows a colon where the word tells it.
_NOUNS = {
    "person": "teacher doctor nurse farmer student lawyer writer singer driver baker neighbor officer artist guard"
    " judge king:Masc queen:Fem girl:Fem boy:Masc woman:Fem man:Masc child friend thief librarian beekeeper locksmith",
    "relative": "mother:Fem father:Masc sister:Fem brother:Masc aunt:Fem uncle:Masc daughter:Fem son:Masc cousin",
    "animal": "dog cat horse bird cow sheep rabbit mouse goat hedgehog",
    "food": "apple cake egg sandwich pie potato tomato soup orange dumpling",
    "text": "book letter report story poem song map article list",
    "container": "box bag basket bottle door window drawer suitcase",
    "thing": "key phone lamp chair clock knife picture ball hammer guitar camera mirror table umbrella accordion",
    "clothes": "coat hat shirt dress scarf jacket",
    "vehicle": "car bus boat bike train truck",
    "building": "house church school library hospital station museum kitchen office tower",
    "place": "garden park forest village city street market field river",
    "event": "party meeting lesson concert game wedding trip dinner",
    "idea": "plan problem idea question answer decision mistake secret",
}

# Compounds: modifier and head.
_COMPOUNDS = """
    kitchen table    kitchen window   kitchen door    kitchen chair    school bus      school book     school bag
    garden party     garden chair     apple cake      apple pie        potato soup     tomato soup     winter coat
    winter jacket    summer dress     summer party    train station    bus station     bus driver      train driver
    city library     city park        village school  village church   birthday cake   birthday party  dinner party
    travel bag       love letter      love song       police officer   police car      office chair    office door
    church window    market street    story book      hospital kitchen family doctor   toy train       toy car
"""
_OTHER_NOUNS = "winter summer birthday travel love police family toy company"
_OTHER_NOUNS += " yesterday today tomorrow week year day morning evening"
# Nouns that can stand before a whole compound: a company train station.
_OUTER_MODIFIERS = "city village family company winter summer"

# Adjectives in their order before a noun (opinion, size, state, age, colour, material), with the kinds they go with.
_ADJECTIVES = """
    good bad great terrible wonderful strange       *
    beautiful                                       person animal thing clothes vehicle building place
    famous clever friendly brave lazy polite        person relative
    important simple difficult interesting boring   text event idea
    delicious fresh sweet                           food
    expensive cheap useful                          thing clothes vehicle container
    dangerous                                       animal vehicle place
    big small huge little                           animal thing container vehicle building place food clothes
    tall                                            person building
    long short                                      text event
    heavy                                           thing container
    empty                                           container vehicle building place
    quiet                                           person animal building place
    dirty clean                                     animal thing container clothes vehicle
    broken                                          thing container vehicle
    hungry tired                                    person animal
    old young                                       person animal
    old new                                         text thing container clothes vehicle building
    red green blue black white                      thing container clothes vehicle
    wooden                                          thing container
"""
# What people can be. In the miniature these do not stand before a noun.
_MOODS = "happy sad angry afraid proud nervous calm sick ready"

_ADVERBS = {
    "frequency": "often always usually sometimes rarely never already probably certainly almost finally suddenly"
    " really",
    "manner": "quickly slowly carefully quietly loudly gladly secretly",
    "degree": "very quite rather so too",
    "sentence": "perhaps fortunately however then",
    "final": "again together outside there",
}

_FEMALE_NAMES = "Anna Maria Emma Sarah Julia Laura Alice Clara Nina Eva Thandiwe Ottilie"
_MALE_NAMES = "Tom Paul Peter David Martin Simon Oscar Felix Victor Daniel Zbigniew Anselm"
_SURNAMES = "Miller Fischer Keller Carter Morgan Wagner Bennett Foster Hughes Palmer Brandstetter Kowalczyk"
_CITIES = "Berlin Paris London Rome Vienna Boston Madrid Prague Oslo Klagenfurt"
_DAYS = "Monday Tuesday Friday Sunday"
_NUMERALS = "two three four five six seven ten"


@dataclass(frozen=True, eq=False, slots=True)
class Noun:
    """A common noun or a name; ``gender`` is Fem, Masc, Neut or Any (a person of either gender)."""

    singular: Token
    plural: Token
    kind: str
    gender: str

    @property
    def lemma(self) -> str:
        """The noun as a string."""
        return self.singular.lemma

    @property
    def is_name(self) -> bool:
        """Whether it is a name."""
        return self.singular.upos == "PROPN"


@dataclass(frozen=True, eq=False, slots=True)
class Adjective:
    """An adjective, the ``kinds`` of nouns that it goes with, and its ``rank`` among several before a noun.

    A noun has at most one of each ``group`` (colours, sizes, ...).
    """

    token: Token
    kinds: frozenset[str]
    rank: int
    group: int

    @property
    def lemma(self) -> str:
        """The adjective as a string."""
        return self.token.lemma


@dataclass(frozen=True, eq=False, slots=True)
class Adverb:
    """An adverb; ``place`` is the class that decides where it stands."""

    token: Token
    place: str

    @property
    def lemma(self) -> str:
        """The adverb as a string."""
        return self.token.lemma


def _noun(entry: str, kind: str) -> Noun:
    lemma, _, gender = entry.partition(":")
    person = kind in ("person", "relative")
    singular = Token(lemma, lemma, "NOUN", "NN", "Number=Sing")
    several = Token(plural(lemma), lemma, "NOUN", "NNS", "Number=Plur")
    return Noun(singular, several, kind, gender or ("Any" if person else "Neut"))


def _name(form: str, kind: str, gender: str) -> Noun:
    token = Token(form, form, "PROPN", "NNP", "Number=Sing")
    return Noun(token, token, kind, gender)


def _names(forms: str, kind: str, gender: str) -> tuple[Noun, ...]:
    return tuple(_name(form, kind, gender) for form in forms.split())


def _adjectives() -> dict[str, Adjective]:
    kinds: dict[str, set[str]] = {}
    groups: dict[str, int] = {}
    for group, row in enumerate(_ADJECTIVES.strip().splitlines()):
        lemmas, _, row_kinds = row.strip().partition("  ")
        for lemma in lemmas.split():
            kinds.setdefault(lemma, set()).update(_NOUNS if "*" in row_kinds else row_kinds.split())
            groups.setdefault(lemma, group)
    for lemma in _MOODS.split():
        kinds[lemma], groups[lemma] = set(), -1
    return {
        lemma: Adjective(Token(lemma, lemma, "ADJ", "JJ", "Degree=Pos"), frozenset(kinds[lemma]), rank, groups[lemma])
        for rank, lemma in enumerate(kinds)
    }


NOUNS: dict[str, Noun] = {
    entry.partition(":")[0]: _noun(entry, kind) for kind, entries in _NOUNS.items() for entry in entries.split()
} | {entry: _noun(entry, "other") for entry in _OTHER_NOUNS.split()}
NOUNS_OF_KIND: dict[str, tuple[Noun, ...]] = {
    kind: tuple(noun for noun in NOUNS.values() if noun.kind == kind) for kind in _NOUNS
}
COMPOUNDS: dict[Noun, list[Noun]] = {}  # head: modifiers
for _modifier, _head in zip(_COMPOUNDS.split()[::2], _COMPOUNDS.split()[1::2], strict=True):
    COMPOUNDS.setdefault(NOUNS[_head], []).append(NOUNS[_modifier])
OUTER_MODIFIERS = tuple(NOUNS[lemma] for lemma in _OUTER_MODIFIERS.split())

ADJECTIVES = _adjectives()
ADJECTIVES_OF_KIND: dict[str, tuple[Adjective, ...]] = {
    kind: tuple(adjective for adjective in ADJECTIVES.values() if kind in adjective.kinds) for kind in _NOUNS
}
MOODS = tuple(ADJECTIVES[lemma] for lemma in _MOODS.split())

ADVERBS: dict[str, Adverb] = {
    lemma: Adverb(Token(lemma, lemma, "ADV", "RB"), place) for place, row in _ADVERBS.items() for lemma in row.split()
}
ADVERBS_OF_PLACE: dict[str, tuple[Adverb, ...]] = {
    place: tuple(ADVERBS[lemma] for lemma in row.split()) for place, row in _ADVERBS.items()
}

GIVEN_NAMES = _names(_FEMALE_NAMES, "person", "Fem") + _names(_MALE_NAMES, "person", "Masc")
SURNAMES = _names(_SURNAMES, "person", "Any")
CITIES = _names(_CITIES, "city", "Neut")
DAYS = _names(_DAYS, "day", "Neut")
NUMERALS = {
    lemma: Token(lemma, lemma, "NUM", "CD", "NumForm=Word|NumType=Card") for lemma in ("one", *_NUMERALS.split())
}

# Prepositions that say where, by the kind of place, and those that say when, before an event.
PLACE_PREPOSITIONS = {
    "building": ("in", "near", "behind", "at"),
    "place": ("in", "near", "behind"),
    "city": ("in", "near"),
    "container": ("in", "under", "behind"),
    "vehicle": ("in", "behind", "near"),
}
EVENT_PREPOSITIONS = ("after", "before", "during")

# Expressions of time by tense. The last word is the head.
TIMES = {
    "past": (("yesterday",), ("last", "week"), ("last", "summer"), ("that", "morning"), ("one", "day")),
    "present": (("every", "morning"), ("every", "week"), ("this", "year"), ("today",)),
    "future": (("tomorrow",), ("next", "week"), ("next", "summer"), ("this", "evening")),
}
