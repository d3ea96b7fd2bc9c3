"""Inflection of German: articles, adjectives, nouns, pronouns and verbs."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

Case = Literal["Nom", "Acc", "Dat", "Gen"]
# Masculine, feminine, neuter, plural; all genders share one declension in the plural.
Class = Literal["m", "f", "n", "p"]
Declension = Literal["strong", "mixed", "weak"]


def _paradigm(rows: str) -> dict[tuple[Case, Class], str]:
    """A table with rows Nom, Acc, Dat, Gen and columns m, f, n, p; "-" is nothing."""
    return {
        (case, column): "" if cell == "-" else cell
        for case, row in zip(("Nom", "Acc", "Dat", "Gen"), rows.strip().splitlines(), strict=True)
        for column, cell in zip("mfnp", row.split(), strict=True)
    }


_DEFINITE = _paradigm("""
    der  die  das  die
    den  die  das  die
    dem  der  dem  den
    des  der  des  der
""")
RELATIVE = _DEFINITE | {("Dat", "p"): "denen"}
_OF_DIESER = _paradigm("""
    er  e   es  e
    en  e   es  e
    em  er  em  en
    es  er  es  er
""")
_OF_EIN = _OF_DIESER | {("Nom", "m"): "", ("Nom", "n"): "", ("Acc", "n"): ""}
_OF_ADJECTIVES: dict[Declension, dict[tuple[Case, Class], str]] = {
    "strong": _OF_DIESER | {("Gen", "m"): "en", ("Gen", "n"): "en"},
    "mixed": _paradigm("""
        er  e   es  en
        en  e   es  en
        en  en  en  en
        en  en  en  en
    """),
    "weak": _paradigm("""
        e   e   e   en
        en  e   e   en
        en  en  en  en
        en  en  en  en
    """),
}
_LIKE_EIN = {"ein", "kein", "mein", "unser", "sein", "ihr"}

# (person, number, gender): nominative, accusative, dative, stem of the possessive.
_PERSONAL = {
    (1, "Sing", ""): "ich mich mir mein",
    (3, "Sing", "Masc"): "er ihn ihm sein",
    (3, "Sing", "Fem"): "sie sie ihr ihr",
    (1, "Plur", ""): "wir uns uns unser",
}
_FORMS_OF_PRONOUN = ("Nom", "Acc", "Dat", "possessive")

_UNSEPARATED = ("be", "ver", "zer", "er", "ent", "über", "unter")  # prefixes without "ge-" in the participle


@dataclass(frozen=True, slots=True)
class GermanNoun:
    """A noun; ``oblique`` is the singular of a weak noun outside the nominative (des Jungen), or empty."""

    singular: str
    gender: Class
    plural: str
    oblique: str = ""

    def form(self, case: Case, plural: bool) -> str:
        """The form in a case and number."""
        if plural:
            return self.plural + ("n" if case == "Dat" and not self.plural.endswith(("n", "s")) else "")
        if self.oblique and case != "Nom":
            return self.oblique
        return self._genitive() if case == "Gen" and self.gender != "f" else self.singular

    def _genitive(self) -> str:
        if self.singular.endswith("nis"):
            return self.singular + "ses"
        one_syllable = len(re.findall("[aeiouäöüy]+", self.singular.lower())) == 1
        return self.singular + ("es" if one_syllable or self.singular.endswith(("s", "ß", "z", "x")) else "s")

    def compound_with(self, modifier: str) -> GermanNoun:
        """The compound of a modifier and this noun."""
        forms = (self.singular, self.plural, self.oblique)
        singular, plural, oblique = (modifier + form.lower() if form else "" for form in forms)
        return GermanNoun(singular, self.gender, plural, oblique)


def declined_determiner(stem: str, case: Case, column: Class) -> str:
    """A determiner; ``stem`` is "der", or the stem of dieser, jeder, alle, einige, ein, kein or a possessive."""
    if stem == "der":
        return _DEFINITE[case, column]
    return stem + (_OF_EIN if stem in _LIKE_EIN else _OF_DIESER)[case, column]


def declension_after(determiner: str | None) -> Declension:
    """The declension of adjectives after a determiner (its stem, as in :func:`declined_determiner`) or after none."""
    if determiner in (None, "einig"):
        return "strong"
    return "mixed" if determiner in _LIKE_EIN else "weak"


def declined_adjective(stem: str, declension: Declension, case: Case, column: Class) -> str:
    """An attributive adjective with its ending."""
    return stem + _OF_ADJECTIVES[declension][case, column]


def personal_pronoun(person: int, number: str, gender: str, form: str) -> str:
    """A pronoun; ``form`` is Nom, Acc, Dat, or possessive for the stem of the possessive."""
    return _PERSONAL[person, number, gender].split()[_FORMS_OF_PRONOUN.index(form)]


@dataclass(frozen=True, slots=True)
class GermanVerb:
    """A verb's forms without its separable ``prefix``, and what goes with it.

    ``auxiliary`` is that of the perfect, "haben" or "sein". ``case`` is that of the object, or of the addressee if the
    verb has no object. ``preposition`` is that of the oblique, with its case; None makes the oblique an object.
    ``correlate`` is a word that announces a complement clause: schafft *es*, erinnert *daran*.
    """

    infinitive: str
    first: str
    third: str
    past: str
    participle: str
    prefix: str = ""
    auxiliary: str = "haben"
    case: Case = "Acc"
    reflexive: bool = False
    preposition: tuple[str, Case] | None = None
    correlate: str = ""
    present_plural: str = ""

    def finite(self, past: bool, person: int, plural: bool) -> str:
        """A finite form, without the prefix."""
        if past:
            return self.past + (("n" if self.past.endswith("e") else "en") if plural else "")
        if plural:
            return self.present_plural or self.infinitive
        return self.first if person == 1 else self.third


def verb(infinitive: str, parts: str = "-", **traits) -> GermanVerb:
    """A verb; ``parts`` are a strong verb's third person, past and participle, with "=" for a regular one.

    A bar follows a separable prefix: ``an|rufen``.
    """
    prefix, _, bare = infinitive.rpartition("|")
    stem = bare.removesuffix("n").removesuffix("e")
    linking = "e" if _needs_vowel(stem) else ""
    without_ge = bare.endswith("ieren") or (not prefix and bare.startswith(_UNSEPARATED))
    regular = (stem + linking + "t", stem + linking + "te", ("" if without_ge else "ge") + stem + linking + "t")
    strong = ("=", "=", "=") if parts == "-" else parts.split(",")
    third, past, participle = (r if s == "=" else s for s, r in zip(strong, regular, strict=True))
    first = stem[:-2] + "le" if stem.endswith("el") else stem + "e"
    return GermanVerb(bare, first, third, past, participle, prefix, **traits)


def _needs_vowel(stem: str) -> bool:
    """Whether endings begin with "e": arbeitet, öffnet."""
    return stem.endswith(("t", "d")) or (stem.endswith(("n", "m")) and stem[-2] not in "aeiouäöürlhnm")
