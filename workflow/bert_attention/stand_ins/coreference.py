"""Documents in which repeated names are masked, as in WikiCREM (Kocijan et al. 2019).

A document is a stretch of consecutive sentences of an article in which at least two names occur twice. The first
mention of such a name stays, and each later mention becomes the word ``[MASK]``. So a later mention, like a pronoun,
says nothing about its antecedent, and a system has to choose between several names. WikiCREM combines a masked name
with any other name. Here both names must occur twice, because readers of coreference corpora drop names that occur
once.

A name is a word that the parser tags as a name (NNP, NNPS), with the names before it that depend on it as ``nn``. A
name before "of" is left out, because it is only a part of a name (Republic of Angola). Two names are the same if their
last words are equal, and one name has all words of the other (Abraham Lincoln, Lincoln).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from bert_attention.corpora.relations import clark_name
from bert_attention.corpora.types import MASKED_WORD, Document, Mention, Sentence, Word

LONGEST = 80  # words of a document, which usually have at most 128 wordpieces
_LONGEST_NAME = 4  # words; longer names are titles or parser errors
_NAMES = ("NNP", "NNPS")
# The parser tags words of dates as names, but a repeated date word need not mean the same date.
_MONTHS = "january february march april may june july august september october november december"
_DAYS = "monday tuesday wednesday thursday friday saturday sunday"
_DATES = frozenset([*_MONTHS.split(), *_DAYS.split(), "century"])


@dataclass(frozen=True)
class Name:
    """A name in a stretch: the index of its sentence, and its words from ``start`` up to, not including, ``end``."""

    sentence: int
    start: int
    end: int
    words: tuple[str, ...]

    def is_same(self, other: Name) -> bool:
        """Return True if the last words are equal, and one name has all words of the other."""
        ours, theirs = set(self.words), set(other.words)
        return self.words[-1] == other.words[-1] and (ours <= theirs or theirs <= ours)


def masked_documents(sentences: Iterable[Sentence]) -> Iterator[Document]:
    """Yield the stretches with at least two repeated names, with these names masked.

    ``sentences`` are parsed, with Penn tags, in the order of their articles (:attr:`Sentence.document`). A document has
    at most ``LONGEST`` words that are in no other document. Its name is the number of its article and its number in the
    article (``article-7 002``), so that the documents of an article form a cluster. A masked word has the tag of the
    replaced name, so its mention counts as a name. Sentences have no comments.
    """
    for article, of_article in groupby(sentences, key=lambda sentence: sentence.document):
        for number, (stretch, chains) in enumerate(_chosen_stretches(list(of_article)), start=1):
            yield _masked(f"article-{article}", number, stretch, chains)


def _chosen_stretches(sentences: Sequence[Sentence]) -> Iterator[tuple[list[Sentence], list[list[Name]]]]:
    """Yield stretches of an article with their repeated names; a sentence is in at most one stretch."""
    start = 0
    while start < len(sentences):
        stretch = _stretch_from(sentences, start)
        chains = repeated_names(stretch)
        if len(chains) > 1:
            yield stretch, chains
        start += len(stretch) if len(chains) > 1 else 1


def _stretch_from(sentences: Sequence[Sentence], start: int) -> list[Sentence]:
    """Return the longest run of sentences from ``start`` on with at most ``LONGEST`` words in total."""
    stretch: list[Sentence] = []
    words = 0
    for sentence in sentences[start:]:
        words += len(sentence.words)
        if words > LONGEST:
            break
        stretch.append(sentence)
    return stretch


def repeated_names(sentences: Sequence[Sentence]) -> list[list[Name]]:
    """Return the mentions of each name that occurs at least twice, in order of the first mentions."""
    chains: list[list[Name]] = []
    for name in (name for number, sentence in enumerate(sentences) for name in names_of(sentence, number)):
        chain = next((chain for chain in chains if chain[0].is_same(name)), None)
        if chain:
            chain.append(name)
        else:
            chains.append([name])
    return [chain for chain in chains if len(chain) > 1]


def names_of(sentence: Sentence, number: int = 0) -> Iterator[Name]:
    """Yield the names of a sentence in order; ``number`` is the index of the sentence."""
    words = sentence.words
    for index, word in enumerate(words):
        if not _is_name(word) or _is_part_of_name(sentence, index):
            continue
        start = index
        while start and _is_part_of_name(sentence, start - 1) and words[start - 1].head <= index + 1:
            start -= 1
        is_whole = index + 1 == len(words) or words[index + 1].form.lower() != "of"
        if is_whole and index - start < _LONGEST_NAME:
            yield Name(number, start, index + 1, tuple(word.form for word in words[start : index + 1]))


def _is_name(word: Word) -> bool:
    return word.xpos in _NAMES and word.form[0].isupper() and word.form.lower() not in _DATES


def _is_part_of_name(sentence: Sentence, index: int) -> bool:
    """Return True if a word depends as ``nn`` on a later name."""
    word = sentence.words[index]
    return clark_name(word.relation) == "nn" and word.head > index and _is_name(sentence.words[word.head - 1])


def _masked(article: str, part: int, sentences: Sequence[Sentence], chains: Sequence[Sequence[Name]]) -> Document:
    """Return a part of an article, with all mentions but the first of each chain masked."""
    later = [mention for chain in chains for mention in chain[1:]]
    masked = [
        mask_names(sentence, [(mention.start, mention.end) for mention in later if mention.sentence == number])
        for number, sentence in enumerate(sentences)
    ]
    starts = [0]
    for sentence, _ in masked:
        starts.append(starts[-1] + len(sentence.words))
    mentions = []
    for number, chain in enumerate(chains, start=1):
        for mention in chain:
            indexes = masked[mention.sentence][1][mention.start : mention.end]
            words = tuple(sorted({starts[mention.sentence] + index for index in indexes}))
            mentions.append(Mention(f"name{number}", words, words[-1], "proper"))
    mentions.sort(key=lambda mention: (mention.words[0], mention.words[-1]))
    return Document(f"{article} {part:03d}", tuple(sentence for sentence, _ in masked), tuple(mentions), article)


def mask_names(sentence: Sentence, spans: Sequence[tuple[int, int]]) -> tuple[Sentence, list[int]]:
    """Replace each span of words by the word ``[MASK]``; the last word of a span is its head.

    Return the sentence without comments, and the new index of each old word. Dependents of a replaced word depend on
    ``[MASK]``.
    """
    hidden = {index: end - 1 for start, end in spans for index in range(start, end)}
    kept = [index for index in range(len(sentence.words)) if hidden.get(index, index) == index]
    new = {old: index for index, old in enumerate(kept)}
    indexes = [new[hidden.get(index, index)] for index in range(len(sentence.words))]
    words = []
    for index in kept:
        word = sentence.words[index]
        form = {"form": MASKED_WORD, "lemma": MASKED_WORD} if index in hidden else {}
        words.append(replace(word, head=indexes[word.head - 1] + 1 if word.head else 0, **form))
    return Sentence(tuple(words)), indexes
