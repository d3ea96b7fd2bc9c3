"""The attention store: results of one forward pass over a corpus, in safetensors shards that are read back lazily.

A shard holds, for each sequence of its part of the corpus, some of these arrays (``ARRAYS``):

===============  =======  ============================  ===================================================
``token_ids``    int32    ``[n]``
``segment_ids``  int32    ``[n]``
``word_ids``     int32    ``[n]``                       word of each wordpiece, -1 for special tokens
``value_norms``  float32  ``[layer, head, key]``        ``||f_h(x_j)||`` (Kobayashi et al. 2020)
``input_norms``  float32  ``[layer, n]``                ``||x_j||``, what enters the layer
``mixing``       float32  ``[method, layer, n]``        share of other tokens (:mod:`.norms`)
``projections``  float32  ``[layer, head, key]``        ``sum_i <alpha f, y_i> / ||y_i||``
``summed_norms`` float16  ``[layer, query, key]``       ``||sum_h alpha f||``
``attention``    float16  ``[layer, head, query, key]`` post-softmax
===============  =======  ============================  ===================================================

All of them, with one place for each wordpiece, are in the store of running text that Kobayashi et al.'s analyses read:
``segments_pair``, or ``segments_zeros`` of a model that tells no segments apart. Others between wordpieces
(``segments_zeros`` of other models, ``tasks/...``) have ids and attention, without norms; ``masked_segments`` has
mixing ratios. Stores of trees and of coreference have attention between words, and the number of each word
(``word_ids``); special tokens count as words. A store of random weights, ``random_<store>``, has what its namesake has
(:mod:`.contents`).

Each kind of array is one tensor, flat, with all sequences one after another; sequences are cropped, never padded. Where
they begin follows from the tensor ``lengths``, ``[sequence]``. The metadata say what a shard is made of
(:class:`ShardMetadata`).
"""

from __future__ import annotations

import json
import os
import shlex
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from math import prod
from pathlib import Path
from typing import Any

import numpy as np
from safetensors import SafetensorError, safe_open

from bert_attention.attention.mixing_methods import MIXING_METHODS
from bert_attention.errors import InputError
from bert_attention.files import replacing
from bert_attention.statistics.sums import blocks_of_sizes, units_of_shard
from bert_attention.tokenization.token_categories import TokenCategories

FORMAT = "attention store 6"

# Type and axes of every array that a store can have. Types of 4 bytes come first, so that every tensor is aligned.
ARRAYS: dict[str, tuple[np.dtype, str]] = {
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

# How many of the arrays written last stay in the page cache. Arrays too small to drop all stay.
_ARRAYS_IN_PAGE_CACHE = 24
_SMALLEST_DROPPED = 1 << 16  # bytes

# The bits of float16 numbers: of those from 0 to 1, and of finite ones from 0, none is above these.
_HALF_ONE, _LARGEST_HALF, _MINUS_ZERO = 0x3C00, 0x7BFF, 0x8000

_LACKING_REMEDY = (
    "read the store of running text that holds all arrays: segments_pair, or segments_zeros of a model that tells no "
    "segments apart"
)

_SAFETENSORS_NAMES = {"int64": "I64", "uint32": "U32", "int32": "I32", "float16": "F16", "float32": "F32"}


@dataclass(frozen=True)
class ShardMetadata:
    """Metadata of a shard, which holds sequences ``first`` up to, not including, ``last`` of a corpus.

    Attributes
    ----------
    block_sizes
        How many sequences each block of the corpus has (:mod:`bert_attention.statistics.sums`).
    masked_share, seed
        Share of the tokens that are masked, and the seed of their choice; None if none are.
    word_rule
        How attention from a word is made of that from its wordpieces (:mod:`.words`); None for wordpieces.
    """

    model: str
    weights_sha256: str
    tokenizer_sha256: str
    corpus_sha256: str
    segment_ids: str
    masked_share: float
    seed: int | None
    word_rule: str | None
    arrays: tuple[str, ...]
    block_sizes: tuple[int, ...]
    first: int
    last: int
    layers: int
    heads: int
    categories: TokenCategories
    torch: str
    transformers: str

    @classmethod
    def parsed(cls, text: str) -> ShardMetadata:
        """Metadata from the JSON of their fields; any of ValueError, TypeError, KeyError if it is something else."""
        values = json.loads(text)
        categories = values.pop("categories")
        categories["punctuation"] = tuple(categories["punctuation"])
        values |= {name: tuple(values[name]) for name in ("arrays", "block_sizes")}
        return cls(**values, categories=TokenCategories(**categories))

    @property
    def blocks(self) -> list[range]:
        """The sequences of each block of the corpus."""
        return blocks_of_sizes(self.block_sizes)

    @property
    def sequences(self) -> int:
        """The number of sequences of the corpus."""
        return sum(self.block_sizes)

    def differences(self, expected: Mapping[str, object]) -> list[str]:
        """The names of the expected fields that are others here."""
        return [name for name, value in expected.items() if getattr(self, name) != value]


def _shape(name: str, n: int | np.ndarray, metadata: ShardMetadata) -> tuple:
    """Shape of an array of a sequence of ``n`` tokens."""
    sizes = {"l": metadata.layers, "h": metadata.heads, "m": len(MIXING_METHODS), "n": n}
    return tuple(sizes[axis] for axis in ARRAYS[name][1])


def _starts(lengths: np.ndarray, metadata: ShardMetadata) -> dict[str, np.ndarray]:
    """Where each sequence begins in the tensor of each kind of array, and where the last ends, ``[sequence + 1]``."""
    return {name: np.append(0, np.cumsum(prod(_shape(name, lengths, metadata)))) for name in metadata.arrays}


class ShardWriter:
    """Writes the arrays of a shard one by one, in any order: memory holds one of them, not the shard."""

    def __init__(self, path: Path | str, descriptor: int, lengths: Sequence[int], metadata: ShardMetadata):
        self.metadata = metadata
        self._path = path
        self._descriptor = descriptor
        self._lengths = np.array(lengths, dtype=np.int64)
        self._starts = _starts(self._lengths, metadata)
        self._written = {name: np.zeros(len(lengths), dtype=bool) for name in self._starts}
        self._cached: deque[tuple[int, int]] = deque()
        sizes = {"lengths": (self._lengths.dtype, len(lengths))}
        sizes |= {name: (ARRAYS[name][0], int(starts[-1])) for name, starts in self._starts.items()}
        tensors: dict[str, dict[str, Any]] = {}
        end = 0
        for name, (dtype, size) in sorted(sizes.items(), key=lambda item: -item[1][0].itemsize):
            start, end = end, end + dtype.itemsize * size
            tensors[name] = {"dtype": _SAFETENSORS_NAMES[dtype.name], "shape": [size], "data_offsets": [start, end]}
        described = {"format": FORMAT, "shard": json.dumps(asdict(metadata))}
        header = json.dumps({"__metadata__": described, **tensors}).encode()
        header += b" " * (-len(header) % 8)
        self._offsets = {name: 8 + len(header) + tensor["data_offsets"][0] for name, tensor in tensors.items()}
        if hasattr(os, "posix_fallocate"):  # a full disk is noticed here, not hours later
            os.posix_fallocate(descriptor, 0, 8 + len(header) + end)
        self._write(len(header).to_bytes(8, "little") + header, 0)

    def write(self, name: str, index: int, array: np.ndarray) -> None:
        """Write one array of a sequence, once.

        Raises
        ------
        ValueError
            If its type or shape is another than the store's.
        KeyError
            If the shard does not have that array or sequence, or has it already.
        InputError
            If it has numbers that are not finite, or attention that is not between 0 and 1.
        """
        place = index - self.metadata.first
        if name not in self._written or not 0 <= place < len(self._lengths) or self._written[name][place]:
            raise KeyError(f"{name} of sequence {index}: none such is to be written")
        dtype, shape = ARRAYS[name][0], _shape(name, int(self._lengths[place]), self.metadata)
        if (array.dtype, array.shape) != (dtype, shape):
            raise ValueError(f"{name} of sequence {index}: {array.dtype} {array.shape} instead of {dtype} {shape}")
        array, problem = _plausible(name, np.ascontiguousarray(array))
        if problem:
            remedy = f"the encoder {self.metadata.model} has computed it: check its weights, and the device"
            raise InputError(self._path, f"{name} of sequence {index} {problem}", remedy)
        self._written[name][place] = True
        offset = self._offsets[name] + dtype.itemsize * int(self._starts[name][place])
        self._write(_bytes(array), offset)
        self._leave_page_cache(offset, array.nbytes)

    def finish(self) -> None:
        """Write the lengths.

        Raises
        ------
        RuntimeError
            If an array was not written.
        """
        for name, written in self._written.items():
            if not written.all():
                raise RuntimeError(f"{name} of sequence {self.metadata.first + written.argmin()} was not written")
        self._write(_bytes(self._lengths), self._offsets["lengths"])

    def _leave_page_cache(self, offset: int, size: int) -> None:
        """Start writing a range to disk now, and drop it from the page cache a little later.

        A store is far larger than what is read from it next. Left alone, its pages would fill the machine's memory and
        push out everybody else's. Allocating fresh pages also costs more than all the rest of writing.
        """
        if not hasattr(os, "posix_fadvise") or size < _SMALLEST_DROPPED:
            return
        self._cached.append((offset, size))
        os.posix_fadvise(self._descriptor, offset, size, os.POSIX_FADV_DONTNEED)  # starts writing to disk
        if len(self._cached) > _ARRAYS_IN_PAGE_CACHE:
            os.posix_fadvise(self._descriptor, *self._cached.popleft(), os.POSIX_FADV_DONTNEED)  # drops

    def _write(self, content: bytes | memoryview, offset: int) -> None:
        while content:
            written = os.pwrite(self._descriptor, content, offset)
            content, offset = content[written:], offset + written


@contextmanager
def shard_writer(path: Path | str, lengths: Sequence[int], metadata: ShardMetadata) -> Iterator[ShardWriter]:
    """Open a shard for writing; it gets its name when the block has written all of it, and is removed otherwise."""
    with replacing(path) as partial, open(partial, "wb") as file:
        writer = ShardWriter(path, file.fileno(), lengths, metadata)
        yield writer
        writer.finish()


def _bytes(array: np.ndarray) -> bytes | memoryview:
    return array.data.cast("B") if array.size else b""


def _plausible(name: str, array: np.ndarray) -> tuple[np.ndarray, str | None]:
    """An array that was computed, -0 in float16 replaced by 0; and what is wrong with it, or None."""
    if array.dtype == np.float32:
        return array, None if np.isfinite(array).all() else "has numbers that are not finite"
    if array.dtype == np.float16:  # whole numbers are compared, which takes a fifth of the time
        bits, largest = array.view(np.uint16), _HALF_ONE if name == "attention" else _LARGEST_HALF
        if bits.max(initial=0) > largest:
            bits = np.where(bits == _MINUS_ZERO, np.uint16(0), bits)
        if bits.max(initial=0) > largest:
            return array, f"has numbers that are not {'between 0 and 1' if name == 'attention' else 'finite'}"
        return bits.view(np.float16), None
    return array, None


def _widened(halves: np.ndarray) -> np.ndarray:
    """As float32, exactly; of finite numbers from 0 on, which is all that is written. numpy takes ten times as long."""
    bits = halves.view(np.uint16).astype(np.uint32)
    bits <<= 13  # fraction and exponent are now in the places of a float32's, whose exponents count from 112 lower
    floats = bits.view(np.float32)
    floats *= np.float32(2.0**112)
    return floats


class _Shard:
    """An open shard."""

    def __init__(self, path: Path | str):
        self.path = path
        try:
            self._file = safe_open(path, framework="numpy")
        except (SafetensorError, OSError) as error:
            if Path(path).is_file() and not os.access(path, os.R_OK):  # which safetensors calls a missing file
                raise InputError(path, "may not be read", "get the permission, by chmod or from its owner") from None
            raise InputError(path, f"is not a whole safetensors file ({error})", _remove(path)) from None
        described = self._file.metadata() or {}
        if described.get("format") != FORMAT:
            raise InputError(path, f"is not a shard of an {FORMAT!r}", _remove(path))
        try:
            self._lengths = self._file.get_tensor("lengths")
            self.metadata = ShardMetadata.parsed(described["shard"])
            self._starts = _starts(self._lengths, self.metadata)
        except (SafetensorError, ValueError, TypeError, KeyError, RecursionError) as error:
            raise InputError(path, f"its metadata are damaged: {error}", _remove(path)) from None

    def read(self, name: str, index: int) -> np.ndarray:
        """One array of a sequence; those of float16 as float32.

        Raises
        ------
        InputError
            If the shard does not have all of it.
        """
        _check_has(name, self.metadata)
        place = index - self.metadata.first
        start, end = map(int, self._starts[name][place : place + 2])
        try:
            array = self._file.get_slice(name)[start:end]
            array = array.reshape(_shape(name, int(self._lengths[place]), self.metadata))
        except (SafetensorError, ValueError, IndexError):  # the header is damaged
            raise InputError(self.path, f"{name} of sequence {index} is damaged", _remove(self.path)) from None
        return _widened(array) if array.dtype == np.float16 else array


class ShardInMemory:
    """A whole corpus as one shard that is written nowhere: numbers are those that would be read back from a file."""

    def __init__(self, metadata: ShardMetadata):
        self.metadata = metadata
        self._arrays: dict[tuple[str, int], np.ndarray] = {}

    def write(self, name: str, index: int, array: np.ndarray) -> None:
        """Keep one array of a sequence.

        Raises
        ------
        InputError
            As :meth:`ShardWriter.write`.
        """
        array, problem = _plausible(name, np.array(array))  # a copy: who computes uses its memory again
        if problem:
            remedy = "check the weights of the model, and the device"
            raise InputError(f"model {self.metadata.model}", f"{name} of sequence {index} {problem}", remedy)
        self._arrays[name, index] = array

    def read(self, name: str, index: int) -> np.ndarray:
        """One array of a sequence; those of float16 as float32; raises InputError if there is none of that name."""
        _check_has(name, self.metadata)
        array = self._arrays[name, index]
        return _widened(array) if array.dtype == np.float16 else array

    def __len__(self) -> int:
        return self.metadata.sequences

    def __iter__(self) -> Iterator[StoredSequence]:
        return (StoredSequence(index, self) for index in range(len(self)))


def _check_has(name: str, metadata: ShardMetadata) -> None:
    """Raise InputError if a store does not hold an array."""
    if name not in metadata.arrays:
        problem = f"has no {name}; it holds {', '.join(sorted(metadata.arrays))}"
        raise InputError("attention store", problem, _LACKING_REMEDY)


def _stored(name: str, axes_and_type: str) -> property:
    return property(lambda sequence: sequence._shard.read(name, sequence.index), doc=axes_and_type)


class StoredSequence:
    """One sequence of a store; each array is read from disk on access."""

    def __init__(self, index: int, shard: _Shard | ShardInMemory):
        self.index = index
        self._shard = shard

    token_ids = _stored("token_ids", "``[n]`` int32.")
    segment_ids = _stored("segment_ids", "``[n]`` int32.")
    word_ids = _stored("word_ids", "``[n]`` int32, -1 for special tokens.")
    attention = _stored("attention", "``[layer, head, query, key]`` float32.")
    value_norms = _stored("value_norms", "``[layer, head, key]`` float32.")
    input_norms = _stored("input_norms", "``[layer, n]`` float32.")
    mixing = _stored("mixing", "``[method, layer, n]`` float32.")
    projections = _stored("projections", "``[layer, head, key]`` float32.")
    summed_norms = _stored("summed_norms", "``[layer, query, key]`` float32.")

    @property
    def categories(self) -> dict[str, np.ndarray]:
        """A mask ``[n]`` for each token category: cls, sep, punctuation, other."""
        return self._shard.metadata.categories.masks(self.token_ids)


class AttentionStore:
    """The sequences of a store, or of one shard of it, in corpus order; iterating has one in memory at a time."""

    def __init__(self, paths: Iterable[Path | str], shard: tuple[int, int] = (1, 1)):
        """Open the shards and check that they are whole and belong together.

        Parameters
        ----------
        shard
            Which part of the corpus they have to cover: that of which shard (from 1) of how many. All of it by default.

        Raises
        ------
        InputError
            If a shard is missing, damaged or of another store, or if the shards do not cover their part of the corpus.
        """
        shards = sorted(map(_Shard, paths), key=lambda shard: (shard.metadata.first, shard.metadata.last))
        if not shards:
            raise InputError("attention store", "has no shards", "extract the attention first")
        self.paths = [shard.path for shard in shards]
        self.metadata = shards[0].metadata
        self._shards = shards
        self._part = units_of_shard(self.metadata.blocks, *shard)
        same = {name: value for name, value in vars(self.metadata).items() if name not in ("first", "last")}
        expected = self._part.start
        for one in shards:
            if others := one.metadata.differences(same):
                problem = (
                    f"belongs to another store than {shards[0].path}: it differs in {', '.join(map(_spoken, others))}"
                )
                raise InputError(one.path, problem, _remove_store(one.path))
            if one.metadata.first != expected:
                problem = f"begins with sequence {one.metadata.first}, not {expected}"
                raise InputError(one.path, problem, _remove_store(one.path))
            expected = one.metadata.last
        if expected != self._part.stop:
            problem = f"ends before sequence {expected}, not {self._part.stop}: it is another shard, or one is missing"
            raise InputError(self.paths[-1], problem, _remove_store(self.paths[-1]))

    def __len__(self) -> int:
        return len(self._part)

    def __iter__(self) -> Iterator[StoredSequence]:
        for shard in self._shards:
            for index in range(shard.metadata.first, shard.metadata.last):
                yield StoredSequence(index, shard)


def _spoken(name: str) -> str:
    """A field of the metadata in words."""
    return name.removesuffix("_sha256").replace("_", " ")


def _remove(shard: Path | str) -> str:
    """What to do with a damaged shard. Without it, whatever reads it makes Snakemake run its extraction again."""
    return f"rm {shlex.quote(str(shard))} and run again: Snakemake will make it anew"


def _remove_store(shard: Path | str) -> str:
    folder = shlex.quote(str(Path(shard).parent))
    return f"rm {folder}/*.safetensors and run again: Snakemake will make them anew"
