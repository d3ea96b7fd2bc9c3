"""Sentences with frames as JSON lines, one object a line.

The standard form is ``{"text": str, "frame": str, "target": [start, end], "elements": [{"name": str, "start": int,
"end": int}, ...]}``. An element may also have ``"core": bool, "in_core_set": bool``; both are true by default. A
sentence may have ``"group": str``, the text that contains it; sentences of one text are not independent. Target
and elements may also be given as strings, as Kovaleva et al. 2019 print them. Elements given as strings are core.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from bert_attention.corpora.bad_lines import is_withheld
from bert_attention.corpora.jsonlines import as_text, read_records
from bert_attention.corpora.types import LONGEST_PARAGRAPH, FramedSentence, FrameElement

_REMEDY = (
    'give one JSON object per line: {"text": "...", "frame": "...", "target": [start, end], '
    '"elements": [{"name": "...", "start": 0, "end": 1}]}'
)

_MOST_ELEMENTS = 100  # of a frame; a line with more is damaged
_KEYS_OF_ELEMENT = {"name", "start", "end", "core", "in_core_set"}

Span = tuple[int, int]


def read_framed(
    path: Path | str,
    on_bad_input: str = "error",
    progress: Callable[[Iterable], Iterable] = iter,
    part: Sequence[int] | None = None,
) -> tuple[list[FramedSentence], Counter[str]]:
    """Read sentences with frames, and count the skipped lines, by reason.

    Target and elements that are strings are looked up in the text as in the authors' scoring: as whole words between
    spaces, at the first position that overlaps neither the target nor another element. The frame may then be missing
    and is empty. The names of elements are empty. ``part`` has the indices of the lines to read.

    With ``on_bad_input="error"``, raise InputError at a bad line: not UTF-8, not an object of this format, with spans
    outside its text, with strings that are not in the text, or with more text or elements than a sentence has. With
    ``skip``, the line is skipped and counted. Raise InputError as well if no sentence is left.
    """
    return read_records(path, _framed_sentence, _REMEDY, on_bad_input, progress, part)


def _framed_sentence(record: dict) -> FramedSentence:
    text, frame, group = as_text(record["text"]), *(as_text(record.get(name, "")) for name in ("frame", "group"))
    if len(text) > LONGEST_PARAGRAPH:
        raise ValueError(f"the text has {len(text)} characters; the maximum is {LONGEST_PARAGRAPH}")
    if is_withheld(text.split()):
        raise ValueError("the words of the text are blanked out: the corpus is shipped without its text")
    if not isinstance(record["elements"], list) or len(record["elements"]) > _MOST_ELEMENTS:
        raise TypeError(f'expected a list of at most {_MOST_ELEMENTS} entries for "elements"')
    target = record["target"]
    if isinstance(target, str):
        spans = [_find_span(text, target, [])]
        for part in record["elements"]:
            spans.append(_find_span(text, as_text(part), spans))
        elements = tuple(FrameElement("", *span) for span in spans[1:])
        return FramedSentence(text, frame, spans[0], elements, group)
    elements = tuple(_element(text, element) for element in record["elements"])
    if not isinstance(target, list) or len(target) != 2:
        raise ValueError(f'expected [start, end] for "target", found {target!r}')
    if "frame" not in record:
        raise KeyError("frame")
    return FramedSentence(text, frame, _checked_span(text, *target), elements, group)


def _element(text: str, element: dict) -> FrameElement:
    unknown = sorted(element.keys() - _KEYS_OF_ELEMENT)
    if unknown:
        raise ValueError(f"an element has the key {unknown[0]!r}; its keys are {', '.join(sorted(_KEYS_OF_ELEMENT))}")
    return FrameElement(
        as_text(element["name"]), *_checked_span(text, element["start"], element["end"]), *_core(element)
    )


def _core(element: dict) -> tuple[bool, bool]:
    """Return an element's flags ``core`` and ``in_core_set``."""
    core = element.get("core", True), element.get("in_core_set", True)
    if not all(isinstance(value, bool) for value in core):
        raise TypeError('expected true or false for "core" and "in_core_set"')
    return core


def _find_span(text: str, part: str, taken: list[Span]) -> Span:
    """Return the first span of ``part`` in the text, as whole words, that overlaps no span in ``taken``."""
    words = part.strip()
    pattern = re.compile(rf"(?<!\S){re.escape(words)}(?!\S)") if words and words in text else None
    match = pattern.search(text) if pattern else None
    while match:
        overlapping = [end for start, end in taken if start < match.end() and match.start() < end]
        if not overlapping:
            return match.span()
        match = pattern.search(text, max(overlapping))  # every match before also overlaps
    raise ValueError(f"{part!r} is not in the text as whole words")


def _checked_span(text: str, start: int, end: int) -> Span:
    if type(start) is not int or type(end) is not int or not 0 <= start < end <= len(text):
        raise ValueError(f"the span {start} to {end} is not in the text, which has {len(text)} characters")
    return start, end
