"""Running text from plain text files: blank lines separate paragraphs, and wrapped lines are joined."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import chain, groupby, islice
from statistics import median

from bert_attention.corpora.types import LONGEST_PARAGRAPH
from bert_attention.corpora.writing_systems import ends_as_sentence, join_lines

# A text has no articles, so it is cut into pieces of about an article's length. Only one piece is in memory at a time.
PARAGRAPHS_OF_ARTICLE = 40

# In wrapped text, few lines end as sentences, except the last of each paragraph. Of these other lines, the share that
# ends as sentences tells the layouts apart.
_FEWEST_LINES = 8  # fewer lines tell nothing
_SENTENCES_ON_LINES = 0.9  # the smallest share if each line is a sentence
_WRAPPED = 0.5  # the largest share if lines are wrapped
_SENTENCES_OF_DOCUMENT = 8  # shorter blocks of sentences may be paragraphs

_OTHER_LINE_ENDS = re.compile("[\v\f\x1c-\x1e\x85\u2028\u2029]")

_SHORTEST_PARAGRAPH = 40  # characters; a shorter paragraph without the end of a sentence is a heading
_SOFT_HYPHEN = "\u00ad"
_BROKEN_WORD = re.compile(rf"\w[-{_SOFT_HYPHEN}]")  # at the end of a line


def plain_articles(
    lines: Iterable[str], name: str, sample: str, left_out: Counter[str], size: int | None = PARAGRAPHS_OF_ARTICLE
) -> Iterator[tuple[str, list[str]]]:
    """Yield the paragraphs of a text, ``size`` at a time, or all, with a title: the text's name and a number from 1.

    Blank lines separate paragraphs. In a text without blank lines, each line is a paragraph if most lines end as
    sentences do, and a blank line that follows later ends the article. ``sample`` is the beginning of the text, which
    shows its layout. Skipped headings, other short lines and paragraphs that are too long are counted in ``left_out``,
    by reason.
    """
    on_each_line = has_paragraph_on_each_line(sample)
    blocks = _blocks(lines) if on_each_line else [lines]
    pieces = chain.from_iterable(_pieces(plain_paragraphs(block, on_each_line, left_out), size) for block in blocks)
    for number, article in enumerate(pieces, start=1):
        yield f"{name} {number}", article


def line_articles(lines: Iterable[str], name: str, left_out: Counter[str]) -> Iterator[tuple[str, list]]:
    """Yield the lines of each block between blank lines, with a title: the text's name and a number from 1.

    This is the format of BERT's pre-training data: a sentence on each line, and an empty line between documents.
    Skipped lines are counted in ``left_out`` as in :func:`plain_articles`.
    """
    blocks = (list(plain_paragraphs(block, True, left_out)) for block in _blocks(lines))
    for number, article in enumerate(filter(None, blocks), start=1):
        yield f"{name} {number}", article


def _blocks(lines: Iterable[str]) -> Iterator[Iterator[str]]:
    """Yield the lines between blank lines, on demand."""
    return (block for is_filled, block in groupby(lines, key=lambda line: bool(line.strip())) if is_filled)


def _pieces(paragraphs: Iterator[str], size: int | None) -> Iterator[list[str]]:
    """Yield ``size`` paragraphs at a time, or all at once."""
    return iter(lambda: list(islice(paragraphs, size)), [])


def layout_of(sample: str) -> str | None:
    """Return the layout of a text: ``plain``, ``lines`` (:func:`line_articles`), or None if its beginning is unclear.

    A text without blank lines is plain.
    """
    blocks = [list(block) for block in _blocks(sample.split("\n"))]
    inner = [line for block in blocks for line in block[:-1]]
    share = sum(ends_as_sentence(line.rstrip()) for line in inner) / max(1, len(inner))
    if len(blocks) < 2 or len(inner) < _FEWEST_LINES or share <= _WRAPPED:
        return "plain"
    is_clear = share >= _SENTENCES_ON_LINES and median(map(len, blocks)) >= _SENTENCES_OF_DOCUMENT
    return "lines" if is_clear else None


def other_line_end(sample: str) -> str | None:
    """Return the line separator of a text whose beginning has no line feed but other separators, such as U+2028."""
    found = _OTHER_LINE_ENDS.search(sample.strip())
    return f"U+{ord(found[0]):04X}" if found and "\n" not in sample.strip() else None


def has_paragraph_on_each_line(sample: str) -> bool:
    """Return True if a text has a paragraph on each line: no line of ``sample`` is blank, and most end as sentences."""
    lines = sample.strip().split("\n")
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
