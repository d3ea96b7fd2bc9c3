"""The part of a corpus that fits into a model: sentences that are short enough, beginnings of documents."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from bert_attention.corpora.conllu import Sentence, read_conllu
from bert_attention.corpora.corefud import read_corefud
from bert_attention.corpora.types import Document, Wordpieces
from bert_attention.corpora.windows import cut_to_window
from bert_attention.errors import InputError


def sentences_within(
    sentences: Sequence[Sentence], wordpieces: Sequence[Sequence[Wordpieces]], room: int, on_bad_input: str, where: Path
) -> tuple[list[Sentence], Counter[str]]:
    """The sentences that have at most ``room`` wordpieces, and counts of those left out, by reason.

    The released ``extract_attention.py`` of Clark et al. 2019 leaves out longer sentences, too.

    Parameters
    ----------
    wordpieces
        The wordpieces of each word of each sentence.
    on_bad_input
        What to do if a word of a sentence has no wordpiece: ``error``, or ``skip`` the sentence.
    where
        The corpus, for messages.

    Raises
    ------
    InputError
        At a word without a wordpiece, or if no sentence is left.
    """
    kept: list[Sentence] = []
    left_out: Counter[str] = Counter()
    for place, (sentence, words) in enumerate(zip(sentences, wordpieces, strict=True), start=1):
        if _is_bad(words, f"{where}, sentence {place} {sentence.id}".rstrip(), sentence.forms, on_bad_input):
            left_out["sentences with a word without wordpieces"] += 1
        elif sum(map(len, words)) > room:
            left_out[f"sentences of more than {room} wordpieces"] += 1
        else:
            kept.append(sentence)
    if not kept:
        raise InputError(
            where, f"no sentence has at most {room} wordpieces", "raise max_wordpieces, or give shorter sentences"
        )
    return kept, left_out


def documents_within(
    documents: Sequence[Document], wordpieces: Sequence[Sequence[Wordpieces]], room: int, on_bad_input: str, where: Path
) -> tuple[list[Document], Counter[str]]:
    """The beginning of each document, of at most ``room`` wordpieces, and counts of documents left out, by reason.

    Documents without coreference in their beginning are left out. Parameters and errors are as in
    :func:`sentences_within`.
    """
    kept: list[Document] = []
    left_out: Counter[str] = Counter()
    for document, words in zip(documents, wordpieces, strict=True):
        forms = [form for sentence in document.sentences for form in sentence.forms]
        if _is_bad(words, f"{where}, document {document.id}", forms, on_bad_input):
            left_out["documents with a word without wordpieces"] += 1
            continue
        window = cut_to_window(document, [len(word) for word in words], room)
        if window is None:
            left_out[f"documents without coreference in their first {room} wordpieces"] += 1
        else:
            kept.append(window)
    if not kept:
        problem = f"no document has coreference in its first {room} wordpieces"
        raise InputError(where, problem, "raise max_wordpieces, or give other documents")
    return kept, left_out


def words_of_corpus(path: Path | str) -> list[tuple[str, ...]]:
    """The words of each document of a corpus cut for a model (``coreference.conllu``), else of each sentence."""
    if Path(path).stem != "coreference":
        return [sentence.forms for sentence in read_conllu(path)[0]]
    documents, _ = read_corefud(path)
    return [tuple(form for sentence in document.sentences for form in sentence.forms) for document in documents]


def _is_bad(words: Sequence[Wordpieces], where: str, forms: Sequence[str], on_bad_input: str) -> bool:
    if () not in words:
        return False
    if on_bad_input == "error":
        number = list(words).index(()) + 1
        problem = f"word {number}, {forms[number - 1]!r}, has no wordpiece in the model's vocabulary"
        raise InputError(where, problem, "correct the corpus, or set on_bad_input: skip to leave such cases out")
    return True
