"""Sentences with frames as JSON lines, one object a line.

The standard form is ``{"text": str, "frame": str, "target": [start, end], "elements": [{"name": str, "start": int,
"end": int}, ...]}``. An element may also have ``"core": bool, "in_core_set": bool``; both are true by default. Target
and elements may also be given as strings, as Kovaleva et al. 2019 print them. Elements given as strings are core.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable
from pathlib import Path

from bert_attention.corpora.bad_lines import is_withheld
from bert_attention.corpora.jsonlines import read_records
from bert_attention.corpora.types import FramedSentence, FrameElement

_REMEDY = (
    'give one JSON object per line: {"text": "...", "frame": "...", "target": [start, end], '
    '"elements": [{"name": "...", "start": 0, "end": 1}]}'
)

Span = tuple[int, int]


def read_framed(
    path: Path | str, on_bad_input: str = "error", progress: Callable[[Iterable], Iterable] = iter
) -> tuple[list[FramedSentence], Counter[str]]:
    """Read sentences with frames, and count the skipped lines, by reason.

    Target and elements that are strings are looked up in the text as in the authors' scoring: as whole words between
    spaces, at the first position that overlaps neither the target nor another element. The frame may then be missing
    and is empty. The names of elements are empty.

    With ``on_bad_input="error"``, raise InputError at a bad line: not UTF-8, not an object of this format, with spans
    outside its text, or with strings that are not in the text. With ``skip``, the line is skipped and counted. Raise
    InputError as well if no sentence is left.
    """
    return read_records(path, _framed_sentence, _REMEDY, on_bad_input, progress)


def _framed_sentence(record: dict) -> FramedSentence:
    if not isinstance(record["text"], str):
        raise TypeError('expected a string for "text"')
    text = record["text"]
    text.encode("utf-8")  # raises an error for half of a surrogate pair
    if is_withheld(text.split()):
        raise ValueError("the words of the text are blanked out: the corpus is shipped without its text")
    if not isinstance(record["elements"], list) or not isinstance(record.get("frame", ""), str):
        raise TypeError('expected a list for "elements" and a string for "frame"')
    target = record["target"]
    if isinstance(target, str):
        spans = [_find_span(text, target, [])]
        for part in record["elements"]:
            spans.append(_find_span(text, part, spans))
        elements = tuple(FrameElement("", *span) for span in spans[1:])
        return FramedSentence(text, record.get("frame", ""), spans[0], elements)
    elements = tuple(
        FrameElement(element["name"], *_checked_span(text, element["start"], element["end"]), *_core(element))
        for element in record["elements"]
    )
    if not isinstance(target, list) or len(target) != 2:
        raise ValueError(f'expected [start, end] for "target", found {target!r}')
    return FramedSentence(text, record["frame"], _checked_span(text, *target), elements)


def _core(element: dict) -> tuple[bool, bool]:
    """Return an element's flags ``core`` and ``in_core_set``."""
    core = element.get("core", True), element.get("in_core_set", True)
    if not all(isinstance(value, bool) for value in core):
        raise TypeError('expected true or false for "core" and "in_core_set"')
    return core


def _find_span(text: str, part: str, taken: list[Span]) -> Span:
    """Return the first span of ``part`` in the text, as whole words, that overlaps no span in ``taken``."""
    for match in re.finditer(rf"(?<!\S){re.escape(part.strip())}(?!\S)", text):
        if part.strip() and all(match.end() <= start or end <= match.start() for start, end in taken):
            return match.span()
    raise ValueError(f"{part!r} is not in the text as whole words")


def _checked_span(text: str, start: int, end: int) -> Span:
    if not isinstance(start, int) or not isinstance(end, int) or not 0 <= start < end <= len(text):
        raise ValueError(f"the span {start} to {end} is not in the text, which has {len(text)} characters")
    return start, end
