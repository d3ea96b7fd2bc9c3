"""Attention maps and the patterns that annotators saw in them (Kovaleva et al. 2019, section 4.1).

The maps are a Parquet file, one row a map:

=========  ======  ===================================================================================
map        int32   the map's number
model      string  the encoder
weights    string  ``pretrained`` or ``finetuned`` (on the task)
task       string  the task of the example
example    int32   the example's number, from 1
layer      int32   from 1
head       int32   from 1
tokens     int32   n
separator  int32   index of the first [SEP], from 0. The first token is [CLS], the last token is [SEP]
attention  binary  n * n bytes, row by row, one row per query: round(255 * sqrt(attention))
=========  ======  ===================================================================================

Labels are separate CSV files, one for each annotator's pass, with the columns ``map`` and ``pattern``. A pass may skip
maps.

The square root is for storage only: 8 bits of the attention itself would round everything below 0.002 to zero. Maps are
read, shown and learned as attention.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import numpy as np

from bert_attention.corpora.compressed import open_utf8
from bert_attention.corpora.parquet_rows import BYTES, TEXT, WHOLE_NUMBERS, Limit, parquet_rows
from bert_attention.corpora.types import PATTERNS, PatternMap
from bert_attention.errors import InputError, nearest

_KINDS = {
    "map": WHOLE_NUMBERS,
    "model": TEXT,
    "weights": TEXT,
    "task": TEXT,
    "example": WHOLE_NUMBERS,
    "layer": WHOLE_NUMBERS,
    "head": WHOLE_NUMBERS,
    "tokens": WHOLE_NUMBERS,
    "separator": WHOLE_NUMBERS,
    "attention": BYTES,
}
LARGEST_FILE = Limit(rows=100_000, size=1 << 28)  # the project's file has 596 rows and 1.4 MB

LABELERS = ("classifier", "one_network", "rules")  # these labelers are programs, all others are annotators
_WEIGHTS = ("pretrained", "finetuned")
_MAPS_REMEDY = "restore the project's file, or name another file in pattern_annotation.maps of the edition"
_LABELS_REMEDY = f"give a CSV file with the columns map,pattern; patterns are {', '.join(PATTERNS)}"
_MAX_ROW_ERROR = 0.1  # tolerance of a row's sum; rounding 512 cells to 8 bits changes the sum by less


def dequantize(values: np.ndarray) -> np.ndarray:
    """Return the weights of stored bytes ``round(255 * sqrt(a))``: float32, within ``(2 * sqrt(a) + 0.002) / 510``."""
    return np.square(values.astype(np.float32) / 255)


def read_maps(path: Path | str) -> list[PatternMap]:
    """Read maps.

    Raise InputError if the file is not a table of maps, holds no maps or is larger than ``LARGEST_FILE``. At the first
    row that is not a valid map, the error names the map.
    """
    maps: dict[int, PatternMap] = {}
    for number, values in enumerate(parquet_rows(Path(path), _KINDS, LARGEST_FILE, _MAPS_REMEDY), start=1):
        row = dict(zip(_KINDS, values, strict=True))
        try:
            item = _read_map(row)
        except ValueError as error:
            raise InputError(f"{path}, row {number} (map {row['map']})", str(error), _MAPS_REMEDY) from None
        if item.id in maps:
            raise InputError(f"{path}, row {number}", f"map {item.id} occurs twice", _MAPS_REMEDY)
        maps[item.id] = item
    if not maps:
        raise InputError(path, "holds no maps", _MAPS_REMEDY)
    return list(maps.values())


def _read_map(row: Mapping) -> PatternMap:
    empty = [name for name, value in row.items() if value is None]
    if empty:
        raise ValueError(f"has no value in column {', '.join(empty)}")
    tokens, separator, attention = row["tokens"], row["separator"], row["attention"]
    if len(attention) != tokens**2:
        raise ValueError(f"has {len(attention)} bytes of attention, expected {tokens} * {tokens} for {tokens} tokens")
    if not 1 < separator < tokens:  # the input has at least one token between [CLS] and [SEP]
        raise ValueError(f"has separator {separator}, expected the index of the first [SEP], 2 to {tokens - 1}")
    if row["weights"] not in _WEIGHTS:
        raise ValueError(f"has weights {row['weights']!r}, expected {' or '.join(_WEIGHTS)}")
    if min(row["map"], row["layer"], row["head"], row["example"]) < 1:
        raise ValueError("map, layer, head and example must be at least 1")
    weights = dequantize(np.frombuffer(attention, dtype=np.uint8).reshape(tokens, tokens))
    error = np.abs(weights.sum(-1) - 1).max()
    if error > _MAX_ROW_ERROR:
        raise ValueError(f"the sum of a row of attention is {error:.2f} from 1; bytes must be 255 * sqrt(attention)")
    fields = {name: row[name] for name in ("model", "weights", "task", "example", "layer", "head", "separator")}
    return PatternMap(row["map"], **fields, attention=weights)


def read_passes(paths: Iterable[Path | str], maps: Sequence[PatternMap]) -> dict[str, dict[int, str]]:
    """Read the labels of several passes, by the names of their files; see :func:`read_labels`.

    Raise InputError if two files have the same name, or a file has the name of a labeler that is not an annotator.
    """
    passes: dict[str, dict[int, str]] = {}
    for path in paths:
        name = Path(path).stem
        if name in passes or name in LABELERS:
            problem = "has the same name as another pass" if name in passes else f"has the name of the labeler {name!r}"
            raise InputError(path, problem, "rename the file: tables identify passes by the names of their files")
        passes[name] = read_labels(path, maps)
    return passes


def read_labels(path: Path | str, maps: Sequence[PatternMap]) -> dict[int, str]:
    """Read the patterns that one pass of an annotator gave to maps, by the maps' numbers.

    Raise InputError if the file is not CSV in UTF-8 or lacks a column, or at a line with an unknown map or pattern, or
    a map that is labeled twice.
    """
    known = {item.id for item in maps}
    labels: dict[int, str] = {}
    with open_utf8(path) as file:
        reader = csv.DictReader(io.TextIOWrapper(file, "utf-8-sig", newline=""))  # spreadsheets write a byte-order mark
        try:
            rows = [(reader.line_num, row) for row in reader]
        except (csv.Error, UnicodeDecodeError) as error:
            raise InputError(path, f"is not a CSV file in UTF-8 ({error})", _LABELS_REMEDY) from None
        lacking = {"map", "pattern"} - set(reader.fieldnames or ())
    if lacking:
        raise InputError(path, f"lacks the columns {', '.join(sorted(lacking))}", _LABELS_REMEDY)
    for line, row in rows:
        where = f"{path}, line {line}"
        text = row["map"] or ""
        number = int(text) if text.isascii() and text.isdecimal() and len(text) < 10 else None
        if number not in known:
            remedy = f"give a map from {min(known)} to {max(known)}"
            raise InputError(where, f"there is no map {text[:40]!r}", remedy)
        if number in labels:
            raise InputError(where, f"map {number} is labeled a second time", "keep one label for each map")
        if row["pattern"] not in PATTERNS:
            meant = nearest(row["pattern"] or "", PATTERNS)
            hint = f"; did you mean {meant!r}?" if meant else ""
            raise InputError(where, f"{row['pattern']!r} is not a pattern{hint}", _LABELS_REMEDY)
        labels[number] = row["pattern"]
    return labels
