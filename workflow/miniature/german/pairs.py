"""A parallel corpus: German sentences, their English translations, and links between their words."""

from __future__ import annotations

from collections import defaultdict

from bert_attention.corpora.types import AlignedPair, Link
from miniature.drawing import Draw
from miniature.english import grammar
from miniature.english.writing import spell
from miniature.german.grammar import GermanWord, utterance
from miniature.german.style import translatable_clause
from miniature.inventor import Cast, Inventor, Kinds
from miniature.meaning import Clause, Pronoun, Sense, Utterance
from miniature.trees import PlacedNode, flatten

_LENGTHS = range(5, 21)  # words of a sentence
_SIMPLE = 0.5  # how many sentences without a comma are kept, so that there are enough others
_PRONOUN = 0.16  # how often a pronoun stands for a person
_PRONOUNS = ((1, "Sing", ""), (1, "Plur", ""), (3, "Sing", "Masc"), (3, "Sing", "Fem"))


class Bystanders(Cast):
    """A cast of people known from elsewhere, who are mentioned by pronouns alone."""

    def __init__(self, draw: Draw):
        super().__init__()
        self._draw = draw

    def participant(self, kinds: Kinds) -> Pronoun | None:
        """A pronoun, now and then; everybody is mentioned once at most: nobody says "I saw me" or "we saw me"."""
        if "person" not in kinds or not self._clauses or not self._draw.chance(_PRONOUN):
            return None
        person, number, gender = self._draw.pick(_PRONOUNS)
        if any((person, gender) in clause for clause in self._clauses):
            return None
        self._clauses[-1].append((person, gender))
        return Pronoun(person, number, gender)

    def owner(self) -> Pronoun | None:
        """A pronoun, now and then, whether the clause mentions that person or not."""
        return Pronoun(*self._draw.pick(_PRONOUNS)) if self._draw.chance(0.25) else None


def aligned_pairs(pairs: int, seed: int) -> tuple[AlignedPair, ...]:
    """German sentences with their English translations and gold links.

    A link is sure if both words express the same part of the meaning. It is possible if one of them only helps to
    express it: an auxiliary without counterpart, an article, "sich", the "to" of a German infinitive in one word. A
    comma of one language alone has no link. The first pairs are the same however many are asked for.
    """
    draw = Draw(seed)
    inventor = Inventor(draw, Bystanders(draw))
    found: list[AlignedPair] = []
    while len(found) < pairs:
        meaning = inventor.utterance()
        if meaning.imperative or meaning.clause.question:
            continue
        german, english = in_both_languages(meaning.clause)
        fits = len(german) in _LENGTHS and len(english) in _LENGTHS
        if fits and (any(word.form == "," for word in german) or draw.chance(_SIMPLE)):
            found.append(aligned_pair(german, english))
    return tuple(found)


def in_both_languages(clause: Clause) -> tuple[list[GermanWord], list[PlacedNode]]:
    """A sentence of one clause in German and in English."""
    meaning = Utterance(translatable_clause(clause))
    return utterance(meaning), flatten(grammar.utterance(meaning))


def aligned_pair(german: list[GermanWord], english: list[PlacedNode]) -> AlignedPair:
    """The sentences of one meaning, with the links between their words."""
    nodes = [entry.node for entry in english]
    return AlignedPair(
        source=tuple(word.form for word in german),
        target=tuple(token.form for token in spell(english)),
        sure=_links([word.senses for word in german], [node.senses for node in nodes]),
        possible=_links(
            [(*word.senses, *word.loosely) for word in german], [(*node.senses, *node.loosely) for node in nodes]
        ),
    )


def _links(german: list[tuple[Sense, ...]], english: list[tuple[Sense, ...]]) -> frozenset[Link]:
    """The pairs of words that share a sense."""
    places = defaultdict(list)
    for place, senses in enumerate(english):
        for sense in senses:
            places[sense].append(place)
    return frozenset((here, there) for here, senses in enumerate(german) for sense in senses for there in places[sense])
