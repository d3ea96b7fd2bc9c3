"""Tasks in the layout of ``nyu-mll/glue`` on the Hugging Face hub: seven GLUE tasks, and other tasks in that layout.

A task is a folder of Parquet files, ``train-00000-of-00001.parquet`` and ``validation-00000-of-00001.parquet``
(``validation_matched-...`` for MNLI), with one or two columns of sentences, ``label`` and ``idx``. Files that this
module writes may have a column ``group``, the text that contains the example. For a task of one's own, this module also
writes ``classes.json``, the names of its classes.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from bert_attention.corpora.bad_lines import GET_TEXT, ON_BAD_INPUT, BadLineError, is_withheld, stop_or_count
from bert_attention.corpora.compressed import check_no_zeros, open_utf8
from bert_attention.corpora.parquet_rows import NUMBERS, TEXT, Limit, parquet_rows
from bert_attention.corpora.sampling import sample
from bert_attention.corpora.types import LAYOUTS, LONGEST_PARAGRAPH, Layout, PairTask, TaskExample
from bert_attention.errors import InputError, check_choice, nearest
from bert_attention.files import check_readable, replacing

# MNLI, the largest task, has 392,702 rows and 75 MB.
LARGEST_SPLIT = Limit(rows=2_000_000, size=10**9)

_CLASSES = "classes.json"
_SHARD = re.compile(r".+-(\d{5})-of-(\d{5})\.parquet", re.ASCII)


def read_task(folder: Path | str, name: str, on_bad_input: str = "error") -> tuple[PairTask, Counter[str]]:
    """Read a task from its folder, and count the skipped examples, by reason.

    ``name`` is a name of ``LAYOUTS``, or of a task that :func:`write_task` has written. The names of GLUE tasks are in
    lower case, as on the hub. With ``on_bad_input="error"``, raise InputError, which names the row (counted from 1), at
    a sentence that is empty, blanked out or too long, or a label that the task does not have (test splits have -1).
    With ``skip``, the example is skipped and counted. Raise InputError as well if a file or a column is missing, or a
    split holds no example or is larger than ``LARGEST_SPLIT``.
    """
    check_choice("on_bad_input", on_bad_input, ON_BAD_INPUT)
    is_own = name not in LAYOUTS and Path(folder, _CLASSES).is_file()
    layout = _own_layout(Path(folder)) if is_own else layout_of(name)
    left_out: Counter[str] = Counter()
    train = _read_split(Path(folder), "train", layout, on_bad_input, left_out)
    validation = _read_split(Path(folder), layout.validation, layout, on_bad_input, left_out)
    return PairTask(name, layout.classes, layout.metrics, train, validation), left_out


def check_folder(folder: Path | str, name: str) -> None:
    """Raise InputError if a folder lacks a file of a task, or a file lacks a column; the first rows are read."""
    layout = layout_of(name)
    for split in ("train", layout.validation):
        for path in _shards(Path(folder), split):
            _check_order_of_classes(path, layout)
            next(_rows(path, layout), None)


def read_labeled_lines(
    path: Path | str, name: str, seed: int, on_bad_input: str = "error"
) -> tuple[PairTask, Counter[str]]:
    """Read a task of single sentences from lines ``__label__pos a sentence``, and count the skipped lines, by reason.

    The part after ``__label__`` is a class of the task or the beginning of a class (``pos`` for ``positive``). A random
    half of the sentences becomes the validation examples. A file that is not UTF-8 is read as Windows-1252, the
    encoding of Pang and Lee's sentences. The errors are those of :func:`read_task`, with the line instead of the row.
    Raise InputError as well if the task is a task of pairs.
    """
    check_choice("on_bad_input", on_bad_input, ON_BAD_INPUT)
    layout = layout_of(name)
    if len(layout.sentences) > 1:
        raise InputError(
            path, f"holds single sentences, but {name} is a task of pairs", "give a folder of Parquet files"
        )
    examples = []
    left_out: Counter[str] = Counter()
    for number, line in enumerate(decoded_lines(Path(path)), start=1):
        label, _, sentence = line.partition(" ")
        classes = [index for index, known in enumerate(layout.classes) if f"__label__{known}".startswith(label)]
        try:
            if len(label) <= len("__label__") or len(classes) != 1 or not sentence.strip():
                problem = (
                    f"expected __label__ with one of {', '.join(layout.classes)} and a sentence, found {line[:40]!r}"
                )
                raise BadLineError(number, "lines without label or sentence", problem)
            check_sentences(number, [sentence])
        except BadLineError as error:
            stop_or_count(error, f"{path}, line {number}", "lines", on_bad_input, left_out)
            continue
        examples.append(TaskExample(sentence.strip(), None, float(classes[0])))
    return split_in_halves(path, name, layout.classes, layout.metrics, examples, seed), left_out


def split_in_halves(
    path: Path | str,
    name: str,
    classes: tuple[str, ...],
    metrics: tuple[str, ...],
    examples: Sequence[TaskExample],
    seed: int,
) -> PairTask:
    """Return a task with a random half of the texts for validation; examples of one text stay together.

    Raise InputError if the file ``path`` has fewer than four texts.
    """
    texts = list(dict.fromkeys(example.first for example in examples))
    if len(texts) < 4:
        raise InputError(path, f"holds {len(texts)} different texts, too few to split", "give at least four")
    held_out = set(sample(texts, len(texts) // 2, seed))
    train = tuple(example for example in examples if example.first not in held_out)
    validation = tuple(example for example in examples if example.first in held_out)
    return PairTask(name, classes, metrics, train, validation)


def decoded_lines(path: Path) -> list[str]:
    """Return the lines of a text file in UTF-8 or Windows-1252, as editors count them. The file may be compressed.

    ``str.splitlines`` would also split at separators inside a sentence. The errors are those of
    :func:`bert_attention.corpora.compressed.open_utf8`.
    """
    with open_utf8(path) as file:
        content = file.read()
    check_no_zeros(path, content)
    try:
        text = content.decode("utf-8-sig")  # skips a byte-order mark
    except UnicodeDecodeError:
        text = content.decode("cp1252", errors="replace")
    lines = [line.removesuffix("\r") for line in text.split("\n")]
    return lines if lines[-1] else lines[:-1]


def layout_of(name: str) -> Layout:
    """Return the layout of a task; raise InputError if no task has this name."""
    if name not in LAYOUTS:
        closest = nearest(name, LAYOUTS)
        remedy = f"use {closest!r}" if closest else f"use one of {', '.join(LAYOUTS)}"
        raise InputError(f"task {name!r}", "is not a known task", remedy)
    return LAYOUTS[name]


def _layout_of_classes(classes: Sequence[str], has_pairs: bool) -> Layout:
    """Return the layout of a task of one's own."""
    return Layout(("sentence1", "sentence2") if has_pairs else ("sentence",), tuple(classes))


def _own_layout(folder: Path) -> Layout:
    """Return the layout of a task of one's own that :func:`write_task` has written."""
    classes = json.loads((folder / _CLASSES).read_text(encoding="utf-8"))
    (first, *_) = _shards(folder, "train")
    return _layout_of_classes(classes, "sentence2" in pq.read_schema(first).names)


def _read_split(
    folder: Path, split: str, layout: Layout, on_bad_input: str, left_out: Counter[str]
) -> tuple[TaskExample, ...]:
    examples = []
    for path in _shards(folder, split):
        _check_order_of_classes(path, layout)
        for row, (label, *sentences, group) in enumerate(_rows(path, layout), start=1):
            try:
                check_sentences(row, sentences)
                _check_label(row, label, layout)
                second = sentences[1] if len(sentences) > 1 else None
                examples.append(TaskExample(sentences[0], second, float(label), group or ""))
            except BadLineError as error:
                stop_or_count(error, f"{path}, row {row}", "rows", on_bad_input, left_out)
        if len(examples) > LARGEST_SPLIT.rows:
            problem = f"the shards of the split {split} have more than {LARGEST_SPLIT.rows} rows"
            raise InputError(folder, problem, "give fewer shards, and rename them accordingly")
    if not examples:
        raise InputError(folder, f"the split {split} holds no example", "give at least one row with a label")
    return tuple(examples)


def _check_order_of_classes(path: Path, layout: Layout) -> None:
    """Raise InputError if a file of the library datasets names the same classes in another order.

    ``class_encode_column`` numbers the classes of GLUE's own TSV files by the alphabet.
    """
    check_readable(path)
    try:
        metadata = pq.read_schema(path).metadata or {}
        features = json.loads(metadata.get(b"huggingface", b"{}"))["info"]["features"]
        names = features["label"]["names"]
    except (pa.ArrowException, OSError, ValueError, KeyError, TypeError):
        return  # a file without names of classes; reading its rows says if anything is wrong with it
    if sorted(names) == sorted(layout.classes) and tuple(names) != layout.classes:
        problem = f"numbers its labels in the order {', '.join(names)}, not {', '.join(layout.classes)}"
        raise InputError(path, problem, "number the labels in this order, as the dataset nyu-mll/glue does")


def _rows(path: Path, layout: Layout) -> Iterator[tuple]:
    """Yield label, sentences and group (None: the file has no such column) of each row of a file."""
    kinds = {"label": NUMBERS, **dict.fromkeys(layout.sentences, TEXT)}
    remedy = "give the file as in the dataset nyu-mll/glue on the Hugging Face hub"
    return parquet_rows(path, kinds, LARGEST_SPLIT, remedy, {"group": TEXT})


def _shards(folder: Path, split: str) -> list[Path]:
    """Return the files of a split in order: all of ``split-0000i-of-0000n.parquet``."""
    remedy = f"give {split}-00000-of-00001.parquet, or all n shards {split}-0000i-of-0000n.parquet"
    names = {path: _SHARD.fullmatch(path.name) for path in sorted(folder.glob(f"{split}-*-of-*.parquet"))}
    others = ", ".join(path.name for path, match in names.items() if not match)
    if others:
        problem = f"holds {others}, whose name is not of the form {split}-0000i-of-0000n.parquet"
        raise InputError(folder, problem, "rename or remove it")
    found = list(names)
    if not found:
        raise InputError(folder / f"{split}-00000-of-00001.parquet", "is missing", remedy)
    shards = [tuple(map(int, match.groups())) for match in names.values()]
    if shards != [(index, len(found)) for index in range(len(found))]:
        names = ", ".join(path.name for path in found)
        raise InputError(folder, f"some shards of the split {split} are missing; found only {names}", remedy)
    return found


def check_sentences(row: int, sentences: Sequence[str | None]) -> None:
    """Raise ``BadLineError`` if a sentence is missing, empty, blanked out or too long."""
    for sentence in sentences:
        if sentence is None or not sentence.strip():
            raise BadLineError(row, "empty sentences", f"a sentence is empty: {sentence!r}")
        if is_withheld(sentence.split()):
            problem = f"the words of a sentence are blanked out: {sentence[:40]!r}"
            raise BadLineError(row, "sentences without their text", problem, GET_TEXT)
        if len(sentence) > LONGEST_PARAGRAPH:
            problem = f"a sentence has {len(sentence)} characters; the maximum is {LONGEST_PARAGRAPH}"
            raise BadLineError(row, f"sentences of more than {LONGEST_PARAGRAPH} characters", problem)


def _check_label(row: int, label: object, layout: Layout) -> None:
    if layout.classes and label not in range(len(layout.classes)):
        note = ": the row of a test split, whose labels are not public" if label == -1 else ""
        problem = f"the label {label!r} is not a class from 0 to {len(layout.classes) - 1}{note}"
        raise BadLineError(row, "unknown labels", problem)
    lowest, highest = layout.scores
    if not layout.classes and not (isinstance(label, float | int) and lowest <= label <= highest):
        problem = f"the label {label!r} is not a score from {lowest:g} to {highest:g}"
        raise BadLineError(row, "unknown labels", problem)


def subsample(task: PairTask, examples: int | None, seed: int, train: int | None = None) -> PairTask:
    """Return the task with random samples of its validation and training examples, in their original order.

    Kovaleva et al. 2019 (section 4.3) take 1,000 validation examples at random, unseeded. A size that is ``None`` or
    too large keeps all examples. The size of one sample does not affect the other sample.
    """
    return replace(
        task,
        validation=tuple(sample(task.validation, examples, seed, 0)),
        train=tuple(sample(task.train, train, seed, 1)),
    )


def write_task(task: PairTask, folder: Path | str) -> None:
    """Write a task in the hub's layout, each file whole or not at all. The same task always yields the same bytes.

    Classes are int64 as on the hub. Scores are float64 (the hub's are float32), so that a reader returns the same
    scores. The layout of a task of one's own is written beside its examples.
    """
    layout = LAYOUTS.get(task.name) or _layout_of_classes(task.classes, task.train[0].second is not None)
    if task.name not in LAYOUTS:
        with replacing(Path(folder) / _CLASSES) as partial:
            partial.write_text(json.dumps(task.classes), encoding="utf-8")
    for split, examples in (("train", task.train), (layout.validation, task.validation)):
        sentences = zip(layout.sentences, ("first", "second"), strict=False)
        columns = {column: pa.array([getattr(e, part) for e in examples], pa.string()) for column, part in sentences}
        kind = pa.int64() if layout.classes else pa.float64()
        columns["label"] = pa.array([e.label for e in examples], pa.float64()).cast(kind)
        if any(example.group for example in examples):
            columns["group"] = pa.array([example.group for example in examples], pa.string())
        columns["idx"] = pa.array(range(len(examples)), pa.int32())
        with replacing(Path(folder) / f"{split}-00000-of-00001.parquet") as partial:
            pq.write_table(pa.table(columns), partial, compression="snappy")
