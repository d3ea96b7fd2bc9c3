"""Running text from Parquet files with a document in each row, such as the hub's Wikipedia and its reviews.

The column ``text`` holds the documents. The column ``title``, if there is one, holds their titles. Other columns are
not read. WikiText on the hub also has a column ``text``, but a line in each row: see
:mod:`bert_attention.corpora.wikitext`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

from bert_attention.corpora.parquet_rows import TEXT, Limit, parquet_rows
from bert_attention.corpora.plain_text import plain_paragraphs
from bert_attention.errors import InputError

LARGEST_FILE = Limit(rows=100_000_000, size=20 * 10**9)  # the maximum size of an unpacked archive

_REMEDY = "get the file again, or give Parquet files with a document in each row: a column text (and title) of strings"
_SAMPLE = 1 << 16  # characters
_LONGEST_WRAPPED_LINE = 100  # characters; a text with a longer line is not wrapped
_LINE_BREAKS = re.compile(r"(?:<br\s*/?>\s*)+", re.IGNORECASE)  # in film reviews that were taken from web pages

_Row = tuple[str, str]  # title, empty if there is none, and text


def read_rows(files: Iterable[Path]) -> Iterator[_Row]:
    """Yield the title and the text of each row of Parquet files; the title may be empty.

    Raise InputError if a file is not such a file or is larger than ``LARGEST_FILE``, or at the first row without text.
    """
    for file in files:
        rows = parquet_rows(file, {"text": TEXT}, LARGEST_FILE, _REMEDY, {"title": TEXT})
        for number, (text, title) in enumerate(rows, start=1):
            if text is None:
                raise InputError(f"{file}, row {number}", "has no text (null)", _REMEDY)
            yield title or "", text


def first_texts(files: Iterable[Path]) -> list[str]:
    """Return the texts of the first rows, about 65,000 characters, which show what the files hold."""
    texts: list[str] = []
    size = 0
    for _, text in read_rows(files):
        texts.append(text[:_SAMPLE])
        size += len(texts[-1]) + 1  # an empty row counts, too
        if size > _SAMPLE:
            break
    return texts


def document_articles(files: Iterable[Path], name: str, left_out: Counter[str]) -> Iterator[tuple[str, list[str]]]:
    """Yield the title and the paragraphs of each document.

    Each line of a document is a paragraph. If the first documents have only short lines, blank lines separate
    paragraphs, and wrapped lines are joined. Documents without a title are named by ``name`` and the number of their
    row. The counts ``left_out`` of skipped items, by reason, are updated in place.
    """
    files = list(files)
    lines = (line for text in first_texts(files) for line in _lines(text))
    on_each_line = any(len(line) > _LONGEST_WRAPPED_LINE for line in lines)
    for number, (title, text) in enumerate(read_rows(files), start=1):
        paragraphs = list(plain_paragraphs(_lines(text), on_each_line, left_out))
        if not paragraphs:
            left_out["documents without running text"] += 1
            continue
        yield title.strip() or f"{name} {number}", paragraphs


def _lines(text: str) -> list[str]:
    return (_LINE_BREAKS.sub("\n", text) if "<" in text else text).split("\n")
