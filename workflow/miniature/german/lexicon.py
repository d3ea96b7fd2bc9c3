"""The German counterparts of the English words; ``lexicon.data.yaml`` lists them."""

from __future__ import annotations

from pathlib import Path

import yaml

from miniature.english.lexicon import Noun
from miniature.german.inflection import Case, GermanNoun, GermanVerb, verb

_WORDS = yaml.safe_load(Path(__file__).with_suffix(".data.yaml").read_text(encoding="utf-8"))


_TRAITS = {"sein": {"auxiliary": "sein"}, "dat": {"case": "Dat"}, "sich": {"reflexive": True}}


def _verb(infinitive: str, parts: str = "-", traits: str = "") -> GermanVerb:
    """The verb of a row of the table, without its English name."""
    named: dict = {}
    for trait in traits.split(",") if traits else ():
        other = {"preposition": tuple(trait.split("+"))} if "+" in trait else {"correlate": trait}
        named |= _TRAITS.get(trait, other)
    return verb(infinitive, parts, **named)


NOUNS = {english: GermanNoun(*forms.split()) for english, forms in _WORDS["nouns"].items()}
OUTER_FIRST_PARTS = _WORDS["outer_first_parts"].split()
_WOMEN = {
    english: GermanNoun(form, "f", form + ("nen" if form.endswith("in") else "n"))
    for english, form in _WORDS["women"].items()
}

ADVERBS: dict[str, str] = _WORDS["adverbs"]
NUMERALS: dict[str, str] = _WORDS["numerals"]
DETERMINERS: dict[str, str] = _WORDS["determiners"]
SUBORDINATORS: dict[str, str] = _WORDS["subordinators"]
CONJUNCTIONS: dict[str, str] = _WORDS["conjunctions"]
PREPOSITIONS: dict[str, tuple[str, Case]] = {
    english: tuple(german.split()) for english, german in _WORDS["prepositions"].items()
}
ON_TOP = _WORDS["on_top"].split()
CONTRACTED: dict[tuple[str, str], str] = {
    tuple(parts.split()): contracted for parts, contracted in _WORDS["contracted"].items()
}
# By the English words: each German one with the part of the meaning that it expresses, if it expresses one.
TIMES: dict[tuple[str, ...], list[list[str]]] = {
    tuple(english.split()): [word.split("/") for word in german.split()] for english, german in _WORDS["times"].items()
}

HABEN = GermanVerb("haben", "habe", "hat", "hatte", "gehabt")
SEIN = GermanVerb("sein", "bin", "ist", "war", "gewesen", auxiliary="sein", present_plural="sind")
WERDEN = GermanVerb("werden", "werde", "wird", "wurde", "worden", auxiliary="sein")
THERE_IS = verb("geben", "gibt,gab,gegeben")
# Modals stand in the present alone; their plural has the place of the infinitive, which nothing asks for.
MODALS = {"will": WERDEN} | {
    english: GermanVerb(plural, singular, singular, "", "") for english, (singular, plural) in _WORDS["modals"].items()
}
VERBS = {english: _verb(*row) for english, *row in map(str.split, _WORDS["verbs"].splitlines())} | {
    "be": SEIN,
    "want": GermanVerb("wollen", "will", "will", "wollte", "gewollt"),
    "know": GermanVerb("wissen", "weiß", "weiß", "wusste", "gewusst"),
}


def noun(entry: Noun, modifiers: tuple[Noun, ...] = (), woman: bool = False) -> GermanNoun:
    """The German noun, in one word with its modifiers; ``woman`` asks for the word for a woman, if there is one."""
    key = entry.lemma
    if modifiers and f"{modifiers[-1].lemma} {key}" in NOUNS:
        *modifiers, last = modifiers
        key = f"{last.lemma} {key}"
    whole = _WOMEN[key] if woman and key in _WOMEN else NOUNS[key]
    for modifier in reversed(modifiers):
        whole = whole.compound_with(_WORDS["first_parts"][modifier.lemma])
    return whole


def name(entry: Noun) -> str:
    """The German form of a name."""
    return _WORDS["names"].get(entry.lemma, entry.lemma)


def adjective(lemma: str, kind: str) -> tuple[str, str]:
    """The German adjective, said of a kind of things, without ending, and its stem, which endings follow."""
    if lemma == "tall" and kind != "building":
        return "groß", "groß"
    forms = _WORDS["adjectives"][lemma].split()
    return forms[0], forms[-1]
