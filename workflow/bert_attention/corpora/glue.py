"""Seven tasks of GLUE, in the layout of ``nyu-mll/glue`` on the Hugging Face hub, and their metrics.

A task is a folder of Parquet files, ``train-00000-of-00001.parquet`` and ``validation-00000-of-00001.parquet``
(``validation_matched-...`` for MNLI), with one or two columns of sentences, ``label`` and ``idx``.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from scipy import stats
from sklearn.metrics import accuracy_score, f1_score

from bert_attention.corpora.parquet_rows import NUMBERS, TEXT, Limit, parquet_rows
from bert_attention.corpora.sampling import sample
from bert_attention.corpora.text_limits import LONGEST_PARAGRAPH
from bert_attention.corpora.types import PairTask, TaskExample
from bert_attention.errors import InputError, nearest
from bert_attention.files import replacing
from bert_attention.manifest import check_files, write_manifest

# MNLI, the largest task, has 392,702 rows of 75 MB.
LARGEST_SPLIT = Limit(rows=2_000_000, size=10**9)

_HIGHEST_SCORE = 5.0  # of STS-B
_SHARD = re.compile(r".+-(\d{5})-of-(\d{5})\.parquet")


@dataclass(frozen=True)
class Layout:
    """How the hub stores a task: its columns of sentences, its classes in the order of their numbers, its metrics.

    A task without classes has scores from 0 to 5.
    """

    sentences: tuple[str, ...]
    classes: tuple[str, ...]
    metrics: tuple[str, ...] = ("accuracy",)
    validation: str = "validation"


LAYOUTS = {
    "mrpc": Layout(("sentence1", "sentence2"), ("not_equivalent", "equivalent"), ("accuracy", "f1")),
    "rte": Layout(("sentence1", "sentence2"), ("entailment", "not_entailment")),
    "stsb": Layout(("sentence1", "sentence2"), (), ("pearson", "spearman")),
    "sst2": Layout(("sentence",), ("negative", "positive")),
    "qnli": Layout(("question", "sentence"), ("entailment", "not_entailment")),
    "mnli": Layout(
        ("premise", "hypothesis"), ("entailment", "neutral", "contradiction"), validation="validation_matched"
    ),
    "qqp": Layout(("question1", "question2"), ("not_duplicate", "duplicate"), ("accuracy", "f1")),
}


def read_task(folder: Path | str, name: str, on_bad_input: str = "error") -> tuple[PairTask, Counter[str]]:
    """A task from its folder, and counts of the examples left out, by reason.

    Parameters
    ----------
    name
        The task's name in lower case, as on the hub: mrpc, rte, stsb, sst2, qnli, mnli, qqp.
    on_bad_input
        ``error``: stop at the first bad example; ``skip``: leave it out and count it.

    Raises
    ------
    InputError
        If a file or a column is missing, or a split holds no example or is larger than ``LARGEST_SPLIT``. Also at a
        sentence that is empty or too long, or a label that the task does not know (test splits have -1); the message
        names the row, counted from 1. Also if a file has changed since the folder was made.
    """
    layout = _layout(name)
    check_files(folder)
    left_out: Counter[str] = Counter()
    train = _read_split(Path(folder), "train", layout, on_bad_input, left_out)
    validation = _read_split(Path(folder), layout.validation, layout, on_bad_input, left_out)
    return PairTask(name, layout.classes, layout.metrics, train, validation), left_out


def read_labelled_lines(
    path: Path | str, name: str, seed: int, on_bad_input: str = "error"
) -> tuple[PairTask, Counter[str]]:
    """A task of single sentences from lines ``__label__pos a sentence``, and counts of the lines left out, by reason.

    The part after ``__label__`` is a class of the task or the beginning of one (``pos`` for ``positive``). A random
    quarter of the sentences becomes the validation examples. A file that is not UTF-8 is read as Windows-1252, the
    encoding of Pang and Lee's sentences.

    Raises
    ------
    InputError
        As in :func:`read_task`, but the message names the line. Also if the task is not one of single sentences.
    """
    layout = _layout(name)
    if len(layout.sentences) > 1:
        raise InputError(path, f"holds single sentences, but {name} is a task of pairs", "give a folder for it")
    examples = []
    left_out: Counter[str] = Counter()
    for number, line in enumerate(_lines(Path(path)), start=1):
        label, _, sentence = line.partition(" ")
        classes = [place for place, known in enumerate(layout.classes) if f"__label__{known}".startswith(label)]
        if len(label) > len("__label__") and len(classes) == 1 and sentence.strip():
            examples.append(TaskExample(sentence.strip(), None, float(classes[0])))
        elif on_bad_input == "error":
            problem = f"{line[:40]!r} is not __label__ with one of {', '.join(layout.classes)} and a sentence"
            raise InputError(f"{path}, line {number}", problem, "correct the file, or set on_bad_input: skip")
        else:
            left_out["lines without label or sentence"] += 1
    if len(examples) < 4:
        raise InputError(path, f"holds {len(examples)} examples", "give at least four")
    validation = sample(range(len(examples)), len(examples) // 4, seed)
    train = sorted(set(range(len(examples))) - set(validation))
    parts = [tuple(examples[place] for place in places) for places in (train, validation)]
    return PairTask(name, layout.classes, layout.metrics, *parts), left_out


def _lines(path: Path) -> list[str]:
    """Lines as editors count them: ``splitlines`` would also end one at a separator that a sentence may hold."""
    lines = [line.removesuffix("\r") for line in _text(path).split("\n")]
    return lines if lines[-1] else lines[:-1]


def _text(path: Path) -> str:
    content = path.read_bytes()
    try:
        return content.decode("utf-8-sig")  # skips a byte-order mark
    except UnicodeDecodeError:
        return content.decode("cp1252", errors="replace")


def _layout(name: str) -> Layout:
    if name not in LAYOUTS:
        closest = nearest(name, LAYOUTS)
        remedy = f"use {closest!r}" if closest else f"use one of {', '.join(LAYOUTS)}"
        raise InputError(f"task {name!r}", "is not one of the tasks of GLUE that are read here", remedy)
    return LAYOUTS[name]


def _read_split(
    folder: Path, split: str, layout: Layout, on_bad_input: str, left_out: Counter[str]
) -> tuple[TaskExample, ...]:
    examples = []
    for path in _shards(folder, split):
        for row, (label, *sentences) in enumerate(_rows(path, layout), start=1):
            problem = _bad_sentence(sentences) or _unknown_label(label, layout)
            if not problem:
                second = sentences[1] if len(sentences) > 1 else None
                examples.append(TaskExample(sentences[0], second, float(label)))
                continue
            if on_bad_input == "error":
                remedy = "correct the file, or set on_bad_input: skip to leave such rows out"
                raise InputError(f"{path}, row {row}", problem[1], remedy)
            left_out[problem[0]] += 1
        if len(examples) > LARGEST_SPLIT.rows:
            problem = f"the shards of the split {split} have more than {LARGEST_SPLIT.rows} rows"
            raise InputError(folder, problem, "give fewer shards, and name them anew")
    if not examples:
        raise InputError(folder, f"the split {split} holds no example", "give at least one row with a label")
    return tuple(examples)


def _shards(folder: Path, split: str) -> list[Path]:
    """The files of a split in order: all of ``split-0000i-of-0000n.parquet``."""
    remedy = f"give {split}-00000-of-00001.parquet, or all n shards {split}-0000i-of-0000n.parquet"
    found = sorted(folder.glob(f"{split}-?????-of-?????.parquet"))
    if not found:
        raise InputError(folder / f"{split}-00000-of-00001.parquet", "is missing", remedy)
    places = [tuple(map(int, _SHARD.fullmatch(path.name).groups())) for path in found]
    if places != [(place, len(found)) for place in range(len(found))]:
        names = ", ".join(path.name for path in found)
        raise InputError(folder, f"the shards of the split {split} are not complete: {names}", remedy)
    return found


def _rows(path: Path, layout: Layout) -> Iterator[tuple]:
    """Label and sentences of each row."""
    kinds = {"label": NUMBERS, **dict.fromkeys(layout.sentences, TEXT)}
    return parquet_rows(path, kinds, LARGEST_SPLIT, "give the file as it is on the hub, nyu-mll/glue")


def _bad_sentence(sentences: Sequence[str | None]) -> tuple[str, str] | None:
    for sentence in sentences:
        if sentence is None or not sentence.strip():
            return "empty sentences", f"a sentence is empty: {sentence!r}"
        if len(sentence) > LONGEST_PARAGRAPH:
            return (
                f"sentences of more than {LONGEST_PARAGRAPH} characters",
                f"a sentence has {len(sentence)} characters, and no more than {LONGEST_PARAGRAPH} are read",
            )
    return None


def _unknown_label(label: object, layout: Layout) -> tuple[str, str] | None:
    reason = "unknown labels"
    if layout.classes:
        if label in range(len(layout.classes)):
            return None
        note = ": the row of a test split, whose labels are not public" if label == -1 else ""
        return reason, f"the label {label!r} is not a class from 0 to {len(layout.classes) - 1}{note}"
    if isinstance(label, float | int) and 0 <= label <= _HIGHEST_SCORE:
        return None
    return reason, f"the label {label!r} is not a score from 0 to {_HIGHEST_SCORE:g}"


def subsample(task: PairTask, examples: int | None, seed: int, train: int | None = None) -> PairTask:
    """The task with random samples of its validation and training examples, in their order.

    Kovaleva et al. 2019 (section 4.3) take 1,000 validation examples at random, unseeded.

    Parameters
    ----------
    examples, train
        Sizes of the samples of validation and training examples. ``None`` keeps all, as does a size that is too large.
        Neither size affects which examples the other sample draws.
    """
    return replace(
        task,
        validation=tuple(sample(task.validation, examples, seed, 0)),
        train=tuple(sample(task.train, train, seed, 1)),
    )


def write_task(task: PairTask, folder: Path | str) -> None:
    """Write a task in the hub's layout, each file whole or not at all; the same task always yields the same bytes.

    Classes are int64 as on the hub. Scores are float64 (the hub's are float32), so that reading returns what was
    written.

    Raises
    ------
    InputError
        If the task does not have one of GLUE's names.
    """
    layout = _layout(task.name)
    for split, examples in (("train", task.train), (layout.validation, task.validation)):
        sentences = zip(layout.sentences, ("first", "second"), strict=False)
        columns = {column: pa.array([getattr(e, part) for e in examples], pa.string()) for column, part in sentences}
        kind = pa.int64() if layout.classes else pa.float64()
        columns["label"] = pa.array([e.label for e in examples], pa.float64()).cast(kind)
        columns["idx"] = pa.array(range(len(examples)), pa.int32())
        with replacing(Path(folder) / f"{split}-00000-of-00001.parquet") as partial:
            pq.write_table(pa.table(columns), partial, compression="snappy")
    write_manifest(folder)


def score(metrics: str | Sequence[str], predictions: Sequence[float], labels: Sequence[float]) -> dict[str, float]:
    """Metrics of predictions, as fractions.

    Parameters
    ----------
    metrics
        A list of ``accuracy``, ``f1`` (of class 1; 0 if it is never predicted), ``pearson`` and ``spearman`` (0 if
        predictions or labels are constant); or the name of a task, for its metrics.
    predictions, labels
        Class numbers for accuracy and F1, scores for correlations; equally many of both.

    Raises
    ------
    ValueError
        If there are no labels or not equally many predictions, or if accuracy or F1 gets a value that is not a class
        number.
    KeyError
        If a metric is not known.
    """
    if isinstance(metrics, str):
        metrics = _layout(metrics).metrics
    predicted, true = np.asarray(predictions, dtype=float), np.asarray(labels, dtype=float)
    if predicted.shape != true.shape or true.ndim != 1 or not true.size:
        raise ValueError(f"predictions have the shape {predicted.shape}, labels {true.shape}")
    return {metric: float(_METRICS[metric](predicted, true)) for metric in metrics}


def _accuracy(predicted: np.ndarray, true: np.ndarray) -> float:
    return accuracy_score(_class_numbers(true), _class_numbers(predicted))


def _f1(predicted: np.ndarray, true: np.ndarray) -> float:
    return f1_score(_class_numbers(true) == 1, _class_numbers(predicted) == 1, zero_division=0.0)


def _class_numbers(values: np.ndarray) -> np.ndarray:
    numbers = np.rint(values).astype(int)
    if (numbers != values).any():
        raise ValueError(f"not a class number: {values[numbers != values][0]}")
    return numbers


def _correlation(function: Callable[[np.ndarray, np.ndarray], tuple[float, float]]) -> Callable:
    def correlation(predicted: np.ndarray, true: np.ndarray) -> float:
        return 0.0 if _is_constant(predicted) or _is_constant(true) else function(predicted, true)[0]

    return correlation


def _is_constant(values: np.ndarray) -> bool:
    """Whether all values are the same up to rounding, so that no correlation is defined."""
    return bool(np.ptp(values) <= 1e-12 * np.abs(values).max())


_METRICS = {
    "accuracy": _accuracy,
    "f1": _f1,
    "pearson": _correlation(stats.pearsonr),
    "spearman": _correlation(stats.spearmanr),
}
