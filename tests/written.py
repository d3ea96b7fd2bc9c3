"""Short English texts with trees, coreference and frames, written by hand for tests with known answers.

Names and nouns vary, so that there can be any number of documents.
"""

from __future__ import annotations

import re
from collections import Counter

import numpy as np

from bert_attention.corpora.types import Document, FramedSentence, FrameElement, Mention, MentionType, Sentence, Word

# A sentence of a document has three parts: its words; the tag, head and relation of each word (as in Universal
# Dependencies; heads count from 1, and 0 is the root); and its mentions, each a chain with its first and last word.
# The chains are p (a person), o (another person) and t (a thing).
_Annotated = tuple[str, str, str]
_OF_A_WOMAN: tuple[_Annotated, ...] = (
    (
        "{woman} bought a very {quality} {thing} in {city} .",
        "NNP/2/nsubj VBD/0/root DT/6/det RB/5/advmod JJ/6/amod NN/2/obj IN/8/case NNP/2/obl ./2/punct",
        "p 1 1, t 3 6",
    ),
    (
        "The {person} said that she had shown it to her {relative} .",
        "DT/2/det NN/3/nsubj VBD/0/root IN/7/mark PRP/7/nsubj VBD/7/aux VBN/3/ccomp PRP/7/obj IN/11/case"
        " PRP$/11/nmod:poss NN/7/obl ./3/punct",
        "p 1 2, p 5 5, t 8 8, o 10 11, p 10 10",
    ),
    (
        "{woman} 's {thing} was too small for the {relative} , but he liked it .",
        "NNP/3/nmod:poss POS/1/case NN/6/nsubj VBD/6/cop RB/6/advmod JJ/0/root IN/9/case DT/9/det NN/6/obl ,/13/punct"
        " CC/13/cc PRP/13/nsubj VBD/6/conj PRP/13/obj ./6/punct",
        "p 1 2, t 1 3, o 8 9, o 12 12, t 14 14",
    ),
    (
        "He wants to give her the {thing} back .",
        "PRP/2/nsubj VBZ/0/root TO/4/mark VB/2/xcomp PRP/4/iobj DT/7/det NN/4/obj RB/4/advmod ./2/punct",
        "o 1 1, p 5 5, t 6 7",
    ),
)
_OF_A_MAN: tuple[_Annotated, ...] = (
    (
        "{man} has lost the {quality} {thing} of a {relative} .",
        "NNP/3/nsubj VBZ/3/aux VBN/0/root DT/6/det JJ/6/amod NN/3/obj IN/9/case DT/9/det NN/6/nmod ./3/punct",
        "p 1 1, t 4 9, o 8 9",
    ),
    (
        "His {relative} will look for the {thing} because he must work .",
        "PRP$/2/nmod:poss NN/4/nsubj MD/4/aux VB/0/root IN/7/case DT/7/det NN/4/obl IN/11/mark PRP/11/nsubj MD/11/aux"
        " VB/4/advcl ./4/punct",
        "p 1 1, o 1 2, t 6 7, p 9 9",
    ),
    (
        "The {thing} is in {city} , and the {person} knows that .",
        "DT/2/det NN/5/nsubj VBZ/5/cop IN/5/case NNP/0/root ,/10/punct CC/10/cc DT/9/det NN/10/nsubj VBZ/5/conj"
        " DT/10/obj ./5/punct",
        "t 1 2, p 8 9",
    ),
    (
        "If it is not found , {man} has to buy another {thing} .",
        "IN/5/mark PRP/5/nsubj:pass VBZ/5/aux:pass RB/5/advmod VBN/8/advcl ,/8/punct NNP/8/nsubj VBZ/0/root TO/10/mark"
        " VB/8/xcomp DT/12/det NN/10/obj ./8/punct",
        "t 2 2, p 7 7",
    ),
)
_CHOICES = {
    "woman": "Anna Mary Laura Julia",
    "man": "Peter Thomas Daniel Mark",
    "city": "Paris Bristol Rome Toronto",
    "thing": "boat lamp umbrella bicycle",
    "quality": "old heavy expensive blue",
    "person": "teacher painter engineer singer",
    "relative": "brother nephew neighbor cousin",
}
_UPOS = {"DT": "DET", "IN": "ADP", "JJ": "ADJ", "MD": "AUX", "NN": "NOUN", "NNP": "PROPN", "POS": "PART", "PRP": "PRON"}
_UPOS |= {"PRP$": "PRON", "RB": "ADV", "TO": "PART", "CC": "CCONJ", ".": "PUNCT", ",": "PUNCT"}  # others are verbs
_MENTION_TYPES: dict[str, MentionType] = {"PRP": "pronoun", "PRP$": "pronoun", "NNP": "proper"}

# Elements are in brackets with their names, and the word that evokes the frame is between asterisks.
_FRAMED = (
    ("Giving", "[Donor {woman}] may never *give* [Recipient her {relative}] [Theme the {thing}] ."),
    ("Statement", "[Speaker The {person}] *said* yesterday [Message that the {thing} was {quality}] ."),
    ("Activity_finish", "In the house the {relative} saw [Agent the {person}] *finish* [Activity it] ."),
    ("Manufacturing", "*Embroider* [Product the {quality} {thing}] !"),
    ("Scrutiny", "[Phenomenon The {thing}] is being *scrutinized* by [Cognizer {man}]"),
    ("Sleep", "[Sleeper {man}] *sleeps*"),  # the distance between its tokens is unique
)


def written_documents(number: int, seed: int = 0) -> tuple[Document, ...]:
    """Return this many documents of three or four sentences. More documents of a seed start with the same documents."""
    return tuple(_document(f"written-{seed}-{each + 1}", np.random.default_rng([seed, each])) for each in range(number))


def written_trees(number: int, seed: int = 0) -> list[Sentence]:
    """Return the sentences of this many documents (:func:`written_documents`)."""
    return [sentence for document in written_documents(number, seed) for sentence in document.sentences]


def framed_sentences(number: int, seed: int = 0) -> tuple[FramedSentence, ...]:
    """Return this many sentences with frames: six patterns in turn, with names and nouns drawn at random."""
    random = np.random.default_rng(seed)
    return tuple(_framed(*_FRAMED[each % len(_FRAMED)], _words(random)) for each in range(number))


def _words(random: np.random.Generator) -> dict[str, str]:
    """Return a random word for each placeholder in the sentences."""
    return {name: str(random.choice(words.split())) for name, words in _CHOICES.items()}


def _document(name: str, random: np.random.Generator) -> Document:
    """Return one of the two texts, or the text without a sentence. Entities with one mention are not annotated."""
    chosen = list((_OF_A_WOMAN, _OF_A_MAN)[random.integers(2)])
    if random.integers(2):
        del chosen[random.integers(len(chosen))]
    words = _words(random)
    sentences: list[Sentence] = []
    mentions: list[Mention] = []
    start = 0
    for number, (text, columns, spans) in enumerate(chosen, start=1):
        sentence = _sentence(text.format(**words), columns, f"{name}-{number}")
        mentions += [_mention(sentence, start, *span.split()) for span in spans.split(",")]
        sentences.append(sentence)
        start += len(sentence.words)
    often = Counter(mention.chain for mention in mentions)
    kept = [mention for mention in mentions if often[mention.chain] > 1]
    kept.sort(key=lambda mention: (mention.words[0], mention.words[-1]))
    return Document(name, tuple(sentences), tuple(kept))


def _sentence(text: str, columns: str, name: str) -> Sentence:
    words = []
    for form, column in zip(text.split(), columns.split(), strict=True):
        tag, head, relation = column.split("/")
        words.append(Word(form, form.lower(), _UPOS.get(tag, "VERB"), tag, "_", int(head), relation))
    return Sentence(tuple(words), (f"# sent_id = {name}",))


def _mention(sentence: Sentence, start: int, chain: str, first: str, last: str) -> Mention:
    """Return a mention in a sentence that starts at word ``start``. Its head is the word whose own head is outside."""
    indices = range(int(first), int(last) + 1)
    (head,) = (index for index in indices if sentence.words[index - 1].head not in indices)
    kind = _MENTION_TYPES.get(sentence.words[head - 1].xpos, "nominal")
    return Mention(chain, tuple(start + index - 1 for index in indices), start + head - 1, kind)


def _framed(frame: str, pattern: str, words: dict[str, str]) -> FramedSentence:
    """Return the sentence of a pattern, with the positions of its target and its elements."""
    text, target, elements = "", (0, 0), []
    for plain, name, element, evoking in re.findall(r"([^\[*]+)|\[(\w+) ([^\]]+)\]|\*(\w+)\*", pattern.format(**words)):
        start = len(text)
        text += plain or element or evoking
        if element:
            elements.append(FrameElement(name, start, len(text)))
        if evoking:
            target = (start, len(text))
    return FramedSentence(text, frame, target, tuple(elements))
