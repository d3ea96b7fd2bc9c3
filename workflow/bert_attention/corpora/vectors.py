"""Read GloVe and word2vec files, train word vectors on running text with gensim, and look words up."""

from __future__ import annotations

import codecs
import gzip
import re
import zlib
from array import array
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import BinaryIO

import numpy as np
from gensim.models import KeyedVectors, Word2Vec

from bert_attention.errors import InputError
from bert_attention.files import LONGEST_LINE, replacing

_REMEDY = "give a file in GloVe's text format or word2vec's text or binary format; names of gzipped files end in .gz"
_DUPLICATE_REMEDY = "keep one vector for each word"
_GZIP = b"\x1f\x8b"
_HEADER = re.compile(rb"(\d+)\s(\d+)\s*")
_CONTROLS = re.compile(rb"[\x00-\x08\x0e-\x1f]")
_UNWRITABLE = re.compile(r"[\x00-\x1f]|^\ufeff")
_LONGEST_WORD = 1000  # bytes, including the space and the line end
_SAMPLE = 1 << 16  # bytes from which text or binary is detected
_LINES_FOR_SIZE = 100  # lines from which the number of dimensions is detected
_NUMBER = re.compile(r" [-+]?\d*\.?\d+(?:[eE][-+]?\d+)?$")  # a number at the end of a word belongs to the vector
_MIN_COUNT = 3  # rarer words get no vector

# Split words as treebanks do: n't and 's are separate words, numbers are whole, each punctuation mark is a word.
_WORD = re.compile(r"\d+(?:[.,]\d+)*|\w+?(?=n't\b)|n't\b|'(?:s|re|ve|ll|d|m)\b|\w+|[^\w\s]")


def load_vectors(path: Path | str) -> KeyedVectors:
    """Load word vectors from GloVe's text format or word2vec's text or binary format; the format is detected.

    A byte-order mark at the start of a text is skipped. A word may have several parts, as in GloVe 840B (". . .").

    Raises
    ------
    InputError
        If the file is in none of these formats, is truncated, contradicts its header, or holds a number that is not
        finite. Also if a word is empty, ends in a number, holds a control character or occurs twice. In a text format,
        also at a line with no numbers or a different number of numbers.
    """
    path = Path(path)
    try:
        vectors = _load(path)
    except InputError:
        raise
    except (ValueError, EOFError, OSError, OverflowError, MemoryError, zlib.error) as error:
        raise InputError(path, f"cannot be read as word vectors ({error})", _REMEDY) from None
    unwritable = next((word for word in vectors.index_to_key if not _is_writable(word)), None)
    if unwritable is not None:
        problem = f"has the word {unwritable!r}, which is empty, ends in a number or holds a control character"
        raise InputError(path, problem, "remove the word")
    finite = np.isfinite(vectors.vectors).all(axis=1)
    if not finite.all():
        word = vectors.index_to_key[int(np.argmin(finite))]
        raise InputError(
            path, f"the vector of {word!r} holds a number that is not finite", "correct or replace the file"
        )
    return vectors


def _load(path: Path) -> KeyedVectors:
    header, is_text = _detect_format(path)
    if is_text:
        return _load_text(path, header)
    _check_size(path, *header)
    vectors = KeyedVectors.load_word2vec_format(str(path), binary=True)
    if len(vectors.key_to_index) != header[0]:  # gensim keeps the first of equal words
        raise InputError(path, "has a word twice", _DUPLICATE_REMEDY)
    return vectors


def _detect_format(path: Path) -> tuple[tuple[int, int] | None, bool]:
    """Return the numbers of words and dimensions in the header (None without one), and True if the vectors are text."""
    with _open(path) as file:
        first = file.readline(_SAMPLE).removeprefix(codecs.BOM_UTF8)
        match = _HEADER.fullmatch(first)
        sample = file.read(_SAMPLE) if match else first
    is_text = _is_text(sample)
    if not sample or not (match or is_text):
        raise InputError(path, "holds no word vectors", _REMEDY)
    return (int(match[1]), int(match[2])) if match else None, is_text


def _open(path: Path) -> BinaryIO:
    with open(path, "rb") as file:
        is_gzip = file.read(2) == _GZIP
    if is_gzip != (path.suffix == ".gz"):
        problem = "is gzipped, but its name does not" if is_gzip else "is not gzipped, but its name does"
        raise InputError(path, f"{problem} end in .gz", _REMEDY)
    return gzip.open(path) if is_gzip else open(path, "rb")


def _is_text(sample: bytes) -> bool:
    try:
        codecs.getincrementaldecoder("utf-8")().decode(sample)  # incremental: the last character may be truncated
    except UnicodeDecodeError:
        return False
    return not _CONTROLS.search(sample)


def _check_size(path: Path, words: int, dimensions: int) -> None:
    """Raise InputError if a binary file's size contradicts its header, by which gensim allocates memory."""
    numbers = 4 * dimensions  # bytes of a vector
    least, most = words * (numbers + 1), words * (numbers + _LONGEST_WORD)
    size = 0
    with _open(path) as file:
        while size <= most and (part := file.read(1 << 20)):
            size += len(part)
    if not words or not dimensions or not least <= size <= most:
        problem = f"has {words} words of {dimensions} numbers according to its first line, which does not fit its size"
        raise InputError(path, problem, "give the complete file")


def _load_text(path: Path, header: tuple[int, int] | None) -> KeyedVectors:
    """Load a text format. gensim would fill a vector with a single number, and its errors name no line."""
    words, dimensions = header or (None, None)
    indices: dict[str, int] = {}
    numbers = array("f")
    for number, line in _lines(path, header):
        where = f"{path}, line {number}"
        dimensions = dimensions or _dimensions(path)
        # Split from the right: GloVe 840B has words of several parts, ". . ." and "at name@domain.com".
        word, *columns = line.decode("utf-8", "surrogateescape").rsplit(" ", dimensions)
        found = line.count(b" ") if _NUMBER.search(word) else len(columns)
        if found != dimensions or not found:
            problem = f"has {found} numbers after the word, not {dimensions or 'at least one'}"
            raise InputError(where, problem, _REMEDY)
        try:
            line.decode("utf-8")
            numbers.extend(map(float, columns))
        except ValueError as error:
            raise InputError(where, str(error), _REMEDY) from None
        if word in indices:
            raise InputError(path, f"has the word {word!r} a second time in line {number}", _DUPLICATE_REMEDY)
        indices[word] = len(indices)
    if header and len(indices) != words:
        problem = f"has {len(indices)} words, but its first line says {words}"
        raise InputError(path, problem, "give the complete file, or correct its first line")
    vectors = KeyedVectors(dimensions)
    vectors.index_to_key, vectors.key_to_index = list(indices), indices
    vectors.vectors = np.frombuffer(numbers, dtype=np.float32).reshape(-1, dimensions)
    return vectors


def _dimensions(path: Path) -> int:
    """Return the vector length in most of the first lines; a word of several parts makes its line look longer."""
    counts = Counter(line.count(b" ") for _, line in islice(_lines(path, None), _LINES_FOR_SIZE))
    return max(counts, key=lambda count: counts[count], default=0)  # the first of equally frequent counts


def _lines(path: Path, header: tuple[int, int] | None) -> Iterator[tuple[int, bytes]]:
    """Yield the lines of a text format that hold a word, without line ends, numbered from the file's first line."""
    with _open(path) as file:
        for number, line in enumerate(iter(lambda: file.readline(LONGEST_LINE), b""), start=1):
            if len(line) == LONGEST_LINE:
                raise InputError(f"{path}, line {number}", f"has more than {LONGEST_LINE / 1e6:.0f} MB", _REMEDY)
            if number > 1 or not header:
                yield number, line.removeprefix(codecs.BOM_UTF8).rstrip()


def _is_writable(word: str) -> bool:
    return bool(word.strip(" ")) and not _UNWRITABLE.search(word) and not _NUMBER.search(word)


def running_words(text: str) -> list[str]:
    """Return the words of a text in lower case, with punctuation marks, split much as in English treebanks."""
    return _WORD.findall(text.lower())


def train_vectors(sentences: Iterable[str], dimensions: int, seed: int) -> KeyedVectors:
    """Train word vectors on running text by word2vec's skip-gram with negative sampling, most frequent word first.

    The same text, sizes and seed lead to the same vectors on one machine, because training uses one thread and does not
    use Python's salted hash. Each word predicts the five words on each side.

    Raises
    ------
    InputError
        If no word occurs three times, the minimum for a vector.
    """
    words = [running_words(sentence) for sentence in sentences]
    model = Word2Vec(
        vector_size=dimensions,
        window=5,
        min_count=_MIN_COUNT,
        epochs=10,
        sg=1,
        seed=seed,
        workers=1,
        hashfxn=lambda word: zlib.crc32(word.encode("utf-8")),
    )
    model.build_vocab(words)
    if not model.wv.key_to_index:
        problem = f"no word occurs {_MIN_COUNT} times in its {len(words)} sentences"
        raise InputError("text for word vectors", problem, "give more text")
    model.train(words, total_examples=model.corpus_count, epochs=model.epochs)
    return model.wv


def save_glove(vectors: KeyedVectors, path: Path | str) -> None:
    """Write vectors in GloVe's text format, a word and its numbers to five decimals on a line, whole or not at all.

    Raises
    ------
    ValueError
        If a word is empty, ends in a number or holds a control character.
    """
    with replacing(path) as partial, open(partial, "w", encoding="utf-8", newline="\n") as file:
        for word, vector in zip(vectors.index_to_key, vectors.vectors, strict=True):
            if not _is_writable(word):
                raise ValueError(
                    f"the word {word!r} cannot be written: it is empty, ends in a number or holds a control character"
                )
            file.write(" ".join([word, *(f"{number:.5f}" for number in vector)]) + "\n")


def embedding_matrix(vectors: KeyedVectors, words: Sequence[str]) -> tuple[np.ndarray, np.ndarray]:
    """Return the vectors of words, looked up in lower case, and a mask of known words; unknown words get zeros.

    The probes of Clark et al. 2019 (section 5) also look words up in lower case. Their code gives unknown words the
    first row of its file of vectors. The code does not show the content of this row.

    Returns
    -------
    matrix : numpy.ndarray
        ``[words, dimensions]``, float32.
    known : numpy.ndarray
        ``[words]``, bool.
    """
    indices = np.array([vectors.key_to_index.get(word.lower(), -1) for word in words], dtype=int)
    known = indices >= 0
    matrix = np.zeros((len(words), vectors.vector_size), dtype=np.float32)
    matrix[known] = vectors.vectors[indices[known]]
    return matrix, known
