"""Recognize text files that do not hold running text, such as tables, markup, subtitles and trees.

A file is recognized by the beginning of its text, or by the share of lines or words that have the form of its format.
So prose that holds a comma, a backslash, a bracket or an arrow is still prose.
"""

from __future__ import annotations

import csv
import io
import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise

_COLUMNS = "give only the texts, or Parquet files with a column text (and title), for example: python -c"
_PARQUET = "'import pandas; pandas.{}.to_parquet(\"FILE.parquet\")'"
_TO_PARQUET = f"{_COLUMNS} {_PARQUET}"
_IN_TABLE = 0.8  # the smallest share of lines with the form of a table's rows
_IN_HEADED_TABLE = 0.5  # the smallest share if the first line has the form of a header
_THOUSANDS = re.compile(r"\d{3}(?!\d)")
_COLUMN_NAME = re.compile(r"[A-Za-z_][\w-]*")
_JSON_TEXT = r"\"(?:[^\"\\]|\\.)*\""
# Lines of SRT and WebVTT, MicroDVD, LRC and SubStation Alpha.
_TIMES_OF_SUBTITLES = (
    r"\d:\d\d[.,]\d+\s*-->\s*[\d:]*\d:\d\d|^\{\d+\}\{\d+\}|^\[\d+:\d\d(?:[.:]\d+)?\]|^Dialog[a-z]+:\s*\d"
)
_IN_MARKUP = 0.3  # the smallest share of lines with commands or tags; the other lines of markup are text


@dataclass(frozen=True)
class OtherFormat:
    """A format that is not running text: its name, a test of a text's beginning, and the way to running text."""

    name: str
    matches: Callable[[str], bool]
    remedy: str


def find_other_format(sample: str) -> OtherFormat | None:
    """Return the format in which the beginning of a text is, or None if it may be running text."""
    return next((form for form in _FORMATS if form.matches(sample)), None)


def _begins_with(pattern: str) -> Callable[[str], bool]:
    compiled = re.compile(rf"\s*+(?:{pattern})")
    return lambda sample: bool(compiled.match(sample))


def _in_lines(pattern: str, share: float) -> Callable[[str], bool]:
    """Return a test of whether at least a share of the lines that are not blank, without indentation, has a pattern."""
    compiled = re.compile(pattern)

    def matches(sample: str) -> bool:
        lines = [line.strip(" \t\r") for line in sample.split("\n")]
        lines = [line for line in lines if line]
        return sum(bool(compiled.search(line)) for line in lines) >= max(1, share * len(lines))

    return matches


def _in_words(pattern: str, share: float) -> Callable[[str], bool]:
    """Return a test of whether matches of a pattern make at least a share of the words."""
    compiled = re.compile(pattern)

    def matches(sample: str) -> bool:
        covered = sum(len(match[0].split()) for match in compiled.finditer(sample))
        return covered >= max(1, share * len(sample.split()))

    return matches


def _any(*tests: Callable[[str], bool]) -> Callable[[str], bool]:
    return lambda sample: any(test(sample) for test in tests)


def _is_table(delimiters: str, quoting: int) -> Callable[[str], bool]:
    """Return a test of whether a text is a table whose columns one of the delimiters separates."""
    return lambda sample: any(_has_columns(sample, delimiter, quoting) for delimiter in delimiters)


def _has_columns(sample: str, delimiter: str, quoting: int) -> bool:
    rows = _rows(sample, delimiter, quoting, skipinitialspace=False)
    if len(rows) < 2:
        return False
    is_headed = len(rows[0]) > 1 and all(_COLUMN_NAME.fullmatch(cell.strip()) for cell in rows[0])
    columns, _ = Counter(map(len, rows)).most_common(1)[0]
    complete = sum(len(row) == columns and _is_row(row) for row in rows)
    if columns > 1 and complete >= (_IN_HEADED_TABLE if is_headed else _IN_TABLE) * len(rows):
        return True
    spaced = _rows(sample, delimiter, quoting, skipinitialspace=True)
    return is_headed and len(rows[0]) > 2 and sum(len(row) == len(rows[0]) for row in spaced) >= _IN_TABLE * len(spaced)


def _rows(sample: str, delimiter: str, quoting: int, *, skipinitialspace: bool) -> list[list[str]]:
    """Return the rows that are not blank, without the last of several rows, within which the sample may end."""
    lines = io.StringIO(sample, newline="")
    try:
        reader = csv.reader(lines, delimiter=delimiter, quoting=quoting, skipinitialspace=skipinitialspace)
        rows = [row for row in reader if row]
    except csv.Error:
        return []
    return rows[:-1] if len(rows) > 2 else rows


def _is_row(cells: Sequence[str]) -> bool:
    """Return True unless the delimiters may be those of prose.

    In prose, delimiters are before a space, at the end of a line, between ideographs, or within a large number.
    """
    later = [(before, cell) for before, cell in pairwise(cells) if cell]
    may_be_prose = [
        unicodedata.east_asian_width(cell[0]) in "WF" or (before[-1:].isdigit() and _THOUSANDS.match(cell))
        for before, cell in later
    ]
    return not all(may_be_prose) and not any(cell[0].isspace() for _, cell in later)


# The error names the first format that matches, so the special cases of tables come before tables.
_FORMATS = (
    OtherFormat("RTF", _begins_with(r"\{\\rtf"), "save it as plain text in UTF-8"),
    OtherFormat(
        "JSON lines",
        _begins_with(rf"\{{\s*{_JSON_TEXT}\s*:.*\}}\s*(?:\{{|$)"),
        _TO_PARQUET.format('read_json("FILE", lines=True)'),
    ),
    OtherFormat(
        "JSON",
        _begins_with(rf"\{{\s*{_JSON_TEXT}\s*:|\[\s*(?:\{{\s*\"|{_JSON_TEXT}\s*[,\]]|\[\s*(?:\"|-?[\d.]+\s*[,\]]))"),
        _TO_PARQUET.format('read_json("FILE")'),
    ),
    OtherFormat(
        "XML or HTML, but not a MediaWiki dump",
        _any(
            _begins_with(r"<[!?]|<\w[\w:.-]*\s[^<>]*=|<(\w[\w:.-]*)\s*>(?s:.*)</\1\s*>"),
            _in_lines(r"</?(?:p|div|span|a|li|ul|ol|td|tr|b|i|em|strong|h[1-6])\b[^<>]*>", _IN_MARKUP),
        ),
        "give the text without tags; of HTML, for example: pandoc -f html -t plain --wrap=none FILE -o FILE.txt",
    ),
    OtherFormat(
        "wiki markup, but not a MediaWiki dump",
        _in_lines(r"\[\[[^\[\]]+\]\]|^\{\{|^==+[^=]+==+$", _IN_MARKUP),
        "give an XML dump of the pages (Special:Export)",
    ),
    OtherFormat(
        "LaTeX",
        _any(
            _begins_with(r"(?:%.*\n\s*)*\\[A-Za-z@]+\*?\s*[\[{]"),
            _in_lines(r"^\\[A-Za-z@]+\*?\s*(?:[\[{]|$)|\\(?:cite|ref|emph|text|foot)\w*\s*[\[{]", _IN_MARKUP),
        ),
        "convert it, for example: pandoc -f latex -t plain --wrap=none FILE -o FILE.txt",
    ),
    OtherFormat(
        "subtitles",
        _any(
            _begins_with(r"WEBVTT\b|\[Script Info\]"),
            _in_lines(_TIMES_OF_SUBTITLES, 0.15),
        ),
        "give the text without numbers and times; of SRT and WebVTT, for example: "
        r"grep -vE -e '-->' -e '^[0-9]*\s*$' -e '^WEBVTT' FILE > FILE.txt",
    ),
    OtherFormat(
        "bracketed trees",
        _in_words(r"\([^\s()]+ [^\s()]+\)", _IN_MARKUP),
        "give the sentences as text; trees belong to corpora.treebank, as CoNLL-U or CoNLL-X",
    ),
    OtherFormat(
        "CoNLL-U",
        _begins_with(r"(?:#.*\n\s*)*1(?:-\d+)?\t(?=[^\t\n]*[^\d\t\n.])[^\t\n]*+\t(?:[^\t\n]*+\t){5}"),
        "give the sentences as text; trees belong to corpora.treebank",
    ),
    OtherFormat(
        "CoNLL-2012",
        _begins_with(r"#begin document"),
        "give the sentences as text; coreference belongs to corpora.coreference",
    ),
    OtherFormat(
        "a word with its tags on each line",
        _any(_begins_with(r"-DOCSTART-"), _in_lines(r"^\S+(?:[ \t]\S+){0,5}[ \t](?:O|[BIES]-\S+)$", _IN_TABLE)),
        "give the sentences as text",
    ),
    OtherFormat(
        "words with tags",
        _in_words(r"(?<!\S)\S*[^\s/_][/_][A-Za-z$.,:;'`()*+-]{1,12}(?!\S)", _IN_TABLE),
        "give the words without tags",
    ),
    OtherFormat(
        "sentences with labels",
        _in_lines(r"^__label__\S+\s", 0.5),
        "remove the labels: sed 's/^__label__[^ ]* //' FILE > FILE.txt",
    ),
    OtherFormat(
        "numbered sentences (as of the Leipzig Corpora Collection, in random order)",
        _in_lines(r"^\d+\t\S+ [^\t]+$", _IN_TABLE),
        "give text whose sentences follow one another; if these do, remove the numbers: cut -f 2 FILE > FILE.txt",
    ),
    OtherFormat(
        "a table with tabs between its columns (TSV)",
        _is_table("\t", csv.QUOTE_NONE),
        "give only the texts, for example of the third column: cut -f 3 FILE > FILE.txt",
    ),
    OtherFormat("a table (CSV)", _is_table(",;|", csv.QUOTE_MINIMAL), _TO_PARQUET.format('read_csv("FILE")')),
    OtherFormat(
        "numbers (such as word vectors or word alignments)",
        _in_words(r"(?<!\S)[+-]?\d+(?:[.,:/p-]\d+)*(?:e[+-]?\d+)?(?!\S)", 0.6),
        "give running text",
    ),
)
