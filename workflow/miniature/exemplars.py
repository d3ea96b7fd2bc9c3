"""Short English sentences in which words stand between a verb and what fills its frame, like a lexicon's examples.

Subjects and objects are short, and from none to five auxiliaries, negations and adverbs stand before the verb; between
a verb and its infinitive or clause stand adjuncts. So no fixed distance leads from an element to its verb.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from miniature.drawing import Draw
from miniature.english.grammar import utterance
from miniature.english.lexicon import ADVERBS, DAYS, NOUNS_OF_KIND, PEOPLE, PLACE_PREPOSITIONS
from miniature.english.verbs import VERBS_OF_PATTERN, Verb
from miniature.inventor import MODALS, Inventor, Timing
from miniature.meaning import Adjunct, Clause, Manner, Nominal, NounPhrase, Pronoun, Setting, Utterance
from miniature.trees import PlacedNode, flatten

_STREAM = 2  # apart from the random numbers of documents of the same seed

# What fills the frame: the subject alone, of an active or a passive verb, or also an infinitive or a clause.
_PATTERNS = {"intransitive": 12, "particle": 8, "transitive": 25, "phrasal": 15, "infinitival": 35, "clausal": 20}
_PASSIVE = ("transitive", "phrasal")
_PRONOUNS = (Pronoun(1), Pronoun(1, "Plur"), Pronoun(3, "Sing", "Fem"), Pronoun(3, "Sing", "Masc"), Pronoun(3, "Plur"))


def spoken_exemplars(sentences: int, seed: int) -> Iterator[list[PlacedNode]]:
    """Sentences as nodes that say what they express; a seed gives the same ones however many are asked for."""
    for number in range(sentences):
        yield flatten(utterance(_utterance(Draw(seed, number, _STREAM))))


def _utterance(draw: Draw) -> Utterance:
    inventor = Inventor(draw)
    pattern = draw.weighted(_PATTERNS)
    verb = draw.pick([verb for verb in VERBS_OF_PATTERN[pattern] if verb.frame])
    order = pattern == "infinitival" and draw.chance(0.5)
    clause = Clause(verb, tense="present") if order else _clause(inventor, verb)
    if pattern == "clausal":
        clause = replace(clause, content=_short_clause(inventor, _phrase(inventor, PEOPLE)), conjunction="that")
    if pattern in ("infinitival", "clausal") or draw.chance(0.3):
        clause = replace(clause, adjuncts=_adjuncts(inventor))
    if pattern == "infinitival":
        clause = replace(clause, content=_short_clause(inventor, None))
    return Utterance(clause, imperative=order)


def _clause(inventor: Inventor, verb: Verb) -> Clause:
    """A verb with what stands first in the sentence, and up to five words between them."""
    draw, passive = inventor.draw, verb.pattern in _PASSIVE
    first = "object" if passive else "subject"
    modal = draw.pick(MODALS) if draw.chance(0.7) else None
    perfect = modal != "can" and draw.chance(0.5)
    timing = Timing("present" if modal else "past", modal, perfect, draw.chance(0.4) and not (passive or verb.stative))
    negated = draw.chance(0.5)
    return Clause(
        verb,
        **{first: _phrase(inventor, verb.kinds[first])},
        **timing._asdict(),
        negated=negated,
        contracted=draw.chance(0.3),
        adverb=inventor.frequency(verb, negated or modal is not None) if draw.chance(0.6) else None,
        passive=passive,
    )


def _phrase(inventor: Inventor, kinds: tuple[str, ...]) -> Nominal:
    """A pronoun, a name, or a noun with at most one word beside its determiner."""
    draw, kind = inventor.draw, inventor.draw.pick(kinds)
    if draw.chance(0.45):
        return draw.pick(_PRONOUNS) if kind in PEOPLE else Pronoun(3, "Sing", "Neut")
    phrase = inventor.noun_phrase(kind, 0)
    adjectives = phrase.adjectives[:1] if phrase.determiner else ()
    return replace(
        phrase, all=False, owner=None, numeral=None, degree=None, modifiers=(), names=(), adjectives=adjectives
    )


def _short_clause(inventor: Inventor, subject: Nominal | None) -> Clause:
    """An intransitive verb, with its subject or as an infinitive."""
    draw = inventor.draw
    verbs = VERBS_OF_PATTERN["intransitive"]
    return Clause(draw.pick([verb for verb in verbs if "person" in verb.kinds["subject"]]), subject=subject)


def _adjuncts(inventor: Inventor) -> tuple[Adjunct, ...]:
    """Up to six words that say how, where and when."""
    draw = inventor.draw
    city = Setting(draw.pick(PLACE_PREPOSITIONS["city"]), inventor.noun_phrase("city", 0))
    building = Setting(draw.pick(PLACE_PREPOSITIONS["building"]), NounPhrase(draw.pick(NOUNS_OF_KIND["building"])))
    adjuncts = (
        (Manner(ADVERBS["again"]), 0.4),
        (city if draw.chance(0.5) else building, 0.6),
        (Setting("on", NounPhrase(draw.pick(DAYS), determiner=None)), 0.5),
    )
    return tuple(adjunct for adjunct, probability in adjuncts if draw.chance(probability))
