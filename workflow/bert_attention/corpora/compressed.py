"""Open text files, compressed or not; archives, documents and other encodings are errors that name the format.

The first bytes show what a file is, whatever its name.
"""

from __future__ import annotations

import bz2
import codecs
import gzip
import io
import lzma
import re
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from bert_attention.errors import InputError
from bert_attention.files import LONGEST_LINE, check_readable, split_pattern, visible_files


def _open_zstandard(path: Path) -> BinaryIO:
    import pyarrow as pa  # noqa: PLC0415 (rarely needed)

    return io.BufferedReader(pa.CompressedInputStream(pa.OSFile(str(path)), "zstd"))


# First bytes, opening function and program of each compression, by file extension.
_COMPRESSIONS: dict[str, tuple[bytes, Callable[[Path], BinaryIO], str]] = {
    ".gz": (b"\x1f\x8b", gzip.open, "gzip"),
    ".bz2": (b"BZh", bz2.open, "bzip2"),
    ".xz": (b"\xfd7zXZ\x00", lzma.open, "xz"),
    ".zst": (b"\x28\xb5\x2f\xfd", _open_zstandard, "zstd"),
}
COMPRESSIONS = ", ".join(_COMPRESSIONS)

_PEEK = 4096  # number of bytes that identify a file's format; some files have fewer
_SAMPLE = 1 << 16  # bytes in which a line should end

# Exceptions from reading a compressed file that is damaged or truncated.
_DAMAGED = (OSError, EOFError, zlib.error, lzma.LZMAError)

_UNPACK = "unpack it, and give the file inside"
_SAVE_AS_TEXT = "save it as plain text in UTF-8, and give the text"
# Files that no reader of text can use: their name, their first bytes, and what to do.
_OTHER_FILES = (
    (
        "a document of an office program or an e-book",
        rb"PK\x03\x04.{26}(?:\[Content_Types\]|_rels/|mimetypeapplication/)|\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1",
        _SAVE_AS_TEXT,
    ),
    ("a zip archive", rb"PK(?:\x03\x04|\x05\x06)", f"{_UNPACK}: unzip FILE"),
    ("a 7z archive", rb"7z\xbc\xaf\x27\x1c", f"{_UNPACK}: 7z x FILE"),
    ("a rar archive", rb"Rar!\x1a\x07", f"{_UNPACK}: unrar x FILE"),
    ("a tar archive", rb".{257}ustar", f"{_UNPACK}: tar -xf FILE"),
    ("a PDF", rb"%PDF-", "give its text, for example: pdftotext FILE FILE.txt"),
    ("a Parquet file", rb"PAR1[\x00-\x08\x0e-\x1f]", "give a text file, or for a task the folder of its Parquet files"),
    (
        "compressed with lz4, lzip or compress",
        rb"\x04\x22\x4d\x18|LZIP\x01|\x1f\x9d",
        f"decompress it, or compress it as {COMPRESSIONS}",
    ),
)


@contextmanager
def open_decompressed(path: Path | str) -> Iterator[BinaryIO]:
    """Open a file for reading its bytes, decompressed if it is compressed.

    Raise InputError if the path cannot be read (:func:`bert_attention.files.check_readable`), or the file is damaged,
    also while it is read. Raise InputError as well if the file is not compressed in spite of its extension, or is an
    archive, a PDF or another file that does not hold text.
    """
    path = Path(path)
    check_readable(path)
    try:
        with _opened(path) as file:
            beginning = file.peek(_PEEK)
            for name, first_bytes, remedy in _OTHER_FILES:
                if re.match(first_bytes, beginning, re.DOTALL):
                    raise InputError(path, f"is {name}", remedy)
            yield file
    except _DAMAGED as error:
        raise InputError(path, f"cannot be read ({error})", "correct the path, or get the file again") from None


def _opened(path: Path) -> BinaryIO:
    with open(path, "rb") as file:
        beginning = file.read(_PEEK)
    for first_bytes, open_file, _ in _COMPRESSIONS.values():
        if beginning.startswith(first_bytes):
            return open_file(path)
    if path.suffix in _COMPRESSIONS:
        raise InputError(
            path, f"is not compressed, although its name ends in {path.suffix}", "get the file again, or rename it"
        )
    return open(path, "rb")


@contextmanager
def open_utf8(path: Path | str) -> Iterator[BinaryIO]:
    """Open a text file for reading its bytes, decompressed if it is compressed.

    A line ends in a line feed, or in a carriage return and a line feed. If no line of the first 64 kB does, a line ends
    in a carriage return, as on old Macs, which is then read as a line feed. Raise InputError as
    :func:`open_decompressed` does, or if the text is in UTF-16 or UTF-32. The readers of lines report other encodings.
    """
    with open_decompressed(path) as file:
        beginning = file.peek(_PEEK)
        encoding = _wide_encoding(beginning)
        if encoding:
            problem = f"is text in {encoding.upper()}, not in UTF-8"
            raise InputError(path, problem, f"convert the file: {_iconv(Path(path), encoding)}")
        check_no_zeros(path, beginning)
        yield with_line_feeds(file)


def check_no_zeros(where: object, content: bytes) -> None:
    """Raise InputError if a part of a text has bytes that are zero, as other files have."""
    if b"\0" in content:
        raise InputError(where, "is not text in UTF-8: it has bytes that are zero", "give a text file in UTF-8")


def with_line_feeds(file: BinaryIO) -> BinaryIO:
    """Return a file whose carriage returns are line feeds if no line at its beginning ends in a line feed."""
    if b"\n" in file.peek(_PEEK):  # nearly every file
        return file
    beginning = file.read(_SAMPLE)
    is_old = b"\n" not in beginning and b"\r" in beginning.rstrip(b"\r")
    return io.BufferedReader(_Translated(beginning, file, b"\r" if is_old else b"\n"), _SAMPLE)


class _Translated(io.RawIOBase):
    """A file whose beginning was read before, with line feeds in place of another line end."""

    def __init__(self, beginning: bytes, rest: BinaryIO, line_end: bytes):
        self._beginning = io.BytesIO(beginning)
        self._rest = rest
        self._line_end = line_end

    def readable(self) -> bool:
        """Return True: the file is open for reading."""
        return True

    def readinto(self, buffer: bytearray) -> int:
        """Read up to as many bytes as the buffer has, and return their number."""
        content = self._beginning.read(len(buffer)) or self._rest.read(len(buffer))
        buffer[: len(content)] = content.replace(self._line_end, b"\n")
        return len(content)


def _wide_encoding(beginning: bytes) -> str | None:
    """Return the encoding of a text whose characters have two or four bytes, or None for another text."""
    if beginning.startswith((codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE)):
        return "utf-32"
    if beginning.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "utf-16"
    # Without a byte-order mark, every second byte of a text in a Latin script is zero.
    even, odd = (beginning[start::2].count(0) / max(1, len(beginning) // 2) for start in (0, 1))
    if max(even, odd) < 0.5 or min(even, odd) > 0.1:
        return None
    return "utf-16be" if even > odd else "utf-16le"


def _iconv(path: Path, encoding: str) -> str:
    """Return the command that converts a file, which may be compressed, to UTF-8."""
    convert = f"iconv -f {encoding} -t utf-8"
    if path.suffix not in _COMPRESSIONS:
        return f"{convert} FILE > FILE.utf8"
    return f"{_COMPRESSIONS[path.suffix][2]} -dc FILE | {convert} > FILE.utf8"


def text_lines(path: Path | str) -> Iterator[tuple[int, str]]:
    """Yield the numbers (from 1) and lines of a text file, without line ends or a byte-order mark at the start.

    Raise InputError as :func:`open_utf8` does, if the path is a folder, or at the first line that is not UTF-8 or is
    longer than ``LONGEST_LINE``.
    """
    path = Path(path)
    if path.is_dir():
        names = [file.name for file in visible_files(path, "*")]
        listed = ", ".join(names[:5]) + (", ..." if len(names) > 5 else "")
        raise InputError(
            path, "is a folder, not a file", f"give one of its files: {listed}" if names else "give a file"
        )
    with open_utf8(path) as file:
        for number, raw in enumerate(iter(lambda: file.readline(LONGEST_LINE), b""), start=1):
            if len(raw) == LONGEST_LINE:
                where, problem = f"{path}, line {number}", f"has more than {LONGEST_LINE / 1e6:.0f} MB"
                raise InputError(where, problem, "give a text file with shorter lines")
            check_no_zeros(f"{path}, line {number}", raw)
            try:
                text = raw.removeprefix(codecs.BOM_UTF8) if number == 1 else raw
                yield number, text.decode("utf-8").rstrip("\r\n")
            except UnicodeDecodeError as error:
                problem = f"byte 0x{raw[error.start]:02x} at column {error.start + 1} is not UTF-8"
                remedy = f"convert the file from its encoding, for example from Latin-1: {_iconv(path, 'latin1')}"
                raise InputError(f"{path}, line {number}", problem, remedy) from None


def files_of(path: Path | str | Sequence[Path | str], *endings: str) -> list[Path]:
    """Return the files of a corpus: the file itself, those of a folder or a pattern, or those of a list, in its order.

    Raise InputError as :func:`files_in` does for a folder or a pattern (``trees/*-train.conllu``), if there is no file,
    or if a list names a file twice.
    """
    if not isinstance(path, Path | str):
        files = [file for part in path for file in files_of(part, *endings)]
        twice = [file for file in files if files.count(file) > 1]
        if twice or not files:
            problem = f"names {twice[0]} twice" if twice else "is empty"
            raise InputError("the list of files", problem, "give a list of different files")
        return files
    path = Path(path)
    folder, pattern = (path, "*") if path.is_dir() else split_pattern(path) or (path, "")
    if not pattern:
        return [path]
    files = files_in(folder, pattern, *endings)
    if not files:
        others = ", ".join(file.name for file in visible_files(folder, pattern)[:5])
        problem = f"holds no file {' or '.join(f'*{ending}' for ending in endings)}"
        raise InputError(path, f"{problem}, only {others}" if others else problem, "give a file, or rename these files")
    return files


def files_in(folder: Path, pattern: str, *endings: str) -> list[Path]:
    """Return the sorted visible files of a folder that match a pattern and whose names end so before any compression.

    So backups (``a.conllu~``, ``a.conllu.bak``) are not read. Raise InputError if the names of two files are equal
    before their endings (``a.txt`` and ``a.txt.gz``), because the same content would be read twice.
    """
    found: dict[str, Path] = {}
    for file in visible_files(folder, pattern):
        name = str(file.with_name(plain_name(file)))
        ending = next((ending for ending in endings if name.endswith(ending)), None)
        if ending is None:
            continue
        other = found.setdefault(name.removesuffix(ending), file)
        if other != file:
            raise InputError(
                folder, f"holds {other.name} and {file.name}, which would be read as two files", "keep one"
            )
    return list(found.values())


def plain_name(path: Path | str) -> str:
    """Return a file's name without the extension of its compression."""
    name = Path(path).name
    return name.removesuffix(Path(name).suffix) if Path(name).suffix in _COMPRESSIONS else name
