"""Read GloVe and word2vec files, train word vectors on running text with gensim, and look words up."""

from __future__ import annotations

import codecs
import re
import zlib
from array import array
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path

import numpy as np
from gensim.models import KeyedVectors, Word2Vec

from bert_attention.corpora.compressed import open_decompressed
from bert_attention.corpora.types import Sentence
from bert_attention.errors import InputError
from bert_attention.files import LONGEST_LINE, replacing

_REMEDY = "give a file in GloVe's text format, or in word2vec's text or binary format (if gzipped, with a name in .gz)"
_DUPLICATE_REMEDY = "keep one vector for each word"
_EXPORT = "write the vectors as text with gensim's save_word2vec_format"
# Other formats in which word vectors are shared, by a file's first bytes, each with the remedy.
_OTHER_FORMATS = {
    b"\xba\x16\x4f\x2f": (
        "a fastText model",
        "give the .vec file with the same vectors, which fastText offers beside it",
    ),
    b"\x80": ("a Python pickle, such as a model saved by gensim", _EXPORT),
    b"\x89HDF": ("an HDF5 file", _EXPORT),
    b"\x93NUMPY": ("a NumPy array without words", _EXPORT),
    codecs.BOM_UTF16_LE: ("text in UTF-16", "convert the file: iconv -f utf-16 -t utf-8 FILE > FILE.utf8"),
    codecs.BOM_UTF16_BE: ("text in UTF-16", "convert the file: iconv -f utf-16 -t utf-8 FILE > FILE.utf8"),
}
_FEWEST_KNOWN = 1 / 3  # least share of words with a vector; English's 50 most frequent words are a third of a text
_HEADER = re.compile(rb"([1-9]\d*)\s([1-9]\d*)\s*")
_CONTROLS = re.compile(rb"[\x00-\x08\x0e-\x1f]")
_UNWRITABLE = re.compile(r"[\x00-\x1f]|^\ufeff")
_SAMPLE = 1 << 16  # bytes from which text or binary is detected
_LINES_FOR_SIZE = 100  # lines from which the number of dimensions is detected
# A number at the end of a word belongs to the vector.
_NUMBER = re.compile(r" [-+]?(?:\d++(?:\.\d++)?|\.\d++)(?:[eE][-+]?\d++)?$")
_MIN_COUNT = 3  # rarer words get no vector

# Split words as treebanks do: n't and 's are separate words, numbers are whole, each punctuation mark is a word.
_WORD = re.compile(r"\d+(?:[.,]\d+)*|\w+?(?=n't\b)|n't\b|'(?:s|re|ve|ll|d|m)\b|\w+|[^\w\s]")


def load_vectors(path: Path | str) -> KeyedVectors:
    """Load word vectors from GloVe's text format or word2vec's text or binary format; the format is detected.

    A byte-order mark at the start of a text is skipped. A word may have several parts, as in GloVe 840B (". . .").
    Raise InputError if the file is in none of these formats, is truncated, contradicts its header, or holds a number
    that is not finite. Raise InputError as well if a word is empty, ends in a number, holds a control character or
    occurs twice, or if a line of a text has no numbers or a different number of numbers.
    """
    path = Path(path)
    try:
        vectors = _load(path)
    except InputError:
        raise
    except (ValueError, EOFError, OSError, OverflowError, MemoryError, ImportError, zlib.error) as error:
        reason = str(error) or type(error).__name__
        raise InputError(path, f"cannot be read as word vectors ({reason})", _REMEDY) from None
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


def check_vectors(path: Path | str) -> None:
    """Raise InputError if a file is in no format of word vectors; its beginning is read."""
    _detect_format(Path(path))


def _load(path: Path) -> KeyedVectors:
    header, is_text = _detect_format(path)
    if is_text:
        return _load_text(path, header)
    vectors = KeyedVectors.load_word2vec_format(str(path), binary=True)
    if len(vectors.key_to_index) != header[0]:  # gensim keeps the first of equal words
        raise InputError(path, "has a word twice", _DUPLICATE_REMEDY)
    return vectors


def _detect_format(path: Path) -> tuple[tuple[int, int] | None, bool]:
    """Return the numbers of words and dimensions in the header (None without one), and True if the vectors are text."""
    with open_decompressed(path) as file:
        first = file.readline(_SAMPLE).removeprefix(codecs.BOM_UTF8)
        match = _HEADER.fullmatch(first)
        sample = file.read(_SAMPLE) if match else first
    is_text = _is_text(sample)
    if not match:
        _check_other_formats(path, sample)
    if not sample or not (match or is_text):
        raise InputError(path, "holds no word vectors", _REMEDY)
    return (int(match[1]), int(match[2])) if match else None, is_text


def _check_other_formats(path: Path, sample: bytes) -> None:
    for first_bytes, (problem, remedy) in _OTHER_FORMATS.items():
        if sample.startswith(first_bytes):
            raise InputError(path, f"is {problem}, not a file of word vectors", f"{remedy}; {_REMEDY}")


def _is_text(sample: bytes) -> bool:
    try:
        codecs.getincrementaldecoder("utf-8")().decode(sample)  # incremental: the last character may be truncated
    except UnicodeDecodeError:
        return False
    return not _CONTROLS.search(sample)


def _load_text(path: Path, header: tuple[int, int] | None) -> KeyedVectors:
    """Load a text format.

    gensim would split words of several parts, as in GloVe 840B. It would also fill a vector with a single number, and
    its errors name no line.
    """
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
    if not indices:
        raise InputError(path, "holds no word vectors", _REMEDY)
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
    return max(counts, key=lambda count: counts[count], default=0)  # the first of equally frequent numbers


def _lines(path: Path, header: tuple[int, int] | None) -> Iterator[tuple[int, bytes]]:
    """Yield the lines of a text format that hold a word, without line ends, numbered from the file's first line.

    The header and blank lines are skipped.
    """
    with open_decompressed(path) as file:
        for number, line in enumerate(iter(lambda: file.readline(LONGEST_LINE), b""), start=1):
            if len(line) == LONGEST_LINE:
                raise InputError(f"{path}, line {number}", f"has more than {LONGEST_LINE / 1e6:.0f} MB", _REMEDY)
            text = line.removeprefix(codecs.BOM_UTF8).rstrip()
            if text and (number > 1 or not header):
                yield number, text


def _is_writable(word: str) -> bool:
    return bool(word.strip(" ")) and not _UNWRITABLE.search(word) and not _NUMBER.search(word)


def running_words(text: str) -> list[str]:
    """Return the words of a text in lower case, with punctuation marks, split much as in English treebanks."""
    return _WORD.findall(text.lower())


def train_vectors(sentences: Iterable[str], dimensions: int, seed: int) -> KeyedVectors:
    """Train word vectors on running text by word2vec's skip-gram with negative sampling, most frequent word first.

    The same text, sizes and seed lead to the same vectors on one machine, because training uses one thread and does not
    use Python's salted hash. Each word predicts the five words on each side. Raise InputError if no word occurs three
    times, the minimum for a vector.
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

    Raise ValueError if a word is empty, ends in a number or holds a control character.
    """
    with replacing(path) as partial, open(partial, "w", encoding="utf-8", newline="\n") as file:
        for word, vector in zip(vectors.index_to_key, vectors.vectors, strict=True):
            if not _is_writable(word):
                raise ValueError(
                    f"the word {word!r} cannot be written: it is empty, ends in a number or holds a control character"
                )
            file.write(" ".join([word, *(f"{number:.5f}" for number in vector)]) + "\n")


def check_known_words(vectors: KeyedVectors, sentences: Iterable[Sentence], where: object) -> float:
    """Return the share of the words of a treebank, without punctuation, that have a vector.

    Raise InputError, which names the file of vectors ``where``, if fewer than a third of the words have a vector.
    """
    words = [word.form for sentence in sentences for word in sentence.words if word.relation != "punct"]
    _, known = embedding_matrix(vectors, words)
    share = float(known.mean()) if words else 1.0
    if share < _FEWEST_KNOWN:
        unknown = Counter(word for word, is_known in zip(words, known, strict=True) if not is_known)
        others = [word for word, _ in unknown.most_common(3)]
        problem = (
            f"has vectors for {share:.0%} of the words of the treebank: its first words are "
            f"{_some(vectors.index_to_key)}; the treebank's most frequent other words are {_some(others)}"
        )
        remedy = (
            "give vectors of the treebank's language whose words are written as in a text, without prefixes or tags"
        )
        raise InputError(where, problem, remedy, "name other vectors in `corpora.vectors.source`")
    return share


def _some(words: Collection[str]) -> str:
    return ", ".join(repr(word[:40]) for word in islice(words, 3))


def embedding_matrix(vectors: KeyedVectors, words: Sequence[str]) -> tuple[np.ndarray, np.ndarray]:
    """Return the float32 vectors of words, ``[words, dimensions]``, and a mask of known words; unknown words get zeros.

    A word is looked up as written, and then in lower case. The probes of Clark et al. 2019 (section 5) look words up in
    lower case, which gives the same vectors if all words of the file are in lower case, as in their file. Their code
    gives unknown words the first row of its file of vectors. The code does not show the content of this row.
    """
    index_of = vectors.key_to_index
    indices = np.array([index_of.get(word, index_of.get(word.lower(), -1)) for word in words], dtype=int)
    known = indices >= 0
    matrix = np.zeros((len(words), vectors.vector_size), dtype=np.float32)
    matrix[known] = vectors.vectors[indices[known]]
    return matrix, known
