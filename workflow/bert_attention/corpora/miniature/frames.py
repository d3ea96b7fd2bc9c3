"""Sentences with the frames that their verbs evoke, in the manner of FrameNet's exemplars."""

from __future__ import annotations

from collections.abc import Iterator

from bert_attention.corpora.miniature.discourse import spoken_documents
from bert_attention.corpora.miniature.meaning import Clause
from bert_attention.corpora.miniature.trees import Placed, character_spans, detokenised, written
from bert_attention.corpora.types import FramedSentence, FrameElement

# The function that a dependent fills, by its relation and the verb's voice; an oblique's goes by its preposition.
_FUNCTIONS = {"nsubj": "subject", "obj": "object", "iobj": "recipient", "ccomp": "complement", "xcomp": "complement"}
_FUNCTIONS_IN_PASSIVE = _FUNCTIONS | {"nsubj:pass": "object", "obl:agent": "subject"}


def framed_sentences(sentences: int, seed: int) -> tuple[FramedSentence, ...]:
    """The sentences of :func:`~bert_attention.corpora.miniature.generate_documents`, once for each verb with a frame.

    Elements are those that stand with their verb as its dependents, prepositions and conjunctions included; what a verb
    shares with another ("came and saw") or takes from a noun ("the letter written") is not annotated. A sentence whose
    verb has no element at all is left out. A verb's target is its one word, without its particle.
    """
    return tuple(
        framed for _, spoken in spoken_documents(sentences, seed) for placed in spoken for framed in _frames(placed)
    )


def _frames(placed: list[Placed]) -> Iterator[FramedSentence]:
    tokens = written(placed)
    text, characters = detokenised(tokens), character_spans(tokens)
    for number, entry in enumerate(placed):
        clause = _evoking(entry)
        if clause is None:
            continue
        elements = []
        for name, first, last in _elements(placed, number, clause):
            elements.append(FrameElement(name, characters[first][0], characters[last][1]))
        if elements:
            yield FramedSentence(text, clause.verb.frame, characters[number], tuple(elements))


def _evoking(entry: Placed) -> Clause | None:
    """The clause whose verb a node is, if that evokes a frame."""
    for meaning, part in entry.node.senses:
        if part == "verb" and meaning.verb.frame:
            return meaning
    return None


def _elements(placed: list[Placed], verb: int, clause: Clause) -> Iterator[tuple[str, int, int]]:
    """Names of a verb's elements, with the places of their first and last words, in order."""
    functions = _FUNCTIONS_IN_PASSIVE if clause.passive else _FUNCTIONS
    for number, entry in enumerate(placed):
        if entry.head != verb:
            continue
        function = functions.get(entry.node.relation) or _governed(placed, number, clause)
        if function in clause.verb.elements:
            yield clause.verb.elements[function], *_without_punctuation(placed, entry)


def _governed(placed: list[Placed], number: int, clause: Clause) -> str | None:
    """The function of a nominal whose preposition its verb has chosen."""
    preposition = (clause, "preposition")
    for entry in placed[placed[number].start : number]:
        if entry.head == number and preposition in entry.node.senses:
            return "oblique" if clause.oblique else "recipient"
    return None


def _without_punctuation(placed: list[Placed], entry: Placed) -> tuple[int, int]:
    """The places of a phrase's first and last words."""
    words = [place for place in range(entry.start, entry.end) if placed[place].node.token.upos != "PUNCT"]
    return words[0], words[-1]
