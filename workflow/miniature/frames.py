"""English sentences with the frames that their verbs evoke, like FrameNet's exemplars."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

from bert_attention.corpora.types import FramedSentence, FrameElement
from miniature.discourse import spoken_documents
from miniature.english.writing import spell
from miniature.exemplars import spoken_exemplars
from miniature.meaning import Clause
from miniature.tokens import character_spans, running_text
from miniature.trees import PlacedNode

# The function that a dependent fills, by its relation and the verb's voice. An oblique's depends on its preposition.
_FUNCTIONS = {"nsubj": "subject", "obj": "object", "iobj": "recipient", "ccomp": "complement", "xcomp": "complement"}
_FUNCTIONS_IN_PASSIVE = _FUNCTIONS | {"nsubj:pass": "object", "obl:agent": "subject"}


def framed_sentences(sentences: int, seed: int) -> tuple[FramedSentence, ...]:
    """The sentences of :func:`~miniature.generate_documents` and as many exemplars, once for each verb with a frame.

    A frame's elements are dependents of the verb, with their prepositions and conjunctions. What a verb shares with
    another ("came and saw") or takes from a noun ("the letter written") is not annotated. A verb without any element
    gives no sentence. The target is the verb alone, without its particle.
    """
    in_documents = (placed for _, spoken in spoken_documents(sentences, seed) for placed in spoken)
    every = chain(in_documents, spoken_exemplars(sentences, seed))
    return tuple(framed for placed in every for framed in _frames(placed))


def _frames(placed: list[PlacedNode]) -> Iterator[FramedSentence]:
    tokens = spell(placed)
    text, characters = running_text(tokens), character_spans(tokens)
    for number, entry in enumerate(placed):
        clause = _evoking_clause(entry)
        if clause is None:
            continue
        elements = tuple(_elements(placed, characters, number, clause))
        if elements:
            yield FramedSentence(text, clause.verb.frame, characters[number], elements)


def _evoking_clause(entry: PlacedNode) -> Clause | None:
    """The clause whose verb a node is, if the verb evokes a frame."""
    for meaning, part in entry.node.senses:
        if part == "verb" and meaning.verb.frame:
            return meaning
    return None


def _elements(
    placed: list[PlacedNode], characters: list[tuple[int, int]], verb: int, clause: Clause
) -> Iterator[FrameElement]:
    """A verb's elements in order, each from its first word to its last, punctuation aside."""
    functions = _FUNCTIONS_IN_PASSIVE if clause.passive else _FUNCTIONS
    for number, entry in enumerate(placed):
        if entry.head != verb:
            continue
        function = functions.get(entry.node.relation) or _function_by_preposition(placed, number, clause)
        if function in clause.verb.elements:
            words = [place for place in range(entry.start, entry.end) if placed[place].node.token.upos != "PUNCT"]
            yield FrameElement(clause.verb.elements[function], characters[words[0]][0], characters[words[-1]][1])


def _function_by_preposition(placed: list[PlacedNode], number: int, clause: Clause) -> str | None:
    """The function of a nominal with a preposition that the verb governs."""
    preposition = (clause, "preposition")
    for entry in placed[placed[number].start : number]:
        if entry.head == number and preposition in entry.node.senses:
            return "oblique" if clause.oblique else "recipient"
    return None
