"""Sentences with frames made from parse trees: a verb evokes a frame, and its core arguments are the elements.

A frame is named by the verb's lemma, an element by the relation of the argument's head. Nothing here is from FrameNet:
trees do not show which verbs share a frame, or which role an argument has.

Kovaleva et al. 2019 analyze short sentences with elements that are short and not next to their target. The sentences of
an encyclopedia are long. So this module cuts sentences at punctuation into short stretches, and annotates only short
arguments away from their verb.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby

from bert_attention.corpora.types import FramedSentence, FrameElement, Sentence

LONGEST = 12  # words of a stretch
LONGEST_ARGUMENT = 3  # words
WORDS_BETWEEN = 2  # minimum distance between an argument and its verb

# Core arguments in ClearNLP's dependencies (first line) and only in UD. `agent` begins with the preposition "by".
ARGUMENTS = ("nsubj", "nsubjpass", "csubj", "dobj", "dative", "iobj", "agent", "oprd", "ccomp", "xcomp")
ARGUMENTS += ("nsubj:pass", "obj", "obl:agent")

_BREAKS = (",", ".", ":", "``", "''", "-LRB-", "-RRB-")  # Penn tags at which a sentence is cut

Span = tuple[int, int]  # start up to, not including, end


def framed_sentences(sentences: Iterable[Sentence]) -> Iterator[FramedSentence]:
    """Yield each stretch of at most ``LONGEST`` words once for every verb with an argument to annotate.

    An argument is annotated if it lies in its verb's stretch and has at most ``LONGEST_ARGUMENT`` words, with at least
    ``WORDS_BETWEEN`` words between argument and verb. Auxiliaries evoke no frame.
    """
    for sentence in sentences:
        text, characters = running_text(sentence)
        for start, end in stretches(sentence):
            first, last = characters[start][0], characters[end - 1][1]
            for verb in range(start, end):
                elements = tuple(_elements(sentence, verb, (start, end), characters))
                if elements:
                    target = characters[verb][0] - first, characters[verb][1] - first
                    group = f"article-{sentence.document}" if sentence.document else ""
                    yield FramedSentence(text[first:last], sentence.words[verb].lemma, target, elements, group)


def _elements(sentence: Sentence, verb: int, stretch: Span, characters: list[Span]) -> Iterator[FrameElement]:
    """Yield a verb's annotated arguments by their characters in the stretch; other words have none."""
    if sentence.words[verb].upos != "VERB":
        return
    first = characters[stretch[0]][0]
    for relation, (start, end) in arguments(sentence, verb):
        if stretch[0] <= start and end <= stretch[1] and is_short_and_apart((start, end), verb):
            yield FrameElement(relation, characters[start][0] - first, characters[end - 1][1] - first)


def stretches(sentence: Sentence) -> Iterator[Span]:
    """Yield the stretches of at most ``LONGEST`` words between punctuation, by the indexes of their words."""
    for is_break, indexes in groupby(range(len(sentence.words)), key=lambda index: _is_break(sentence, index)):
        found = list(indexes)
        if not is_break and len(found) <= LONGEST:
            yield found[0], found[-1] + 1


def _is_break(sentence: Sentence, index: int) -> bool:
    return sentence.words[index].xpos in _BREAKS


def is_short_and_apart(words: Span, verb: int) -> bool:
    """Return True if an argument is short enough and far enough from its verb to be annotated."""
    start, end = words
    return end - start <= LONGEST_ARGUMENT and max(start - verb - 1, verb - end) >= WORDS_BETWEEN


def running_text(sentence: Sentence) -> tuple[str, list[Span]]:
    """Return the sentence as written (``SpaceAfter=No``), and the characters of each word."""
    text, characters = "", []
    for word in sentence.words:
        characters.append((len(text), len(text) + len(word.form)))
        text += word.form + ("" if "SpaceAfter=No" in word.misc.split("|") else " ")
    return text.rstrip(), characters


def arguments(sentence: Sentence, verb: int) -> Iterator[tuple[str, Span]]:
    """Yield the relation and the words of each core argument of a verb."""
    for index, word in enumerate(sentence.words):
        if word.head == verb + 1 and word.relation in ARGUMENTS:
            inside = subtree(sentence, index)
            yield word.relation, (min(inside), max(inside) + 1)


def subtree(sentence: Sentence, head: int) -> set[int]:
    """Return the indexes of a word and of all words under it."""
    inside, size = {head}, 0
    while size < len(inside):
        size = len(inside)
        inside |= {index for index, word in enumerate(sentence.words) if word.head - 1 in inside}
    return inside
