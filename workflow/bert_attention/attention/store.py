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

Sequences are cropped, never padded. The metadata say where a shard comes from; see :class:`ShardMetadata`. They also
hold a checksum of every array, which is compared whenever the array is read, and one of themselves.
"""

from __future__ import annotations

import json
import os
import shlex
import zlib
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
from bert_attention.files import replacing, sha256
from bert_attention.tokenization.token_categories import TokenCategories

FORMAT = "attention store 3"

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

_CHECKSUM_DIGITS = 8  # hexadecimal
_HALF_ONE = (
    0x3C00  # the bits of 1 as a float16; those of what lies between 0 and 1 are smaller, those of the rest larger
)

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

    def __init__(
        self,
        path: Path | str,
        descriptor: int,
        layout: Mapping[str, tuple[np.dtype, tuple[int, ...]]],
        metadata: Mapping[str, str],
    ):
        self.arrays = tuple(dict.fromkeys(name.partition("/")[0] for name in layout))
        self._path = path
        self._descriptor = descriptor
        self._layout = dict(layout)
        self._metadata = dict(metadata)
        self._tensors: dict[str, dict] = {}
        self._checksums = dict.fromkeys(layout, "0" * _CHECKSUM_DIGITS)
        end = 0
        for name, (dtype, shape) in self._layout.items():
            start, end = end, end + dtype.itemsize * prod(shape)
            self._tensors[name] = {
                "dtype": _SAFETENSORS_NAMES[dtype],
                "shape": shape,
                "data_offsets": [start, end],
            }
        self._data_start = len(self._header())
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
        InputError
            If it has numbers that are not finite, or attention that is not between 0 and 1.
        """
        dtype, shape = self._layout.pop(name)
        if (array.dtype, array.shape) != (dtype, shape):
            raise ValueError(f"{name}: {array.dtype} {array.shape} instead of {dtype} {shape}")
        problem = _implausible(name, array)
        if problem:
            remedy = f"the encoder {self._metadata.get('model', '')} has computed it: check its weights, and the device"
            raise InputError(self._path, f"{_spoken(name)} {problem}", remedy)
        self._checksums[name] = _checksum(name, array)
        offset = self._data_start + self._tensors[name]["data_offsets"][0]
        self._write(memoryview(np.ascontiguousarray(array)).cast("B"), offset)
        self._leave_page_cache(offset, array.nbytes)

    def finish(self) -> None:
        """Write the header, which has the checksums.

        Raises
        ------
        RuntimeError
            If a tensor of the layout was not written.
        """
        if self._layout:
            raise RuntimeError(f"{len(self._layout)} tensors were not written, {next(iter(self._layout))} among them")
        self._write(self._header(), 0)

    def _header(self) -> bytes:
        """Header of the file; checksums do not change its length."""
        checksums = dict.fromkeys(self.arrays, "")
        for name, checksum in self._checksums.items():  # in the order of the sequences
            checksums[name.partition("/")[0]] += checksum
        metadata = self._metadata | {"checksums": json.dumps(checksums)}
        metadata["checksum"] = _checksum_of_metadata(metadata)
        encoded = json.dumps({"__metadata__": metadata} | self._tensors).encode()
        encoded += b" " * (-len(encoded) % 8)
        return len(encoded).to_bytes(8, "little") + encoded

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
        writer = ShardWriter(path, file.fileno(), tensor_layout(lengths, metadata), described)
        yield writer
        writer.finish()


def _checksum(name: str, array: np.ndarray) -> str:
    """CRC-32 of a tensor with its name, type and shape: it finds damage, not forgery, in a third of SHA-256's time."""
    described = zlib.crc32(f"{name} {array.dtype} {array.shape}".encode())
    content = memoryview(np.ascontiguousarray(array)).cast("B") if array.size else b""
    return f"{zlib.crc32(content, described):0{_CHECKSUM_DIGITS}x}"


def _checksum_of_metadata(metadata: Mapping[str, str]) -> str:
    """CRC-32 of the metadata of a shard as they stand in its header, but for this checksum."""
    items = sorted((key, value) for key, value in metadata.items() if key != "checksum")
    return f"{zlib.crc32(json.dumps(items).encode()):0{_CHECKSUM_DIGITS}x}"


def _implausible(name: str, array: np.ndarray) -> str | None:
    """What is wrong with an array that was computed, or None."""
    if array.dtype.kind != "f" or array.size == 0:
        return None
    if name.startswith("attention/"):
        # Whole numbers are compared, which takes a fifth of the time. Only -0 needs the second look.
        if array.view(np.uint16).max() <= _HALF_ONE or ((array >= 0) & (array <= 1)).all():
            return None
        return "has numbers that are not between 0 and 1"
    return None if np.isfinite(array).all() else "has numbers that are not finite"


def _spoken(name: str) -> str:
    """A tensor's name in words: ``attention/7`` is ``attention of sequence 7``."""
    array, _, index = name.partition("/")
    return f"{array} of sequence {index}"


@dataclass(frozen=True)
class _Shard:
    """An open shard with its metadata, and for each kind of array the checksums of its sequences in one string."""

    path: Path | str
    file: safe_open
    metadata: ShardMetadata
    checksums: Mapping[str, str]

    def read(self, array: str, index: int) -> np.ndarray:
        """One array of a sequence.

        Raises
        ------
        InputError
            If it is not what was written.
        """
        if array not in self.checksums:
            remedy = "read another store: that of running text has all arrays, those of words and of random weights few"
            problem = f"has no {array}; it holds {', '.join(sorted(self.checksums))}"
            raise InputError("attention store", problem, remedy)
        name = f"{array}/{index}"
        try:
            read = self.file.get_tensor(name)
        except SafetensorError as error:
            raise InputError(self.path, f"has no {_spoken(name)} ({error})", _remove(self.path)) from None
        start = _CHECKSUM_DIGITS * (index - self.metadata.first)
        if _checksum(name, read) != self.checksums[array][start : start + _CHECKSUM_DIGITS]:
            raise InputError(self.path, f"{_spoken(name)} is damaged: it is not what was written", _remove(self.path))
        return read


class StoredSequence:
    """One sequence of a store; each array is read from disk on access, and compared with its checksum."""

    def __init__(self, index: int, shard: _Shard):
        self.index = index
        self._shard = shard

    def _read(self, name: str) -> np.ndarray:
        return self._shard.read(name, self.index)

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
        return self._shard.metadata.categories.masks(self.token_ids)

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

    def __init__(self, paths: Iterable[Path | str], made_of: Mapping[str, Path | str] | None = None):
        """Open the shards and check that they are whole and belong together.

        Parameters
        ----------
        made_of
            Files of the ``weights`` and the ``corpus`` that the store has to be made of; not checked if None.

        Raises
        ------
        InputError
            If a shard is missing, damaged, from another store or made of other files, or if the shards do not cover
            their corpus.
        """
        shards = sorted(map(_open_shard, paths), key=lambda shard: (shard.metadata.first, shard.metadata.last))
        if not shards:
            raise InputError("attention store", "has no shards", "extract the attention first")
        self.metadata = shards[0].metadata
        self._shards = shards
        for what, file in (made_of or {}).items():
            _check_made_of(shards, what, file)
        expected = shards[0].metadata.first
        for shard in shards:
            metadata = shard.metadata
            if not self.metadata.same_store(metadata):
                problem = f"belongs to another model or corpus than {shards[0].path}"
                raise InputError(shard.path, problem, _remove_store(shard.path))
            if metadata.first != expected:
                problem = f"begins with sequence {metadata.first}, not {expected}"
                raise InputError(shard.path, problem, _remove_store(shard.path))
            expected = metadata.last

    @classmethod
    def of(cls, weights: Path | str, corpus: Path | str, *shards: Path | str) -> AttentionStore:
        """A store as rules give it: the files that it has to be made of, then its shards. Raises as the class does."""
        return cls(shards, {"weights": weights, "corpus": corpus})

    def __len__(self) -> int:
        return self._shards[-1].metadata.last - self._shards[0].metadata.first

    def __iter__(self) -> Iterator[StoredSequence]:
        for shard in self._shards:
            for index in range(shard.metadata.first, shard.metadata.last):
                yield StoredSequence(index, shard)


def _check_made_of(shards: Sequence[_Shard], what: str, file: Path | str) -> None:
    digest = sha256(file)
    for shard in shards:
        if getattr(shard.metadata, f"{what}_sha256") != digest:
            other = {"weights": "other weights", "corpus": "another corpus"}[what]
            raise InputError(
                shard.path,
                f"was made of {other} than {file} holds now",
                f"{_remove_store(shard.path)}. If {file} was not meant to change, rm it, too",
            )


def _remove(shard: Path | str) -> str:
    """What to do with a damaged shard. Without it, whatever reads it makes Snakemake run its extraction again."""
    return f"rm {shlex.quote(str(shard))} and run again: Snakemake will make it anew"


def _remove_store(shard: Path | str) -> str:
    folder = shlex.quote(str(Path(shard).parent))
    return f"rm {folder}/*.safetensors and run again: Snakemake will make them anew"


def _open_shard(path: Path | str) -> _Shard:
    try:
        file = safe_open(path, framework="numpy")
    except (SafetensorError, OSError) as error:
        raise InputError(path, f"is not a whole safetensors file ({error})", _remove(path)) from None
    described = dict(file.metadata() or {})
    if described.get("format") != FORMAT:
        raise InputError(path, f"is not a shard of an {FORMAT!r}", _remove(path))
    if described.pop("checksum", None) != _checksum_of_metadata(described):
        raise InputError(path, "its metadata are damaged: they are not what was written", _remove(path))
    del described["format"]
    try:
        metadata, checksums = _parsed_metadata(described)
    except (ValueError, TypeError, KeyError, RecursionError) as error:
        raise InputError(path, f"does not say where it comes from ({error})", _remove(path)) from None
    return _Shard(path, file, metadata, checksums)


def _parsed_metadata(described: Mapping[str, str]) -> tuple[ShardMetadata, dict[str, str]]:
    """The metadata from their JSON texts, and the checksums of arrays.

    Raises
    ------
    ValueError, TypeError, KeyError
        If they are not as this module writes them.
    """
    values = {key: json.loads(value) for key, value in described.items()}
    checksums = values.pop("checksums")
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
    return metadata, checksums


def open_store(paths: Sequence[Path | str]) -> AttentionStore:
    """A store as rules give it: see :meth:`AttentionStore.of`."""
    return AttentionStore.of(*paths)
