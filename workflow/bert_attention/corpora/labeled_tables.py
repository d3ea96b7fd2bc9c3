"""Classification tasks of one's own: tables with a text, perhaps a second text, and a label in each row.

A table is a Parquet file, or a CSV or TSV file in UTF-8 whose first line names the columns. Labels are words or
numbers, and each distinct label is a class. A task is one table, of which a random half of the texts becomes the
validation examples, or a folder with a table ``train`` and a table ``dev`` or ``validation``.
"""

from __future__ import annotations

import csv
import io
import math
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Literal, NamedTuple

from bert_attention.corpora.bad_lines import ON_BAD_INPUT, BadLineError, stop_or_count
from bert_attention.corpora.compressed import open_utf8
from bert_attention.corpora.glue import LARGEST_SPLIT, check_sentences, split_in_halves
from bert_attention.corpora.parquet_rows import NUMBERS, TEXT, Kind, parquet_rows
from bert_attention.corpora.types import METRICS_OF_CLASSES, PairTask, TaskExample
from bert_attention.errors import InputError, check_choice
from bert_attention.files import check_readable

_DELIMITERS = {".csv": ",", ".tsv": "\t"}
_FORMATS = (".parquet", *_DELIMITERS)
_PARTS = {"train": ("train",), "validation": ("dev", "validation")}  # names of the files of a folder
_MOST_CLASSES = 100
_LONGEST_CELL = 1_000_000  # characters; check_sentences refuses shorter texts
_LABEL = Kind("words or whole numbers", (*TEXT.tests, *NUMBERS.tests))


class Columns(NamedTuple):
    """The columns of a table; ``second`` is empty if examples have one text."""

    text: str = "text"
    label: str = "label"
    second: str = ""

    @property
    def texts(self) -> tuple[str, ...]:
        """The columns of texts."""
        return (self.text, self.second) if self.second else (self.text,)


class _Cells(NamedTuple):
    """A row as it stands in the file. ``number`` is its number, or that of its last line in a text file."""

    number: int
    texts: Sequence[str | None]
    label: str
    surplus: int = 0  # cells beyond the last column that are not empty


class _Row(NamedTuple):
    where: str  # the file, and the line or row
    texts: tuple[str, ...]
    label: str


def read_labeled_table(
    path: Path | str, name: str, columns: Columns, seed: int, on_bad_input: str = "error"
) -> tuple[PairTask, Counter[str]]:
    """Read a task from a table or from a folder of two tables, and count the skipped rows, by reason.

    The classes are the labels, in the order of their numbers if all are whole numbers, and else of the alphabet. With
    ``on_bad_input="error"``, raise InputError, which names the line or row, at an empty text or label. With ``skip``,
    the row is skipped and counted. Raise InputError as well if the file is no such table or lacks a column, if there
    are fewer than two classes or more than 100, or if a class has only one example or none to train on.
    """
    check_choice("on_bad_input", on_bad_input, ON_BAD_INPUT)
    path = Path(path)
    left_out: Counter[str] = Counter()
    files = _tables_of(path)
    rows = {part: list(_good_rows(file, columns, on_bad_input, left_out)) for part, file in files.items()}
    classes = _classes(path, columns, [row for part in rows.values() for row in part])
    found = {part: tuple(_example(row, classes) for row in of_part) for part, of_part in rows.items()}
    if len(files) == 1:
        task = split_in_halves(path, name, classes, METRICS_OF_CLASSES, found["train"], seed)
    else:
        task = PairTask(name, classes, METRICS_OF_CLASSES, found["train"], found["validation"])
    _check_is_learnable(path, task)
    return task, left_out


def check_labeled_table(path: Path | str, columns: Columns) -> None:
    """Raise InputError if a task of one's own is no table or folder of tables with these columns; a row is read."""
    for file in _tables_of(Path(path)).values():
        next(_rows(file, columns), None)


def _tables_of(path: Path) -> dict[str, Path]:
    """Return the tables of a task by part. A single table has the part ``train``."""
    if not path.is_dir():
        if path.suffix not in _FORMATS:
            problem = f"is no table: its name ends in {path.suffix or 'no suffix'!r}, not in {', '.join(_FORMATS)}"
            raise InputError(path, problem, "give a table in one of these formats, and the suffix of its format")
        return {"train": path}
    found = {}
    for part, names in _PARTS.items():
        files = [path / f"{name}{suffix}" for name in names for suffix in _FORMATS]
        there = [file for file in files if file.is_file()]
        if len(there) != 1:
            problem = f"holds {', '.join(file.name for file in there)}" if there else f"holds no table {names[0]}"
            remedy = f"give one table {' or '.join(names)}, which ends in {', '.join(_FORMATS)}"
            raise InputError(path, problem, remedy)
        found[part] = there[0]
    return found


def _good_rows(path: Path, columns: Columns, on_bad_input: str, left_out: Counter[str]) -> Iterator[_Row]:
    """Yield the rows of a table that have texts and a label, and no cell beyond the last column."""
    unit = "row" if path.suffix == ".parquet" else "line"
    for cells in _rows(path, columns):
        where = f"{path}, {unit} {cells.number}"
        try:
            if cells.surplus:
                problem = "has more cells than the header, so that the end of a text would be lost"
                raise BadLineError(cells.number, "rows with too many cells", problem, "quote cells that hold commas")
            check_sentences(cells.number, cells.texts)
            if not cells.label:
                raise BadLineError(cells.number, "empty labels", f"the label (column {columns.label}) is empty")
        except BadLineError as error:
            stop_or_count(error, where, f"{unit}s", on_bad_input, left_out)
            continue
        yield _Row(where, tuple(text.strip() for text in cells.texts), cells.label)


def _rows(path: Path, columns: Columns) -> Iterator[_Cells]:
    read = _parquet_rows if path.suffix == ".parquet" else _lines
    for count, cells in enumerate(read(path, columns), start=1):
        if count > LARGEST_SPLIT.rows:
            raise InputError(path, f"has more than {LARGEST_SPLIT.rows} rows", "give a part of the table")
        yield cells


def _parquet_rows(path: Path, columns: Columns) -> Iterator[_Cells]:
    kinds = {**dict.fromkeys(columns.texts, TEXT), columns.label: _LABEL}
    rows = parquet_rows(path, kinds, LARGEST_SPLIT, _remedy(columns))
    for number, (*texts, label) in enumerate(rows, start=1):
        yield _Cells(number, texts, _written(label))


def _lines(path: Path, columns: Columns) -> Iterator[_Cells]:
    check_readable(path)
    csv.field_size_limit(_LONGEST_CELL)
    with open_utf8(path) as file:
        # Spreadsheets write a byte-order mark. A line break in a cell is the same text on all systems.
        lines: Iterable[str] = io.TextIOWrapper(file, "utf-8-sig", newline=None)
        number = 0
        try:
            quoting: Literal[0, 3] = csv.QUOTE_MINIMAL
            if path.suffix == ".tsv":
                lines = list(lines)
                quoting = _quoting(lines)
            reader = csv.DictReader(lines, delimiter=_DELIMITERS[path.suffix], quoting=quoting, strict=True)
            _check_header(path, columns, reader.fieldnames or ())
            for row in reader:
                number = reader.line_num
                texts, label = [row[name] for name in columns.texts], (row[columns.label] or "").strip()
                yield _Cells(number, texts, label, sum(map(bool, row.get(None, ()))))
        except (csv.Error, UnicodeDecodeError) as error:
            where = f"{path}, after line {number}"
            problem = f"is not a table of {path.suffix.removeprefix('.').upper()} in UTF-8 ({error})"
            raise InputError(where, problem, "quote cells that hold quotes or line breaks, and save as UTF-8") from None


def _quoting(lines: Sequence[str]) -> Literal[0, 3]:
    """Return how the lines of a TSV file are quoted: as csv writes them, or not at all, as in GLUE's own files.

    There, a quotation can begin in one row and end in another. If its quotes were marks of a cell, the rows between
    them would be one. The reading with more rows of as many cells as the header is right.
    """
    found = {quoting: _well_formed_rows(lines, quoting) for quoting in (csv.QUOTE_MINIMAL, csv.QUOTE_NONE)}
    return csv.QUOTE_NONE if found[csv.QUOTE_NONE] > found[csv.QUOTE_MINIMAL] else csv.QUOTE_MINIMAL


def _well_formed_rows(lines: Sequence[str], quoting: Literal[0, 3]) -> int:
    """Return how many rows have as many cells as the header, up to the first that cannot be read."""
    rows = csv.reader(lines, delimiter=_DELIMITERS[".tsv"], quoting=quoting, strict=True)
    count = 0
    with suppress(csv.Error):
        cells = len(next(rows, ()))
        for row in rows:
            count += len(row) == cells
    return count


def _check_header(path: Path, columns: Columns, present: Sequence[str]) -> None:
    missing = [name for name in (*columns.texts, columns.label) if name not in present]
    twice = [name for name in (*columns.texts, columns.label) if list(present).count(name) > 1]
    if missing or twice:
        problem = f"has no column {', '.join(missing)}" if missing else f"has more than one column {', '.join(twice)}"
        listed = ", ".join(present) or "none"
        raise InputError(f"{path}, line 1", f"{problem}; its columns are {listed}", _remedy(columns))


def _remedy(columns: Columns) -> str:
    keys = ", ".join(f"{key}: {name}" for key, name in zip(("text", "second"), columns.texts, strict=False))
    return f"name the columns in the edition, beside source ({keys}, label: {columns.label}), or correct the file"


def _written(label: object) -> str:
    """Return a label of a Parquet file as text: a whole number without decimals, and nothing for a missing label."""
    if label is None or (isinstance(label, float) and math.isnan(label)):
        return ""
    is_whole = isinstance(label, bool) or (isinstance(label, float) and label.is_integer())
    return str(int(label)) if is_whole else str(label).strip()


def _classes(path: Path, columns: Columns, rows: Sequence[_Row]) -> tuple[str, ...]:
    counts = Counter(row.label for row in rows)
    if len(counts) < 2:
        listed = f"only the label {next(iter(counts))!r}" if counts else "no label"
        raise InputError(path, f"its column {columns.label} has {listed}", "give examples of at least two classes")
    if len(counts) > _MOST_CLASSES:
        problem = f"its column {columns.label} has {len(counts)} different labels; a task has at most {_MOST_CLASSES}"
        raise InputError(path, problem, "name the column of classes with label: in the edition")
    once = next((row for row in rows if counts[row.label] == 1), None)
    if once:
        remedy = "correct the label, leave the row out, or give more examples of this class"
        raise InputError(once.where, f"no other row has the label {once.label!r}", remedy)
    is_number = all(label.isascii() and label.lstrip("-").isdecimal() for label in counts)
    return tuple(sorted(counts, key=lambda label: (int(label), label) if is_number else label))


def _example(row: _Row, classes: Sequence[str]) -> TaskExample:
    second = row.texts[1] if len(row.texts) > 1 else None
    return TaskExample(row.texts[0], second, float(classes.index(row.label)))


def _check_is_learnable(path: Path, task: PairTask) -> None:
    """Raise InputError if a class has no training example."""
    trained = {int(example.label) for example in task.train}
    missing = [label for number, label in enumerate(task.classes) if number not in trained]
    if missing:
        problem = f"no training example has the label {', '.join(map(repr, missing))}"
        raise InputError(path, problem, "give more examples of it, or a folder with the tables train and dev")
