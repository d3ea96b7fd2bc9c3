"""Articles of WikiText (Merity et al. 2016): Wikipedia's good and featured articles, tokenized, one paragraph a line.

Headings are between equals signs, an article's title between a single pair. Hyphens, commas and points inside words and
numbers are between at signs. Rare words are ``<unk>`` in all but the raw variants.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator

from nltk.tokenize.treebank import TreebankWordDetokenizer

from bert_attention.corpora.types import LONGEST_PARAGRAPH, UNKNOWN_WORD

_HEADING = re.compile(r"(?P<marks>=(?: =)*) (?P<title>[^=](?:.*[^=])?) (?P=marks)")
_TITLE_LINE = re.compile(r"^ ?= [^=\n]+ =\s*$", re.MULTILINE)
_INSIDE_WORD = re.compile(r" @([-,.])@ ")
_CLITIC = re.compile(r"(?<=\w) '(?=(?:t|s|d|m|re|ve|ll)\b)")
_RARE = "<unk>"
_SHORTEST_PARAGRAPH = 40  # characters


def wikitext_articles(lines: Iterable[str], left_out: Counter[str]) -> Iterator[tuple[str, list[str]]]:
    """Yield the title of each article, and its paragraphs turned back into running text.

    The counts ``left_out`` of skipped lines and unknown words, by reason, are updated in place.
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


def are_wikitext_lines(rows: Iterable[str]) -> bool:
    """Return True if each of some rows of a Parquet file is one line of WikiText, and at least one is a heading."""
    lines = [row.strip() for row in rows]
    return not any("\n" in line for line in lines) and any(map(_HEADING.fullmatch, lines))


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
