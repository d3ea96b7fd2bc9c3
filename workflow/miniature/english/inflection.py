"""Inflection of English nouns and verbs: spelling rules; ``inflection.data.yaml`` has the exceptions."""

from __future__ import annotations

from pathlib import Path

import yaml

from miniature.tokens import Token

_EXCEPTIONS = yaml.safe_load(Path(__file__).with_suffix(".data.yaml").read_text(encoding="utf-8"))
_DOUBLED = _EXCEPTIONS["doubled"].split()
_VOWELS = "aeiou"


# Tags of a verb's forms.
_TAGS_OF_FORM = {
    "base": ("VB", "VerbForm=Inf"),
    "first": ("VBP", "Mood=Ind|Number=Sing|Person=1|Tense=Pres|VerbForm=Fin"),
    "third": ("VBZ", "Mood=Ind|Number=Sing|Person=3|Tense=Pres|VerbForm=Fin"),
    "present": ("VBP", "Mood=Ind|Tense=Pres|VerbForm=Fin"),
    "past": ("VBD", "Mood=Ind|Tense=Past|VerbForm=Fin"),
    "past_plural": ("VBD", "Mood=Ind|Tense=Past|VerbForm=Fin"),
    "participle": ("VBN", "Tense=Past|VerbForm=Part"),
    "gerund": ("VBG", "Tense=Pres|VerbForm=Part"),
}


def form_tokens(lemma: str, upos: str, forms: dict[str, str]) -> dict[str, Token]:
    """The forms of a verb with their tags; only "be" has its own ``first`` and ``past_plural``."""
    tokens = {name: Token(form, lemma, upos, *_TAGS_OF_FORM[name]) for name, form in forms.items()}
    return {"first": tokens["present"], "past_plural": tokens["past"]} | tokens


def plural(noun: str) -> str:
    """The plural of a noun."""
    return _EXCEPTIONS["plurals"].get(noun) or _with_s(noun)


def verb_forms(verb: str) -> dict[str, str]:
    """The forms of a verb by name, given its base form."""
    stem = verb + verb[-1] if _doubles(verb) else verb
    gerund = (stem[:-1] if verb.endswith("e") and not verb.endswith("ee") else stem) + "ing"
    if verb in _EXCEPTIONS["verbs"]:
        past, participle = _EXCEPTIONS["verbs"][verb].split()
    else:
        past = participle = _regular_past(verb, stem)
    return {
        "base": verb,
        "present": verb,
        "third": _with_s(verb),
        "past": past,
        "participle": participle,
        "gerund": gerund,
    }


def _regular_past(verb: str, stem: str) -> str:
    if _ends_in_consonant_and_y(verb):
        return verb[:-1] + "ied"
    return verb + "d" if verb.endswith("e") else stem + "ed"


def _with_s(word: str) -> str:
    if _ends_in_consonant_and_y(word):
        return word[:-1] + "ies"
    return word + ("es" if word.endswith(("s", "x", "z", "ch", "sh", "go")) else "s")


def _ends_in_consonant_and_y(word: str) -> bool:
    return word.endswith("y") and word[-2] not in _VOWELS


def _doubles(verb: str) -> bool:
    """Whether the last consonant is doubled before an ending: run, running."""
    if verb in _DOUBLED:
        return True
    one_syllable = sum(letter in _VOWELS for letter in verb) == 1
    return one_syllable and verb[-1] not in _VOWELS + "wxy" and verb[-2] in _VOWELS
