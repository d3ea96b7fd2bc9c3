"""Cutting documents to the length of a model's input (Clark et al. 2019, section 4.3: 128 wordpieces)."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from bert_attention.corpora.conllu import Sentence
from bert_attention.corpora.types import Document

_MULTIWORD_ID = re.compile(r"(\d+)-(\d+)\t")


def cut_to_window(document: Document, wordpieces: Sequence[int], room: int) -> Document | None:
    """The longest beginning of a document, in whole words, that has at most ``room`` wordpieces.

    Mentions wholly inside are kept if their chain has at least two of them there. A sentence that is cut still has a
    tree: a word whose head is cut off depends on its nearest remaining ancestor (relation ``dep``). If no ancestor
    remains, it becomes the root or depends on the root. Heads and types of mentions stay those of the whole tree.

    Parameters
    ----------
    wordpieces
        The number of wordpieces of each word of the document.
    room
        Wordpieces that fit, without special tokens.

    Returns
    -------
    Document or None
        None if no mention is left.
    """
    _check_lengths(document, wordpieces)
    stop = int(np.searchsorted(np.cumsum(wordpieces), room, side="right"))
    window = _beginning(document, stop)
    return window if window.mentions else None


def _check_lengths(document: Document, wordpieces: Sequence[int]) -> None:
    words = sum(len(sentence.words) for sentence in document.sentences)
    if len(wordpieces) != words:
        raise ValueError(
            f"the document {document.id} has {words} words, but there are wordpieces for {len(wordpieces)}"
        )


def _beginning(document: Document, stop: int) -> Document:
    """The words of a document before ``stop``."""
    sentences = []
    place = 0
    for sentence in document.sentences:
        last = min(stop - place, len(sentence.words))
        if last > 0:
            sentences.append(cut_sentence(sentence, 0, last))
        place += len(sentence.words)
    inside = [mention for mention in document.mentions if mention.words[-1] < stop]
    sizes = Counter(mention.chain for mention in inside)
    return Document(document.id, tuple(sentences), tuple(item for item in inside if sizes[item.chain] > 1))


def cut_sentence(sentence: Sentence, start: int, stop: int) -> Sentence:
    """The words of a sentence from ``start`` up to, not including, ``stop``, as a tree (see :func:`cut_to_window`).

    A sentence that is cut loses what describes the whole: its text, enhanced dependencies, empty nodes, and multiword
    tokens that are cut.
    """
    if start == 0 and stop == len(sentence.words):
        return sentence
    kept = range(start, stop)
    ancestors = [_nearest_ancestor(sentence, place, kept) for place in kept]
    root = ancestors.index(None) + start
    words = []
    for place, ancestor in zip(kept, ancestors, strict=True):
        word = sentence.words[place]
        above = root if ancestor is None else ancestor
        if place == root:
            head, relation = 0, "root" if word.head else word.relation
        else:
            head, relation = above - start + 1, word.relation if above == word.head - 1 else "dep"
        words.append(replace(word, head=head, relation=relation, deps="_"))
    comments = tuple(line for line in sentence.comments if line[1:].partition("=")[0].strip() != "text")
    return Sentence(tuple(words), comments, tuple(_multiword_tokens(sentence, start, stop)))


def _nearest_ancestor(sentence: Sentence, place: int, kept: range) -> int | None:
    """The place of a word's nearest ancestor that is kept; None if there is none."""
    head = sentence.words[place].head
    while head and head - 1 not in kept:
        head = sentence.words[head - 1].head
    return head - 1 if head else None


def _multiword_tokens(sentence: Sentence, start: int, stop: int) -> Iterator[tuple[int, str]]:
    for place, line in sentence.other_lines:
        match = _MULTIWORD_ID.match(line)
        if match and start < int(match[1]) and int(match[2]) <= stop:
            span = f"{int(match[1]) - start}-{int(match[2]) - start}"
            yield place - start, f"{span}\t{line[match.end() :]}"
