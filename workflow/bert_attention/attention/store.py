"""The attention store: results of one forward pass over a corpus, in safetensors shards that are read lazily.

A shard holds, for each sequence of its part of the corpus, some of these arrays (``ARRAYS``):

===============  =======  ============================  ===================================================
``token_ids``    int32    ``[n]``
``segment_ids``  int32    ``[n]``
``word_ids``     int32    ``[n]``                       word of each wordpiece, -1 for special tokens
``value_norms``  float32  ``[layer, head, key]``        ``||f_h(x_j)||`` (Kobayashi et al. 2020)
``input_norms``  float32  ``[layer, n]``                ``||x_j||`` of the layer's input
``mixing``       float32  ``[method, layer, n]``        share of other tokens (:mod:`.norms`)
``projections``  float32  ``[layer, head, key]``        ``sum_i <alpha f, y_i> / ||y_i||``
``summed_norms`` float16  ``[layer, query, key]``       ``||sum_h alpha f||``
``attention``    float16  ``[layer, head, query, key]`` post-softmax
===============  =======  ============================  ===================================================

Stores differ in their arrays (:mod:`.contents`):

- Kobayashi et al.'s analyses read a store of running text with all arrays, one entry for each wordpiece. Its name is
  ``segments_pair``, or ``segments_zeros`` for a model with one segment type.
- Other stores of wordpieces (``segments_zeros`` of other models, ``tasks/...``) have ids and attention, without norms.
- ``masked_segments`` has token ids and mixing ratios.
- Stores of trees and of coreference have attention between words, and the index of each word (``word_ids``). Special
  tokens count as words.
- A store of random weights, ``random_<number>/<store>``, has the arrays of ``<store>``.

Each kind of array is one flat tensor with all sequences one after another, without padding. The offsets follow from the
tensor ``lengths``, ``[sequence]``. :class:`ShardMetadata` describes how a shard was made.
"""

from __future__ import annotations

import json
import os
import shlex
import weakref
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
from bert_attention.tokenization.vocabulary import Vocabulary

FORMAT = "attention store 7"

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
# Arrays of stores of wordpieces (all arrays, attention without norms, or mixing ratios) and of stores of words.
WORDPIECE_ARRAYS = tuple(ARRAYS)
ATTENTION_ARRAYS = ("token_ids", "segment_ids", "word_ids", "attention")
MIXING_ARRAYS = ("token_ids", "mixing")
WORD_ARRAYS = ("word_ids", "attention")

# Number of recently written arrays that stay in the page cache, and the size from which older arrays are dropped.
_ARRAYS_IN_PAGE_CACHE = 24
_SMALLEST_DROPPED = 1 << 16  # bytes

# Bits of the float16 numbers 1, the largest finite number, and -0. From 0 on, bits are ordered as the numbers are.
_HALF_ONE, _LARGEST_HALF, _MINUS_ZERO = 0x3C00, 0x7BFF, 0x8000

_MISSING_ARRAY_REMEDY = (
    "read the store of running text with all arrays: segments_pair, or segments_zeros for a model with one segment type"
)

_SAFETENSORS_NAMES = {"int64": "I64", "uint32": "U32", "int32": "I32", "float16": "F16", "float32": "F32"}


@dataclass(frozen=True)
class ShardMetadata:
    """Metadata of a shard, which holds sequences ``first`` up to, not including, ``last`` of a corpus."""

    model: str
    weights_sha256: str
    tokenizer_sha256: str
    corpus_sha256: str
    segment_ids: str
    masked_share: float  # share of masked tokens
    seed: int | None  # seed of the choice of masked tokens, None if no token is masked
    word_rule: str | None  # combines attention from a word's wordpieces (:mod:`.words`); None for wordpieces
    arrays: tuple[str, ...]
    block_sizes: tuple[int, ...]  # sequences in each block of the corpus (:mod:`bert_attention.statistics.sums`)
    first: int
    last: int
    layers: int
    heads: int
    categories: TokenCategories
    torch: str
    transformers: str
    vocabulary: Vocabulary | None = None  # None for words
    weights_seed: int | None = None  # seed of random weights, drawn in the place of those of the file; None for its own

    @classmethod
    def parsed(cls, text: str) -> ShardMetadata:
        """Parse metadata from JSON; raise ValueError, TypeError or KeyError if the text is something else."""
        values = json.loads(text)
        categories = values.pop("categories")
        categories["punctuation"] = tuple(categories["punctuation"])
        values |= {name: tuple(values[name]) for name in ("arrays", "block_sizes")}
        vocabulary = values.pop("vocabulary")
        return cls(
            **values,
            categories=TokenCategories(**categories),
            vocabulary=None if vocabulary is None else Vocabulary.parsed(vocabulary),
        )

    @property
    def blocks(self) -> list[range]:
        """The sequences of each block of the corpus."""
        return blocks_of_sizes(self.block_sizes)

    def differences(self, expected: Mapping[str, object]) -> list[str]:
        """Return the names of the fields that differ from the expected values."""
        return [name for name, value in expected.items() if getattr(self, name) != value]


def stored_bytes(n: int, metadata: ShardMetadata) -> int:
    """Return the size of all arrays of a sequence of ``n`` tokens."""
    return sum(ARRAYS[name][0].itemsize * prod(_shape(name, n, metadata)) for name in metadata.arrays)


def _shape(name: str, n: int | np.ndarray, metadata: ShardMetadata) -> tuple:
    """Return the shape of an array of a sequence of ``n`` tokens."""
    sizes = {"l": metadata.layers, "h": metadata.heads, "m": len(MIXING_METHODS), "n": n}
    return tuple(sizes[axis] for axis in ARRAYS[name][1])


def _starts(lengths: np.ndarray, metadata: ShardMetadata) -> dict[str, np.ndarray]:
    """Return the offsets of sequences in the tensor of each kind of array, and the last end, ``[sequence + 1]``."""
    return {name: np.append(0, np.cumsum(prod(_shape(name, lengths, metadata)))) for name in metadata.arrays}


class ShardWriter:
    """Writer of a shard's arrays, one by one in any order, so that memory holds one array and not the shard."""

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
        if hasattr(os, "posix_fallocate"):  # reports a full disk now, not hours later
            os.posix_fallocate(descriptor, 0, 8 + len(header) + end)
        self._write(len(header).to_bytes(8, "little") + header, 0)

    def write(self, name: str, index: int, array: np.ndarray) -> None:
        """Write one array of a sequence, once.

        Raise ValueError if the array's type or shape is not the store's. Raise KeyError if the shard has no such array
        or sequence, or the array was written before. Raise InputError if a number is not finite, or attention is not
        between 0 and 1.
        """
        row = index - self.metadata.first
        if name not in self._written or not 0 <= row < len(self._lengths) or self._written[name][row]:
            raise KeyError(f"{name} of sequence {index}: the shard has no such array left to write")
        dtype, shape = ARRAYS[name][0], _shape(name, int(self._lengths[row]), self.metadata)
        if (array.dtype, array.shape) != (dtype, shape):
            raise ValueError(f"{name} of sequence {index}: {array.dtype} {array.shape} instead of {dtype} {shape}")
        array, problem = _checked(name, np.ascontiguousarray(array))
        if problem:
            remedy = f"check the weights of the encoder {self.metadata.model} and the device that it ran on"
            raise InputError(self._path, f"{name} of sequence {index} {problem}", remedy)
        self._written[name][row] = True
        offset = self._offsets[name] + dtype.itemsize * int(self._starts[name][row])
        self._write(_bytes(array), offset)
        self._leave_page_cache(offset, array.nbytes)

    def finish(self) -> None:
        """Write the lengths; raise RuntimeError if an array was not written."""
        for name, written in self._written.items():
            if not written.all():
                raise RuntimeError(f"{name} of sequence {self.metadata.first + written.argmin()} was not written")
        self._write(_bytes(self._lengths), self._offsets["lengths"])

    def _leave_page_cache(self, offset: int, size: int) -> None:
        """Start writing a range to disk now, and drop the range from the page cache a little later.

        A store is far larger than the part that is read next. Its pages would fill the machine's memory and push out
        the pages of other processes. Allocating new pages also takes more time than the rest of writing.
        """
        if not hasattr(os, "posix_fadvise") or size < _SMALLEST_DROPPED:
            return
        self._cached.append((offset, size))
        os.posix_fadvise(self._descriptor, offset, size, os.POSIX_FADV_DONTNEED)  # starts writing the range to disk
        if len(self._cached) > _ARRAYS_IN_PAGE_CACHE:
            os.posix_fadvise(self._descriptor, *self._cached.popleft(), os.POSIX_FADV_DONTNEED)  # drops the range

    def _write(self, content: bytes | memoryview, offset: int) -> None:
        while content:
            written = os.pwrite(self._descriptor, content, offset)
            content, offset = content[written:], offset + written


@contextmanager
def shard_writer(path: Path | str, lengths: Sequence[int], metadata: ShardMetadata) -> Iterator[ShardWriter]:
    """Open a shard for writing. The shard is removed if the block does not write all arrays."""
    with replacing(path) as partial, open(partial, "wb") as file:
        writer = ShardWriter(path, file.fileno(), lengths, metadata)
        yield writer
        writer.finish()


def _bytes(array: np.ndarray) -> bytes | memoryview:
    return array.data.cast("B") if array.size else b""


def _checked(name: str, array: np.ndarray) -> tuple[np.ndarray, str | None]:
    """Return a computed array, with -0 in float16 replaced by 0, and a description of its problem or None."""
    if array.dtype == np.float32:
        return array, None if np.isfinite(array).all() else "has numbers that are not finite"
    if array.dtype == np.float16:  # comparing the bits takes a fifth of the time
        bits, largest = array.view(np.uint16), _HALF_ONE if name == "attention" else _LARGEST_HALF
        if bits.max(initial=0) > largest:
            bits = np.where(bits == _MINUS_ZERO, np.uint16(0), bits)
        if bits.max(initial=0) > largest:
            return array, f"has numbers that are not {'between 0 and 1' if name == 'attention' else 'finite'}"
        return bits.view(np.float16), None
    return array, None


def _widened(halves: np.ndarray) -> np.ndarray:
    """Convert finite float16 numbers from 0 on to float32, exactly and in a tenth of numpy's time."""
    bits = halves.view(np.uint16).astype(np.uint32)
    bits <<= 13  # moves fraction and exponent to their bits in a float32, whose exponent bias is larger by 112
    floats = bits.view(np.float32)
    floats *= np.float32(2.0**112)
    return floats


def _check_whole(metadata: ShardMetadata, lengths: np.ndarray) -> None:
    """Raise ValueError or TypeError if a number of layers, heads, sequences or tokens is not whole, or is negative."""
    numbers = (metadata.layers, metadata.heads, metadata.first, metadata.last, *metadata.block_sizes)
    wrong = [number for number in (*numbers, *lengths.tolist()) if type(number) is not int or number < 0]
    if wrong:
        raise ValueError(f"{wrong[0]!r} is not a number of layers, heads, sequences or tokens")


class _Shard:
    """An open shard.

    Numbers are read from the file, not through safetensors, which maps the whole file into memory. The pages of a
    mapped file count as memory of the job, so that a job would seem to need as much memory as its stores take on disk.
    """

    def __init__(self, path: Path | str):
        self.path = path
        try:
            self._descriptor = os.open(path, os.O_RDONLY)
            weakref.finalize(self, os.close, self._descriptor)
            file = safe_open(path, framework="numpy")
        except (SafetensorError, OSError) as error:
            if Path(path).is_file() and not os.access(path, os.R_OK):  # safetensors would call it missing
                raise InputError(path, "is not readable", "change its permissions or ask its owner") from None
            raise InputError(path, f"is not a complete safetensors file ({error})", _remove(path)) from None
        described = file.metadata() or {}
        if described.get("format") != FORMAT:
            raise InputError(path, f"is not an attention shard of the current format ({FORMAT!r})", _remove(path))
        try:
            self._lengths = file.get_tensor("lengths")
            self.metadata = ShardMetadata.parsed(described["shard"])
            self._starts = _starts(self._lengths, self.metadata)
            _check_whole(self.metadata, self._lengths)
            self._offsets = _tensor_offsets(self._descriptor, file, self._starts)
        except (
            SafetensorError,
            ValueError,
            TypeError,
            KeyError,
            AttributeError,
            OverflowError,
            RecursionError,
        ) as error:
            raise InputError(path, f"its metadata are damaged: {error}", _remove(path)) from None

    def read(self, name: str, index: int) -> np.ndarray:
        """Return one array of a sequence, float16 as float32; raise InputError if the array is missing or damaged."""
        _check_has(name, self.metadata)
        row, dtype = index - self.metadata.first, ARRAYS[name][0]
        array = np.empty(_shape(name, int(self._lengths[row]), self.metadata), dtype)
        if not self._fill(array, self._offsets[name] + dtype.itemsize * int(self._starts[name][row])):
            raise InputError(self.path, f"ends before {name} of sequence {index}", _remove(self.path))
        if array.dtype == np.float16:
            if array.view(np.uint16).max(initial=0) > _LARGEST_HALF:
                problem = f"{name} of sequence {index} has numbers that are negative or not finite"
                raise InputError(self.path, problem, _remove(self.path))
            return _widened(array)
        return array

    def _fill(self, array: np.ndarray, offset: int) -> bool:
        """Fill an array from an offset of the file; return False if the file has become too short."""
        content = memoryview(_bytes(array))
        while content:
            read = os.preadv(self._descriptor, [content], offset)
            if not read:
                return False
            content, offset = content[read:], offset + read
        return True


def _tensor_offsets(descriptor: int, file: safe_open, starts: Mapping[str, np.ndarray]) -> dict[str, int]:
    """Return the offset of each array's tensor in the file; raise ValueError if a tensor has another type or size.

    Safetensors has checked that the tensors follow one another without gaps, up to the end of the file.
    """
    offset = 8 + int.from_bytes(os.pread(descriptor, 8, 0), "little")  # after the header
    sizes = {code: np.dtype(name).itemsize for name, code in _SAFETENSORS_NAMES.items()}
    expected = {name: (_SAFETENSORS_NAMES[ARRAYS[name][0].name], [int(each[-1])]) for name, each in starts.items()}
    offsets = {}
    for name in file.offset_keys():
        tensor = file.get_slice(name)
        code, shape = tensor.get_dtype(), tensor.get_shape()
        if (code, shape) == expected.get(name):
            offsets[name] = offset
        offset += sizes[code] * prod(shape)
    if missing := [name for name in expected if name not in offsets]:
        code, (size,) = expected[missing[0]]
        raise ValueError(f"no tensor {missing[0]} has {size} numbers of type {code}")
    return offsets


class ShardInMemory:
    """A shard in memory, with the numbers that would be read back from a file."""

    def __init__(self, metadata: ShardMetadata):
        self.metadata = metadata
        self._arrays: dict[tuple[str, int], np.ndarray] = {}

    def write(self, name: str, index: int, array: np.ndarray) -> None:
        """Store one array of a sequence.

        Raise InputError if a number is not finite, or attention is not between 0 and 1.
        """
        array, problem = _checked(name, np.array(array))  # a copy, because the caller reuses its buffer
        if problem:
            remedy = "check the weights of the model and the device that it ran on"
            raise InputError(f"model {self.metadata.model}", f"{name} of sequence {index} {problem}", remedy)
        self._arrays[name, index] = array

    def read(self, name: str, index: int) -> np.ndarray:
        """Return one array of a sequence, float16 as float32; raise InputError if the store lacks the array."""
        _check_has(name, self.metadata)
        array = self._arrays[name, index]
        return _widened(array) if array.dtype == np.float16 else array

    @property
    def blocks(self) -> list[range]:
        """The sequences of each block of the corpus, or of a sample of it."""
        return self.metadata.blocks

    def __len__(self) -> int:
        return self.metadata.last - self.metadata.first

    def __iter__(self) -> Iterator[StoredSequence]:
        return (StoredSequence(index, self) for index in range(self.metadata.first, self.metadata.last))


def _check_has(name: str, metadata: ShardMetadata) -> None:
    """Raise InputError if a store does not hold an array."""
    if name not in metadata.arrays:
        problem = f"has no {name}; it holds {', '.join(sorted(metadata.arrays))}"
        raise InputError("attention store", problem, _MISSING_ARRAY_REMEDY)


def _stored(name: str, axes_and_type: str) -> property:
    return property(lambda sequence: sequence._shard.read(name, sequence.index), doc=axes_and_type)


class StoredSequence:
    """A sequence of a store; each array is read on access."""

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
        """Mask ``[n]`` of each token category: cls, sep, punctuation, other."""
        return self._shard.metadata.categories.masks(self.token_ids)

    @property
    def tokens(self) -> list[str]:
        """Tokens ``[n]`` as the vocabulary has them: [CLS], play, ##ing; Ġthe."""
        return self._vocabulary.tokens_of(self.token_ids)

    @property
    def words_of_tokens(self) -> list[str]:
        """Word of each token ``[n]``, without the tokenizer's marks; a special token is its own word."""
        return self._vocabulary.words_of(self.token_ids, self.word_ids)

    @property
    def _vocabulary(self) -> Vocabulary:
        vocabulary = self._shard.metadata.vocabulary
        if vocabulary is None:
            problem = "has attention between words, and not their texts"
            remedy = "read the words of the unit beside it: sentence.forms, document.forms"
            raise InputError("attention store", problem, remedy)
        return vocabulary


class AttentionStore:
    """The sequences of a store, or of one of its shards, in corpus order; iteration reads one sequence at a time."""

    def __init__(self, paths: Iterable[Path | str], shard: tuple[int, int] = (1, 1)):
        """Open the shards and check that they are complete and belong together.

        ``shard`` is the part of the corpus that the shards must cover: the number of the shard (from 1), and the number
        of shards. Raise InputError if a shard is missing, damaged or from another store, or if the part is not covered.
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
        for read in shards:
            if differing := read.metadata.differences(same):
                names = ", ".join(map(_in_words, differing))
                problem = f"belongs to another store than {shards[0].path}: they differ in {names}"
                raise InputError(read.path, problem, _remove_store(read.path))
            if read.metadata.first != expected:
                problem = f"begins with sequence {read.metadata.first}, not {expected}: one shard is missing or wrong"
                raise InputError(read.path, problem, _remove_store(read.path))
            expected = read.metadata.last
        if expected != self._part.stop:
            problem = f"ends before sequence {expected}, not {self._part.stop}: one shard is missing or wrong"
            raise InputError(self.paths[-1], problem, _remove_store(self.paths[-1]))

    @property
    def blocks(self) -> list[range]:
        """The sequences of each block of the corpus, or of a sample of it."""
        return self.metadata.blocks

    def __len__(self) -> int:
        return len(self._part)

    def __iter__(self) -> Iterator[StoredSequence]:
        for shard in self._shards:
            for index in range(shard.metadata.first, shard.metadata.last):
                yield StoredSequence(index, shard)


def _in_words(name: str) -> str:
    """Return the name of a metadata field in words."""
    return name.removesuffix("_sha256").replace("_", " ")


def _remove(shard: Path | str) -> str:
    """Return the remedy for a damaged shard: Snakemake extracts a deleted shard again."""
    return f"rm {shlex.quote(str(shard))} and run again: Snakemake will extract it again"


def _remove_store(shard: Path | str) -> str:
    folder = shlex.quote(str(Path(shard).parent))
    return f"rm {folder}/*.safetensors and run again: Snakemake will extract them again"
