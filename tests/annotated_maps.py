"""A few small attention maps, and their file."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from bert_attention.corpora.types import PatternMap


def small_maps(count: int, tokens: int = 6) -> list[PatternMap]:
    """Maps of two sentences with random attention, numbered from 1."""
    random = np.random.default_rng(count)
    attention = random.dirichlet(np.ones(tokens), (count, tokens))
    return [
        PatternMap(number, "m", "pretrained", "rte", number, 1, number, tokens // 2, weights)
        for number, weights in enumerate(attention, start=1)
    ]


def quantized(attention: np.ndarray) -> np.ndarray:
    """Return attention weights as bytes, ``round(255 * sqrt(a))``."""
    return np.rint(255 * np.sqrt(attention)).astype(np.uint8)


def write_maps(maps: Iterable[PatternMap], path: Path) -> None:
    """Write maps as the Parquet file that ``read_maps`` reads."""
    rows = [
        vars(item) | {"map": item.id, "tokens": len(item.attention), "attention": quantized(item.attention).tobytes()}
        for item in maps
    ]
    numbers, texts = ("map", "example", "layer", "head", "tokens", "separator"), ("model", "weights", "task")
    types = dict.fromkeys(numbers, pa.int32()) | dict.fromkeys(texts, pa.string()) | {"attention": pa.binary()}
    pq.write_table(pa.Table.from_pylist(rows, schema=pa.schema(types)), path)
