"""Running text from plain text files: blank lines separate paragraphs, and wrapped lines are joined."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import count, islice

from bert_attention.corpora.types import LONGEST_PARAGRAPH
from bert_attention.corpora.writing_systems import ends_as_sentence, join_lines

# A text has no articles, so it is cut into pieces of about an article's length. Only one piece is in memory at a time.
_PARAGRAPHS_OF_ARTICLE = 40

_SHORTEST_PARAGRAPH = 40  # characters; a shorter paragraph without the end of a sentence is a heading
_SOFT_HYPHEN = "\u00ad"
_BROKEN_WORD = re.compile(rf"\w[-{_SOFT_HYPHEN}]")  # at the end of a line


def plain_articles(lines: Iterable[str], name: str, sample: str, left_out: Counter[str]) -> Iterator[tuple[str, list]]:
    """Yield the paragraphs of a text, forty at a time, with a title: the text's name and a number from 1.

    Blank lines separate paragraphs. In a text without blank lines, each line is a paragraph if most lines end as
    sentences do. ``sample`` is the beginning of the text, which shows its layout. Skipped headings, other short lines
    and paragraphs that are too long are counted in ``left_out``, by reason.
    """
    paragraphs = plain_paragraphs(lines, has_paragraph_on_each_line(sample), left_out)
    for number in count(1):
        article = list(islice(paragraphs, _PARAGRAPHS_OF_ARTICLE))
        if not article:
            return
        yield f"{name} {number}", article


def has_paragraph_on_each_line(sample: str) -> bool:
    """Return True if a text has a paragraph on each line: no line of ``sample`` is blank, and most end as sentences."""
    lines = sample.strip().splitlines()
    if not all(line.strip() for line in lines):
        return False
    return 2 * sum(ends_as_sentence(line.rstrip()) for line in lines) > len(lines)


def plain_paragraphs(lines: Iterable[str], on_each_line: bool, left_out: Counter[str]) -> Iterator[str]:
    """Yield the paragraphs of a text: its lines if ``on_each_line``, else the joined lines between blank lines.

    Skipped text is counted in ``left_out`` as in :func:`plain_articles`.
    """
    for paragraph in _paragraphs(lines, on_each_line):
        if len(paragraph) < _SHORTEST_PARAGRAPH and not ends_as_sentence(paragraph):
            left_out["headings and other short lines"] += 1
        elif len(paragraph) > LONGEST_PARAGRAPH:
            left_out[f"paragraphs of more than {LONGEST_PARAGRAPH} characters"] += 1
        else:
            yield paragraph


def _paragraphs(lines: Iterable[str], on_each_line: bool) -> Iterator[str]:
    paragraph = ""
    for line in lines:
        words = line if len(line) > LONGEST_PARAGRAPH else " ".join(line.split())
        if paragraph and (on_each_line or not words):
            yield _joined(paragraph)
            paragraph = ""
        if len(paragraph) > LONGEST_PARAGRAPH:  # the paragraph will be skipped, so drop the rest
            continue
        is_one_word = not paragraph or _BROKEN_WORD.fullmatch(paragraph[-2:])
        paragraph += words if is_one_word else f" {words}"
    if paragraph:
        yield _joined(paragraph)


def _joined(paragraph: str) -> str:
    if len(paragraph) > LONGEST_PARAGRAPH:  # the paragraph will be skipped
        return paragraph
    return join_lines(paragraph.replace(_SOFT_HYPHEN, ""))
