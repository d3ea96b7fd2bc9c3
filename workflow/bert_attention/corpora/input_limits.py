"""Cut a corpus to a model's maximum length: keep sentences that are short enough, and beginnings of documents.

Clark et al. 2019 (section 4.3) process documents with coreference in pieces of 128 wordpieces.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from bert_attention.corpora.bad_lines import format_left_out
from bert_attention.corpora.types import Document, Sentence, Wordpieces
from bert_attention.errors import InputError

_MULTIWORD_ID = re.compile(r"\d+-(\d+)\t")


def sentences_within(
    sentences: Sequence[Sentence],
    wordpieces: Sequence[Sequence[Wordpieces]],
    budget: int,
    on_bad_input: str,
    where: Path,
) -> tuple[list[Sentence], Counter[str]]:
    """Return the sentences that have at most ``budget`` wordpieces, and counts of the skipped sentences, by reason.

    The released ``extract_attention.py`` of Clark et al. 2019 also skips longer sentences. ``wordpieces`` has the
    wordpieces of each word of each sentence. With ``on_bad_input="error"``, raise InputError at a word without a
    wordpiece. With ``skip``, the word's sentence is skipped and counted. Raise InputError as well if no sentence is
    left. ``where`` names the corpus in messages.
    """
    kept: list[Sentence] = []
    left_out: Counter[str] = Counter()
    for number, (sentence, words) in enumerate(zip(sentences, wordpieces, strict=True), start=1):
        if _lacks_wordpiece(words, f"{where}, sentence {number} {sentence.id}".rstrip(), sentence.forms, on_bad_input):
            left_out["sentences with a word without wordpieces"] += 1
        elif sum(map(len, words)) > budget:
            left_out[f"sentences of more than {budget} wordpieces"] += 1
        else:
            kept.append(sentence)
    if not kept:
        longer = any("more than" in reason for reason in left_out)
        remedy = (
            "raise max_wordpieces, or give shorter sentences" if longer else "give sentences in the model's language"
        )
        raise InputError(where, f"no sentence is left{format_left_out(left_out)}", remedy)
    return kept, left_out


def documents_within(
    documents: Sequence[Document],
    wordpieces: Sequence[Sequence[Wordpieces]],
    budget: int,
    on_bad_input: str,
    where: Path,
) -> tuple[list[Document], Counter[str]]:
    """Return the beginning of each document, at most ``budget`` wordpieces, and counts of skipped documents, by reason.

    Documents without coreference in their beginning are skipped. Parameters and errors are as in
    :func:`sentences_within`.
    """
    kept: list[Document] = []
    left_out: Counter[str] = Counter()
    for document, words in zip(documents, wordpieces, strict=True):
        if _lacks_wordpiece(words, f"{where}, document {document.id}", document.forms, on_bad_input):
            left_out["documents with a word without wordpieces"] += 1
            continue
        window = cut_to_window(document, [len(word) for word in words], budget)
        if window is None:
            left_out[f"documents without coreference in their first {budget} wordpieces"] += 1
        else:
            kept.append(window)
    if not kept:
        if not any(document.mentions for document in documents):
            problem = "no document has mentions that corefer"
            remedy = "give CorefUD 1.0 or later, with Entity= in MISC; the ClusterId= of older files is not supported"
            raise InputError(where, problem, remedy)
        longer = any("in their first" in reason for reason in left_out)
        remedy = "raise max_wordpieces, or give other documents" if longer else "give documents in the model's language"
        raise InputError(where, f"no document is left{format_left_out(left_out)}", remedy)
    return kept, left_out


def _lacks_wordpiece(words: Sequence[Wordpieces], where: str, forms: Sequence[str], on_bad_input: str) -> bool:
    """Return True if a word has no wordpiece, or raise InputError if ``on_bad_input`` is ``error``."""
    if () not in words:
        return False
    if on_bad_input == "error":
        number = list(words).index(()) + 1
        problem = f"word {number}, {forms[number - 1]!r}, has no wordpiece in the model's vocabulary"
        remedy = "correct the corpus, or remove the word"
        raise InputError(where, problem, remedy, "set on_bad_input: skip to leave such texts out")
    return True


def cut_to_window(document: Document, wordpieces: Sequence[int], budget: int) -> Document | None:
    """Return the longest beginning of a document that has at most ``budget`` wordpieces, or None if no mention is left.

    The document is cut between words. ``wordpieces`` has the number of wordpieces of each word. The budget does not
    include special tokens. Mentions wholly inside are kept if their chain has at least two such mentions. A cut
    sentence still has a tree: a word whose head is cut off depends on its nearest remaining ancestor (relation
    ``dep``). If no ancestor remains, the word becomes the root or depends on the root. Heads and types of mentions stay
    as in the whole tree.
    """
    stop = int(np.searchsorted(np.cumsum(wordpieces), budget, side="right"))
    window = _beginning(document, stop)
    return window if window.mentions else None


def _beginning(document: Document, stop: int) -> Document:
    """Return the part of a document before the word ``stop``."""
    sentences = []
    start = 0
    for sentence in document.sentences:
        last = min(stop - start, len(sentence.words))
        if last > 0:
            sentences.append(cut_sentence(sentence, last))
        start += len(sentence.words)
    inside = [mention for mention in document.mentions if mention.words[-1] < stop]
    sizes = Counter(mention.chain for mention in inside)
    return Document(
        document.id, tuple(sentences), tuple(item for item in inside if sizes[item.chain] > 1), document.text
    )


def cut_sentence(sentence: Sentence, stop: int) -> Sentence:
    """Return the first ``stop`` words of a sentence as a tree (see :func:`cut_to_window`).

    A cut sentence loses the parts that describe the whole sentence: its text, enhanced dependencies, empty nodes, and
    multiword tokens that are cut.
    """
    if stop == len(sentence.words):
        return sentence
    ancestors = [_nearest_ancestor(sentence, index, stop) for index in range(stop)]
    root = ancestors.index(None)
    words = []
    for index, ancestor in enumerate(ancestors):
        word = sentence.words[index]
        above = root if ancestor is None else ancestor
        if index == root:
            head, relation = 0, "root" if word.head else word.relation
        else:
            head, relation = above + 1, word.relation if above == word.head - 1 else "dep"
        words.append(replace(word, head=head, relation=relation, deps="_"))
    comments = tuple(line for line in sentence.comments if line[1:].partition("=")[0].strip() != "text")
    tokens = ((index, line, _MULTIWORD_ID.match(line)) for index, line in sentence.other_lines)
    kept = tuple((index, line) for index, line, match in tokens if match and int(match[1]) <= stop)
    return Sentence(tuple(words), comments, kept)


def _nearest_ancestor(sentence: Sentence, index: int, stop: int) -> int | None:
    """Return the index of a word's nearest ancestor before ``stop``; None if there is none."""
    head = sentence.words[index].head
    while head > stop:
        head = sentence.words[head - 1].head
    return head - 1 if head else None
