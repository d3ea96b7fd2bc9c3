"""The corpora that a user gives to a study: files, or texts, sentences and documents in memory."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from textwrap import shorten
from typing import TypeGuard

import pandas as pd

from bert_attention.corpora.bad_lines import BadLineError
from bert_attention.corpora.conllu import check_tree
from bert_attention.corpora.types import Document, Sentence
from bert_attention.downloads.sources import obtain, parse_source, without_digests
from bert_attention.errors import InputError

_LONGEST_PATH, _MOST_WORDS_OF_PATH = 1000, 20  # a longer string is a text
_SCHEME = re.compile(r"[a-z]+:\S")
# A text without spaces that looks like the path of a file, such as `my/text` or `text.txt`, or like a source.
LOOKS_LIKE_FILE = re.compile(r"\S*[/\\]\S*|\S+\.[A-Za-z0-9]{1,8}|[a-z]+:\S+")


def file_of(source: Path | str, argument: str) -> Path:
    """Return a file or folder, given by its path or by its source as in an edition.

    Raise InputError if there is no such file. The message names the argument of a study.
    """
    name = str(source)
    where = f"{argument}={shorten(ascii(name), 60)}"
    if not name or len(name) > _LONGEST_PATH or len(name.split()) > _MOST_WORDS_OF_PATH or "\n" in name:
        raise InputError(where, "is a text, not the path of a file", f"give a list: {argument}=[...]")
    if Path(source).exists():
        return Path(source)
    if _SCHEME.match(name):
        return obtain(without_digests(name), parse_source(name).sha256)
    raise InputError(where, "there is no such file", "correct the path, or give a list")


def listed(given: object, argument: str, what: str) -> list:
    """Return the items of a list or another iterable. Raise InputError if an argument of a study is something else."""
    if not is_iterable_of_units(given):
        problem = f"is a {type(given).__name__}, not a list of {what}"
        raise InputError(argument, problem, f"give a list of {what}, or the path of a file")
    return list(given)


def is_iterable_of_units(given: object) -> TypeGuard[Iterable]:
    """Return True for a list, a column of a table and other iterables, but not for a table, a mapping or bytes."""
    return isinstance(given, Iterable) and not isinstance(given, Mapping | bytes | pd.DataFrame)


def check_no_files(texts: Sequence[object]) -> None:
    """Raise InputError if all texts of a list look like the paths of files, which would be analyzed as texts."""
    paths = [text for text in texts if isinstance(text, str) and LOOKS_LIKE_FILE.fullmatch(text)]
    if paths and len(paths) == len(texts):
        first = shorten(ascii(paths[0]), 60)
        problem = f"looks like the path of a file, but each item of a list is a text: {first}"
        remedy = f'give one file or folder, texts={first}; to analyze the words themselves, give tuples: ({first}, "")'
        raise InputError("texts", problem, remedy)


def check_units(units: Sequence, kind: type, argument: str) -> None:
    """Raise InputError unless units are sentences or documents with valid trees and mentions, and there are some."""
    if not units:
        raise InputError(argument, "is empty", _remedy(kind))
    for number, unit in enumerate(units, start=1):
        if not isinstance(unit, kind):
            raise InputError(argument, f"has a {type(unit).__name__}, not a {kind.__name__}", _remedy(kind))
        where = f"{argument}, {kind.__name__.lower()} {number}"
        if isinstance(unit, Document):
            for sentence in unit.sentences:
                _check_sentence(sentence, where)
            _check_mentions(unit, where)
        if isinstance(unit, Sentence):
            _check_sentence(unit, where)
    if kind is Sentence:
        _check_documents([sentence.document for sentence in units], argument)


def _remedy(kind: type) -> str:
    return f"give a list of {kind.__name__}, or the path of a file"


def _check_sentence(sentence: Sentence, where: str) -> None:
    if not sentence.words:
        raise InputError(where, "has no words", "leave the sentence out")
    try:
        check_tree(list(sentence.words), list(range(1, len(sentence.words) + 1)))
    except BadLineError as error:
        raise InputError(f"{where}, word {error.line}", error.problem, error.remedy) from None


def _check_mentions(document: Document, where: str) -> None:
    size = len(document.forms)
    for mention in document.mentions:
        words = list(mention.words)
        if not words or words != sorted({*words}) or not 0 <= words[0] <= words[-1] < size or mention.head not in words:
            problem = f"has a mention of {mention.chain!r} with the words {words} and the head {mention.head}"
            remedy = f"count words from 0 to {size - 1}, each once and in order; the head is one of them"
            raise InputError(where, problem, remedy)


def _check_documents(documents: Sequence[int], argument: str) -> None:
    """Raise InputError if the sentences of a document are not adjacent."""
    runs = Counter(document for document, _ in groupby(documents) if document)
    document, count = max(runs.items(), key=itemgetter(1), default=(0, 0))
    if count > 1:
        problem = f"the sentences of document {document} do not follow each other"
        raise InputError(argument, problem, "sort the sentences by document, or number the documents apart")
