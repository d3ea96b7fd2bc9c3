"""The attention store: results of one forward pass over a corpus, in safetensors shards that are read back lazily.

A shard holds, for each sequence ``i`` of its corpus, in corpus order, some of these arrays (``ARRAYS``):

===================  =======  ============================  ===================================================
``token_ids/i``      int32    ``[n]``
``segment_ids/i``    int32    ``[n]``
``word_ids/i``       int32    ``[n]``                       word of each wordpiece, -1 for special tokens
``value_norms/i``    float32  ``[layer, head, key]``        ``||f_h(x_j)||`` (Kobayashi et al. 2020)
``input_norms/i``    float32  ``[layer, n]``                ``||x_j||``, what enters the layer
``mixing/i``         float32  ``[method, layer, n]``        share of other tokens (:mod:`.norms`)
``projections/i``    float32  ``[layer, head, key]``        ``sum_i <alpha f, y_i> / ||y_i||``
``summed_norms/i``   float16  ``[layer, query, key]``       ``||sum_h alpha f||``
``attention/i``      float16  ``[layer, head, query, key]`` post-softmax
===================  =======  ============================  ===================================================

Stores of Wikipedia segments have all of these arrays, with one place for each wordpiece. Stores of random weights have
attention without norms. Stores of trees and of coreference have only attention between words, and the number of each
word (``word_ids``); special tokens count as words.

Sequences are cropped, never padded. The metadata say where a shard comes from; see :class:`ShardMetadata`.
"""

from __future__ import annotations

import json
import os
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from math import prod
from pathlib import Path

import numpy as np
from safetensors import SafetensorError, safe_open

from bert_attention.attention.mixing_methods import MIXING_METHODS
from bert_attention.errors import InputError
from bert_attention.files import replacing
from bert_attention.models.token_categories import TokenCategories

FORMAT = "attention store 2"

# Type and axes of every array that a store can have. Types of 4 bytes come first, so that every tensor is aligned.
ARRAYS = {
    "token_ids": (np.dtype(np.int32), "n"),
    "segment_ids": (np.dtype(np.int32), "n"),
    "word_ids": (np.dtype(np.int32), "n"),
    "value_norms": (np.dtype(np.float32), "lhn"),
    "input_norms": (np.dtype(np.float32), "ln"),
    "mixing": (np.dtype(np.float32), "mln"),
    "projections": (np.dtype(np.float32), "lhn"),
    "summed_norms": (np.dtype(np.float16), "lnn"),
    "attention": (np.dtype(np.float16), "lhnn"),
}
ID_ARRAYS = ("token_ids", "segment_ids", "word_ids")
# What a store holds: for running text, all arrays, attention without norms, or mixing ratios; for words, attention.
WORDPIECE_ARRAYS = tuple(ARRAYS)
ATTENTION_ARRAYS = ("token_ids", "segment_ids", "word_ids", "attention")
MIXING_ARRAYS = ("token_ids", "mixing")
WORD_ARRAYS = ("word_ids", "attention")

# How many of the tensors written last stay in the page cache. Tensors too small to drop all stay.
_TENSORS_IN_PAGE_CACHE = 24
_SMALLEST_DROPPED = 1 << 16  # bytes

_SAFETENSORS_NAMES = {np.dtype(np.int32): "I32", np.dtype(np.float16): "F16", np.dtype(np.float32): "F32"}


@dataclass(frozen=True)
class ShardMetadata:
    """Where a shard comes from: sequences ``first`` up to, not including, ``last`` of a corpus of ``sequences``."""

    model: str
    weights_sha256: str
    corpus_sha256: str
    segment_ids: str
    masked_share: float
    arrays: tuple[str, ...]
    sequences: int
    first: int
    last: int
    layers: int
    heads: int
    categories: TokenCategories
    torch: str
    transformers: str

    def same_store(self, other: ShardMetadata) -> bool:
        """Whether two shards belong to one store, that is, differ only in their range."""
        ours, theirs = (asdict(metadata) | {"first": 0, "last": 0} for metadata in (self, other))
        return ours == theirs


def tensor_layout(lengths: Sequence[int], metadata: ShardMetadata) -> dict[str, tuple[np.dtype, tuple[int, ...]]]:
    """Type and shape of every tensor of a shard whose sequences have these lengths, in their order in the file."""
    layout: dict[str, tuple[np.dtype, tuple[int, ...]]] = {}
    for name, (dtype, axes) in ARRAYS.items():
        if name not in metadata.arrays:
            continue
        for i, n in enumerate(lengths, start=metadata.first):
            sizes = {"l": metadata.layers, "h": metadata.heads, "m": len(MIXING_METHODS), "n": n}
            layout[f"{name}/{i}"] = (dtype, tuple(sizes[axis] for axis in axes))
    return layout


class ShardWriter:
    """Writes the tensors of a safetensors file one by one, in any order: memory holds one tensor, not the shard."""

    def __init__(self, descriptor: int, layout: Mapping[str, tuple[np.dtype, tuple[int, ...]]], metadata: Mapping):
        self.arrays = tuple(dict.fromkeys(name.partition("/")[0] for name in layout))
        self._descriptor = descriptor
        self._layout = dict(layout)
        self._offsets: dict[str, int] = {}
        header: dict[str, object] = {"__metadata__": dict(metadata)}
        end = 0
        for name, (dtype, shape) in self._layout.items():
            start, end = end, end + dtype.itemsize * prod(shape)
            self._offsets[name] = start
            header[name] = {"dtype": _SAFETENSORS_NAMES[dtype], "shape": shape, "data_offsets": [start, end]}
        encoded = json.dumps(header).encode()
        encoded += b" " * (-len(encoded) % 8)
        self._data_start = 8 + len(encoded)
        self._write(len(encoded).to_bytes(8, "little") + encoded, 0)
        self._cached: deque[tuple[int, int]] = deque()
        if hasattr(os, "posix_fallocate"):  # a full disk is noticed here, not hours later
            os.posix_fallocate(descriptor, 0, self._data_start + end)

    def write(self, name: str, array: np.ndarray) -> None:
        """Write one tensor, once.

        Raises
        ------
        ValueError
            If its type or shape is not the one in the layout.
        KeyError
            If it is not in the layout or is already written.
        """
        dtype, shape = self._layout.pop(name)
        if (array.dtype, array.shape) != (dtype, shape):
            raise ValueError(f"{name}: {array.dtype} {array.shape} instead of {dtype} {shape}")
        offset = self._data_start + self._offsets[name]
        self._write(memoryview(np.ascontiguousarray(array)).cast("B"), offset)
        self._leave_page_cache(offset, array.nbytes)

    def finish(self) -> None:
        """Raise RuntimeError if a tensor of the layout was not written."""
        if self._layout:
            raise RuntimeError(f"{len(self._layout)} tensors were not written, {next(iter(self._layout))} among them")

    def _leave_page_cache(self, offset: int, size: int) -> None:
        """Start writing a range to disk now, and drop it from the page cache a little later.

        A store is far larger than what is read from it next. Left alone, its pages would fill the machine's memory and
        push out everybody else's. Allocating fresh pages also costs more than all the rest of writing.
        """
        if not hasattr(os, "posix_fadvise") or size < _SMALLEST_DROPPED:
            return
        self._cached.append((offset, size))
        os.posix_fadvise(self._descriptor, offset, size, os.POSIX_FADV_DONTNEED)  # starts writing to disk
        if len(self._cached) > _TENSORS_IN_PAGE_CACHE:
            os.posix_fadvise(self._descriptor, *self._cached.popleft(), os.POSIX_FADV_DONTNEED)  # drops

    def _write(self, content: bytes | memoryview, offset: int) -> None:
        while content:
            written = os.pwrite(self._descriptor, content, offset)
            content, offset = content[written:], offset + written


@contextmanager
def shard_writer(path: Path | str, lengths: Sequence[int], metadata: ShardMetadata) -> Iterator[ShardWriter]:
    """Open a shard for writing; it gets its name when the block has written all of it, and is removed otherwise."""
    described = {"format": FORMAT} | {key: json.dumps(value) for key, value in asdict(metadata).items()}
    with replacing(path) as partial, open(partial, "wb") as file:
        writer = ShardWriter(file.fileno(), tensor_layout(lengths, metadata), described)
        yield writer
        writer.finish()


class StoredSequence:
    """One sequence of a store; each array is read from disk on access."""

    def __init__(self, index: int, file: safe_open, categories: TokenCategories):
        self.index = index
        self._file = file
        self._categories = categories

    def _read(self, name: str) -> np.ndarray:
        return self._file.get_tensor(f"{name}/{self.index}")

    @property
    def token_ids(self) -> np.ndarray:
        """``[n]`` int32."""
        return self._read("token_ids")

    @property
    def segment_ids(self) -> np.ndarray:
        """``[n]`` int32."""
        return self._read("segment_ids")

    @property
    def word_ids(self) -> np.ndarray:
        """``[n]`` int32, -1 for special tokens."""
        return self._read("word_ids")

    @property
    def categories(self) -> dict[str, np.ndarray]:
        """A mask ``[n]`` for each token category: cls, sep, punctuation, other."""
        return self._categories.masks(self.token_ids)

    @property
    def attention(self) -> np.ndarray:
        """``[layer, head, query, key]`` float32."""
        return self._read("attention").astype(np.float32)

    @property
    def input_norms(self) -> np.ndarray:
        """``[layer, n]`` float32."""
        return self._read("input_norms")

    @property
    def mixing(self) -> np.ndarray:
        """``[method, layer, n]`` float32."""
        return self._read("mixing")

    @property
    def projections(self) -> np.ndarray:
        """``[layer, head, key]`` float32."""
        return self._read("projections")

    @property
    def summed_norms(self) -> np.ndarray:
        """``[layer, query, key]`` float32."""
        return self._read("summed_norms").astype(np.float32)

    @property
    def value_norms(self) -> np.ndarray:
        """``[layer, head, key]`` float32."""
        return self._read("value_norms")


class AttentionStore:
    """The sequences of all shards of a store, in corpus order; iterating streams them, one in memory at a time."""

    def __init__(self, paths: Iterable[Path | str]):
        """Open the shards and check that they are whole and belong together.

        Raises
        ------
        InputError
            If a shard is missing, damaged or from another store, or if the shards do not cover their corpus.
        """
        shards = sorted((_open_shard(path) for path in paths), key=lambda shard: (shard[0].first, shard[0].last))
        if not shards:
            raise InputError("attention store", "has no shards", "extract the attention first")
        self.metadata = shards[0][0]
        self._files = [(metadata, file) for metadata, file, _ in shards]
        expected = 0
        for metadata, _, path in shards:
            if not self.metadata.same_store(metadata):
                raise InputError(path, f"belongs to another model or corpus than {shards[0][2]}", _REMEDY)
            if metadata.first != expected:
                raise InputError(path, f"begins with sequence {metadata.first}, not {expected}", _REMEDY)
            expected = metadata.last
        if expected != self.metadata.sequences:
            raise InputError(
                shards[-1][2], f"ends at sequence {expected} of {self.metadata.sequences}: a shard is missing", _REMEDY
            )

    def __len__(self) -> int:
        return self.metadata.sequences

    def __iter__(self) -> Iterator[StoredSequence]:
        for metadata, file in self._files:
            for index in range(metadata.first, metadata.last):
                yield StoredSequence(index, file, metadata.categories)


_REMEDY = "delete the shards of this store and run again: Snakemake will make new ones"


def _open_shard(path: Path | str) -> tuple[ShardMetadata, safe_open, Path | str]:
    try:
        file = safe_open(path, framework="numpy")
    except (SafetensorError, OSError) as error:
        raise InputError(path, f"is not a whole safetensors file ({error})", _REMEDY) from None
    described = dict(file.metadata() or {})
    if described.pop("format", None) != FORMAT:
        raise InputError(path, f"is not a shard of an {FORMAT!r}", _REMEDY)
    try:
        return _parsed_metadata(described), file, path
    except (ValueError, TypeError, KeyError, RecursionError) as error:
        raise InputError(path, f"does not say where it comes from ({error})", _REMEDY) from None


def _parsed_metadata(described: Mapping[str, str]) -> ShardMetadata:
    """The metadata from their JSON texts; a ValueError, TypeError or KeyError if they are not as this module writes."""
    values = {key: json.loads(value) for key, value in described.items()}
    categories = values.pop("categories")
    categories["punctuation"] = tuple(categories["punctuation"])
    values["arrays"] = tuple(values["arrays"])
    metadata = ShardMetadata(**values, categories=TokenCategories(**categories))
    for name in ("sequences", "first", "last", "layers", "heads"):
        if not isinstance(number := getattr(metadata, name), int) or number < 0:
            raise ValueError(f"{name} is {number!r}")
    unknown = set(metadata.arrays) - ARRAYS.keys()
    if unknown:
        raise ValueError(f"unknown arrays: {', '.join(map(str, unknown))}")
    return metadata
