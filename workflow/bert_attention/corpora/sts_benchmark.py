"""The STS Benchmark (Cer et al. 2017) as its authors publish it; GLUE has the same pairs under the name STS-B.

A folder holds ``sts-train.csv`` and ``sts-dev.csv``. Despite the names, a line has columns with tabs between them and
no quotation: genre, source, year, number, score from 0 to 5, two sentences and, for some sources, two licenses.
"""

from __future__ import annotations

import math
from collections import Counter
from pathlib import Path

from bert_attention.corpora.bad_lines import ON_BAD_INPUT, BadLineError, stop_or_count
from bert_attention.corpora.compressed import text_lines
from bert_attention.corpora.glue import check_sentences, layout_of
from bert_attention.corpora.types import PairTask, TaskExample
from bert_attention.errors import InputError, check_choice

NAME = "stsb"
_TRAIN, _VALIDATION = "sts-train.csv", "sts-dev.csv"
_SCORE, _FIRST, _SECOND = 4, 5, 6  # columns, from 0


def is_sts_benchmark(folder: Path | str) -> bool:
    """Return True if a folder holds a file of the benchmark."""
    return any(Path(folder, name).is_file() for name in (_TRAIN, _VALIDATION))


def read_sts_benchmark(folder: Path | str, name: str, on_bad_input: str = "error") -> tuple[PairTask, Counter[str]]:
    """Read the training and dev pairs, in their order, and count the skipped lines, by reason.

    Raise InputError, which names the line, if a line has no score from 0 to 5 or lacks a sentence. Raise InputError as
    well if the task is not ``stsb``, or a file is missing or holds no pair.
    """
    check_choice("on_bad_input", on_bad_input, ON_BAD_INPUT)
    check_sts_benchmark(folder, name)
    layout = layout_of(name)
    left_out: Counter[str] = Counter()
    train, validation = (
        _pairs(Path(folder, file), layout.scores, on_bad_input, left_out) for file in (_TRAIN, _VALIDATION)
    )
    return PairTask(name, layout.classes, layout.metrics, train, validation), left_out


def check_sts_benchmark(folder: Path | str, name: str) -> None:
    """Raise InputError if the task is not ``stsb``, or a file is missing."""
    if name != NAME:
        raise InputError(folder, f"is the STS Benchmark, not the task {name}", f"name the task {NAME} in the edition")
    for file in (_TRAIN, _VALIDATION):
        if not Path(folder, file).is_file():
            raise InputError(Path(folder, file), "is missing", f"give a folder with {_TRAIN} and {_VALIDATION}")


def _pairs(
    path: Path, scores: tuple[float, float], on_bad_input: str, left_out: Counter[str]
) -> tuple[TaskExample, ...]:
    pairs = []
    for number, line in text_lines(path):
        try:
            pairs.append(_pair(number, line, *scores))
        except BadLineError as error:
            stop_or_count(error, f"{path}, line {number}", "lines", on_bad_input, left_out)
    if not pairs:
        raise InputError(path, "holds no pair of sentences", "give at least one line with a score and two sentences")
    return tuple(pairs)


def _pair(number: int, line: str, lowest: float, highest: float) -> TaskExample:
    columns = line.split("\t")
    if len(columns) <= _SECOND:
        problem = f"expected at least {_SECOND + 1} columns with tabs between them, found {len(columns)}: {line[:40]!r}"
        raise BadLineError(number, "lines without score or sentences", problem)
    try:
        score = float(columns[_SCORE])
    except ValueError:
        score = math.nan
    if not lowest <= score <= highest:
        problem = f"the score {columns[_SCORE][:40]!r} is not a number from {lowest:g} to {highest:g}"
        raise BadLineError(number, "unknown scores", problem)
    first, second = columns[_FIRST], columns[_SECOND]
    check_sentences(number, [first, second])
    return TaskExample(first, second, score)
