"""Corpora of running text as JSON lines, one record a line.

Articles: ``{"title": str, "paragraphs": [[sentence, ...], ...]}``.
Segments: ``{"article": str, "first": [wordpiece, ...], "second": [wordpiece, ...]}``.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from dataclasses import asdict
from pathlib import Path
from typing import TypeVar

from bert_attention.corpora.types import Article, Segment
from bert_attention.errors import InputError
from bert_attention.files import numbered_lines, replacing

Record = TypeVar("Record", Article, Segment)


def write_records(records: Iterable[Article | Segment], path: Path | str) -> None:
    """Write articles or segments, whole or not at all."""
    with replacing(path) as partial, open(partial, "w", encoding="utf-8") as file:
        for record in records:
            file.write(json.dumps(asdict(record), ensure_ascii=False) + "\n")


def read_articles(path: Path | str) -> list[Article]:
    """Read articles.

    Raises
    ------
    InputError
        At the first line that is not UTF-8 or not an article, and if there is none at all.
    """
    return _read(path, _article, '{"title": "...", "paragraphs": [["A sentence.", "..."], ...]}')


def read_segments(path: Path | str) -> list[Segment]:
    """Read segments.

    Raises
    ------
    InputError
        At the first line that is not UTF-8 or not a segment of two parts, and if there is none at all.
    """
    return _read(path, _segment, '{"article": "...", "first": ["wordpiece", ...], "second": ["wordpiece", ...]}')


def _read(path: Path | str, parse: Callable[[dict], Record], form: str) -> list[Record]:
    records = []
    for number, line in numbered_lines(path):
        try:
            records.append(parse(json.loads(line)))
        except (ValueError, KeyError, TypeError) as error:
            problem = f"lacks the key {error}" if isinstance(error, KeyError) else str(error)
            raise InputError(f"{path}, line {number}", problem, f"give one JSON object a line: {form}") from None
    if not records:
        raise InputError(path, "the corpus is empty", f"give at least one line: {form}")
    return records


def _article(record: dict) -> Article:
    return Article(_text(record["title"]), tuple(_texts(paragraph) for paragraph in record["paragraphs"]))


def _segment(record: dict) -> Segment:
    return Segment(_text(record["article"]), _texts(record["first"]), _texts(record["second"]))


def _texts(values: object) -> tuple[str, ...]:
    if not isinstance(values, list):
        raise TypeError(f"expected a list, found {values!r}")
    return tuple(map(_text, values))


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError(f"expected text, found {value!r}")
    return value
