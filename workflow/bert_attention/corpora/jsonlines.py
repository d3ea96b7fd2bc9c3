"""Corpora of running text as JSON lines, one record a line.

Articles: ``{"title": str, "paragraphs": [[sentence, ...], ...]}``.
Segments: ``{"article": str, "first": [wordpiece, ...], "second": [wordpiece, ...], "first_begins": [bool, ...],
"second_begins": [bool, ...]}``, where the last two are true for each wordpiece that begins a word.
Inputs of a task: segments with ``"first_spans": [[start, end], ...], "second_spans": [...], "label": number, "group":
str``.
"""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from bert_attention.corpora.bad_lines import ON_BAD_INPUT, format_left_out
from bert_attention.corpora.compressed import text_lines
from bert_attention.corpora.types import Article, Segment, TaskInput, Wordpieces
from bert_attention.errors import InputError, check_choice
from bert_attention.files import part_of, replacing

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

_REMEDY = "delete the file and run again; if you made it yourself, give one JSON object per line"

Record = TypeVar("Record")


def write_records(records: Iterable[DataclassInstance], path: Path | str) -> None:
    """Write records, which are dataclasses, whole or not at all."""
    with replacing(path) as partial, open(partial, "w", encoding="utf-8") as file:
        for record in records:
            file.write(json.dumps(asdict(record), ensure_ascii=False) + "\n")


def read_articles(path: Path | str) -> list[Article]:
    """Read articles; errors are as in :func:`read_records`, at the first bad line."""
    return _read(path, _article, '{"title": "...", "paragraphs": [["A sentence.", "..."], ...]}')


def read_segments(path: Path | str, part: Sequence[int] | None = None) -> list[Segment]:
    """Read segments, all or only the lines in ``part``; errors are as in :func:`read_articles`."""
    begins = '"first_begins": [true, ...], "second_begins": [true, ...]'
    form = f'{{"article": "...", "first": ["wordpiece", ...], "second": ["wordpiece", ...], {begins}}}'
    return _read(path, _segment, form, part)


def read_task_inputs(path: Path | str, part: Sequence[int] | None = None) -> list[TaskInput]:
    """Read inputs of a task, all or only the lines in ``part``; errors are as in :func:`read_articles`."""
    parts = ("first", "second", "first_begins", "second_begins", "first_spans", "second_spans")
    lists = ", ".join(f'"{part}": [...]' for part in parts)
    return _read(path, _task_input, f'{{"article": "...", {lists}, "label": 0, "group": "..."}}', part)


def articles_of(path: Path | str) -> list[str]:
    """Return each segment's article, or the group of each input of a task; errors are as in :func:`read_articles`."""
    return _read(path, lambda record: as_text(record.get("group", record["article"])), '{"article": "...", ...}')


def lengths_of(path: Path | str) -> list[int]:
    """Return each segment's number of wordpieces; errors are as in :func:`read_articles`."""
    form = '{"first": ["wordpiece", ...], "second": ["wordpiece", ...], ...}'
    return _read(path, lambda record: len(record["first"]) + len(record["second"]), form)


def _read(
    path: Path | str, parse: Callable[[dict], Record], form: str, part: Sequence[int] | None = None
) -> list[Record]:
    return read_records(path, parse, f"{_REMEDY}: {form}", part=part)[0]


def read_records(
    path: Path | str,
    parse: Callable[[dict], Record],
    remedy: str,
    on_bad_input: str = "error",
    progress: Callable[[Iterable], Iterable] = iter,
    part: Sequence[int] | None = None,
) -> tuple[list[Record], Counter[str]]:
    """Read the record that ``parse`` makes of each line, and count the skipped lines, by reason.

    ``parse`` gets the JSON value of a line, and may raise any exception that a wrong value causes. ``part`` has the
    indices of the lines to read. With ``on_bad_input="error"``, raise InputError with the advice ``remedy`` at a line
    that is not UTF-8 or does not give a record. With ``skip``, the line is skipped and counted. Raise InputError as
    well if no record is left.
    """
    check_choice("on_bad_input", on_bad_input, ON_BAD_INPUT)
    records: list[Record] = []
    left_out: Counter[str] = Counter()
    for number, line in progress(part_of(text_lines(path), part)):
        try:
            records.append(parse(_object(line)))
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError, OverflowError) as error:
            if on_bad_input == "error":
                problem = f"lacks the key {error}" if isinstance(error, KeyError) else str(error)
                in_workflow = "set on_bad_input: skip to leave such lines out"
                raise InputError(f"{path}, line {number}", problem, remedy, in_workflow) from None
            left_out["bad lines"] += 1
    if not records and part is None:
        raise InputError(path, f"the corpus is empty{format_left_out(left_out)}", remedy)
    return records, left_out


def _object(line: str) -> dict:
    try:
        record = json.loads(line, object_pairs_hook=_with_each_key_once)
    except json.JSONDecodeError as error:
        raise ValueError(f"is not valid JSON ({error})") from None
    if not isinstance(record, dict):
        raise TypeError("is not a JSON object")
    return record


def _with_each_key_once(pairs: list[tuple[str, object]]) -> dict:
    record = dict(pairs)
    if len(record) < len(pairs):
        keys = [key for key, _ in pairs]
        raise ValueError(f"has a key twice: {next(key for key in keys if keys.count(key) > 1)!r}")
    return record


def _article(record: dict) -> Article:
    return Article(as_text(record["title"]), tuple(_texts(paragraph) for paragraph in record["paragraphs"]))


def _segment(record: dict) -> Segment:
    begins = (_flags(record["first_begins"]), _flags(record["second_begins"]))
    return Segment(as_text(record["article"]), _texts(record["first"]), _texts(record["second"]), *begins)


def _task_input(record: dict) -> TaskInput:
    segment = _segment(record)
    spans = [_spans(record[f"{part}_spans"], getattr(segment, part)) for part in ("first", "second")]
    label = float(record["label"])
    if not math.isfinite(label):
        raise ValueError(f"the label {label} is not a finite number")
    spans_and_label = {"first_spans": spans[0], "second_spans": spans[1], "label": label}
    return TaskInput(**vars(segment), **spans_and_label, group=as_text(record["group"]))


def _spans(values: object, wordpieces: Wordpieces) -> tuple[tuple[int, int], ...]:
    if not isinstance(values, list) or len(values) != len(wordpieces):
        raise TypeError(f"expected a list of {len(wordpieces)} spans, found {values!r}")
    return tuple((int(start), int(end)) for start, end in values)


def _flags(values: object) -> tuple[bool, ...]:
    if not isinstance(values, list) or not all(isinstance(value, bool) for value in values):
        raise TypeError(f"expected a list of true and false, found {values!r}")
    return tuple(values)


def _texts(values: object) -> tuple[str, ...]:
    if not isinstance(values, list):
        raise TypeError(f"expected a list, found {values!r}")
    return tuple(map(as_text, values))


def as_text(value: object) -> str:
    """Return a value that is text; raise TypeError for another value, ValueError for half of a surrogate pair."""
    if not isinstance(value, str):
        raise TypeError(f"expected text, found {value!r}")
    value.encode("utf-8")  # raises an error for half of a surrogate pair
    return value
