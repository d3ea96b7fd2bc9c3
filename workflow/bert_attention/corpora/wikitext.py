"""Articles of WikiText (Merity et al. 2016): Wikipedia's good and featured articles, tokenized, one paragraph a line.

Headings are between equals signs, an article's title between a single pair. Hyphens, commas and points inside words and
numbers are between at signs. Rare words are ``<unk>`` in all but the raw variants.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

from nltk.tokenize.treebank import TreebankWordDetokenizer

from bert_attention.corpora.parquet_rows import TEXT, Limit, parquet_rows
from bert_attention.corpora.types import LONGEST_PARAGRAPH, UNKNOWN_WORD
from bert_attention.errors import InputError

_HEADING = re.compile(r"(?P<marks>=(?: =)*) (?P<title>[^=].*[^=]) (?P=marks)")
_TITLE_LINE = re.compile(r"^ ?= [^=\n]+ =\s*$", re.MULTILINE)
_INSIDE_WORD = re.compile(r" @([-,.])@ ")
_CLITIC = re.compile(r"(?<=\w) '(?=(?:t|s|d|m|re|ve|ll)\b)")
_RARE = "<unk>"
LARGEST_FILE = Limit(rows=100_000_000, size=20 * 10**9)  # the maximum size of an unpacked archive
_PARQUET_REMEDY = "get the file again, or give Parquet files with a column text of strings, as on the Hugging Face hub"
_SHORTEST_PARAGRAPH = 40  # characters


def wikitext_articles(lines: Iterable[str], left_out: Counter[str]) -> Iterator[tuple[str, list[str]]]:
    """Yield the title of each article, and its paragraphs turned back into running text.

    Parameters
    ----------
    left_out
        Counts of skipped lines and unknown words, by reason. Updated in place.
    """
    title: str = ""
    paragraphs: list[str] = []
    for line in map(str.strip, lines):
        heading = _HEADING.fullmatch(line)
        if heading and heading["marks"] == "=":
            if paragraphs:
                yield title, paragraphs
            title, paragraphs = _running_text(heading["title"]), []
        elif heading or len(line) < _SHORTEST_PARAGRAPH:
            left_out["headings and other short lines"] += bool(line)
        elif len(line) > LONGEST_PARAGRAPH:
            left_out[f"paragraphs of more than {LONGEST_PARAGRAPH} characters"] += 1
        else:
            left_out[f"words {_RARE}, kept as unknown"] += line.count(_RARE)
            paragraphs.append(_running_text(line))
    if paragraphs:
        yield title, paragraphs


def looks_like_wikitext(sample: str) -> bool:
    """Return True if the beginning of a text has an article's title in WikiText's form, with spaces around it."""
    return bool(_TITLE_LINE.search(sample))


def parquet_lines(files: Iterable[Path]) -> Iterator[str]:
    """Yield the lines in Parquet files with a column ``text``, as on the hub.

    Raises
    ------
    InputError
        If a file is not such a file or is larger than ``LARGEST_FILE``, or at the first row without text.
    """
    for file in files:
        for number, (row,) in enumerate(parquet_rows(file, {"text": TEXT}, LARGEST_FILE, _PARQUET_REMEDY), start=1):
            if row is None:
                raise InputError(f"{file}, row {number}", "has no text (null)", _PARQUET_REMEDY)
            yield row


def _running_text(line: str) -> str:
    """Turn a line of tokens into running text."""
    joined = _CLITIC.sub("'", _INSIDE_WORD.sub(r"\1", line.replace(_RARE, UNKNOWN_WORD)))
    return TreebankWordDetokenizer().detokenize(_directed_quotes(joined.split()))


def _directed_quotes(tokens: list[str]) -> list[str]:
    """Turn straight quotes into the treebank's directed quotes, so that each is attached to the correct word."""
    directed = []
    inside = False
    for token in tokens:
        directed.append(("''" if inside else "``") if token == '"' else token)
        inside ^= token == '"'
    return directed
