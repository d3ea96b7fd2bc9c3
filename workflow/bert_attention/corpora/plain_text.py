"""Running text from plain text files: blank lines part paragraphs, and lines that an editor wrapped are joined."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator

from bert_attention.corpora.types import LONGEST_PARAGRAPH
from bert_attention.corpora.writing_systems import ends_as_sentence, join_lines

# A text has no articles of its own. It is cut into pieces of about an article's length, so that no more of it than that
# is held at a time.
_PARAGRAPHS_OF_ARTICLE = 40

_SHORTEST_PARAGRAPH = 40  # characters; a shorter one that does not end as a sentence does is a heading
_SOFT_HYPHEN = "\u00ad"
_BROKEN_WORD = re.compile(rf"\w[-{_SOFT_HYPHEN}]")  # at the end of a line


def plain_articles(lines: Iterable[str], name: str, sample: str, left_out: Counter[str]) -> Iterator[tuple[str, list]]:
    """The paragraphs of a text, forty at a time, each time with a title: the text's name and a number from 1.

    Blank lines part paragraphs. A text without blank lines has a paragraph on each line if most of its lines end as
    sentences do.

    Parameters
    ----------
    sample
        The beginning of the text, by which its layout is told.
    left_out
        Counts, by reason, to which is added what is left out: headings and other short lines.
    """
    paragraphs: list[str] = []
    number = 1
    for paragraph in _paragraphs(lines, has_paragraph_on_each_line(sample)):
        if len(paragraph) < _SHORTEST_PARAGRAPH and not ends_as_sentence(paragraph):
            left_out["headings and other short lines"] += 1
            continue
        if len(paragraph) > LONGEST_PARAGRAPH:
            left_out[f"paragraphs of more than {LONGEST_PARAGRAPH} characters"] += 1
            continue
        paragraphs.append(paragraph)
        if len(paragraphs) == _PARAGRAPHS_OF_ARTICLE:
            yield f"{name} {number}", paragraphs
            paragraphs, number = [], number + 1
    if paragraphs:
        yield f"{name} {number}", paragraphs


def has_paragraph_on_each_line(sample: str) -> bool:
    """Whether the lines of a text are paragraphs, by its beginning: no line is blank, and most end as sentences do."""
    lines = sample.strip().splitlines()
    if not all(line.strip() for line in lines):
        return False
    return 2 * sum(ends_as_sentence(line.rstrip()) for line in lines) > len(lines)


def _paragraphs(lines: Iterable[str], on_each_line: bool) -> Iterator[str]:
    paragraph = ""
    for line in lines:
        words = " ".join(line.split())
        if paragraph and (on_each_line or not words):
            yield join_lines(paragraph.replace(_SOFT_HYPHEN, ""))
            paragraph = ""
        if len(paragraph) > LONGEST_PARAGRAPH:  # it is left out: its rest need not be held
            continue
        is_one_word = not paragraph or _BROKEN_WORD.fullmatch(paragraph[-2:])
        paragraph += words if is_one_word else f" {words}"
    if paragraph:
        yield join_lines(paragraph.replace(_SOFT_HYPHEN, ""))
