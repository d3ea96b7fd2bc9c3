"""Inflection of English nouns and verbs: spelling rules, and tables of the exceptions."""

from __future__ import annotations

from typing import NamedTuple

_IRREGULAR_PLURALS = {"child": "children", "man": "men", "woman": "women", "mouse": "mice", "knife": "knives"}
_IRREGULAR_PLURALS |= {"sheep": "sheep", "scarf": "scarves", "thief": "thieves", "potato": "potatoes"}
_IRREGULAR_PLURALS |= {"tomato": "tomatoes"}

# Base form, past tense, participle.
_IRREGULAR_VERBS = {
    row.split()[0]: row.split()[1:]
    for row in """
    become became become
    begin began begun
    break broke broken
    bring brought brought
    build built built
    buy bought bought
    come came come
    drive drove driven
    eat ate eaten
    fall fell fallen
    feed fed fed
    feel felt felt
    find found found
    forget forgot forgotten
    get got gotten
    give gave given
    go went gone
    grow grew grown
    hear heard heard
    hide hid hidden
    know knew known
    leave left left
    lend lent lent
    lose lost lost
    meet met met
    pay paid paid
    put put put
    read read read
    run ran run
    say said said
    see saw seen
    sell sold sold
    send sent sent
    show showed shown
    sing sang sung
    sit sat sat
    sleep slept slept
    stand stood stood
    steal stole stolen
    swim swam swum
    take took taken
    teach taught taught
    tear tore torn
    tell told told
    think thought thought
    throw threw thrown
    understand understood understood
    wake woke woken
    wear wore worn
    write wrote written
    """.strip().splitlines()
}
_DOUBLED = {"admit", "begin", "forget"}  # they double the last consonant although they have two syllables
_VOWELS = "aeiou"


class VerbForms(NamedTuple):
    """The forms of a verb."""

    base: str
    third: str
    past: str
    participle: str
    gerund: str


def plural(noun: str) -> str:
    """The plural of a noun."""
    return _IRREGULAR_PLURALS.get(noun) or _with_s(noun)


def verb_forms(verb: str) -> VerbForms:
    """The forms of a verb, given its base form."""
    stem = verb + verb[-1] if _doubles(verb) else verb
    gerund = (stem[:-1] if verb.endswith("e") and not verb.endswith("ee") else stem) + "ing"
    if verb in _IRREGULAR_VERBS:
        past, participle = _IRREGULAR_VERBS[verb]
        return VerbForms(verb, _with_s(verb), past, participle, gerund)
    past = _regular_past(verb, stem)
    return VerbForms(verb, _with_s(verb), past, past, gerund)


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
