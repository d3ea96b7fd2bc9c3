"""Read files that may be compressed with gzip, bzip2 or Zstandard; the first bytes show the compression."""

from __future__ import annotations

import bz2
import gzip
import io
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import BinaryIO

from bert_attention.errors import InputError
from bert_attention.files import numbered_lines, visible_files


def _open_zstandard(path: Path) -> BinaryIO:
    import pyarrow as pa  # noqa: PLC0415 (rarely needed)

    return io.BufferedReader(pa.CompressedInputStream(pa.OSFile(str(path)), "zstd"))


# First bytes and opening function of each compression, by file extension.
_COMPRESSIONS: dict[str, tuple[bytes, Callable[[Path], BinaryIO]]] = {
    ".gz": (b"\x1f\x8b", gzip.open),
    ".bz2": (b"BZh", bz2.open),
    ".zst": (b"\x28\xb5\x2f\xfd", _open_zstandard),
}

# Exceptions from reading a compressed file that is damaged or truncated.
DAMAGED = (OSError, EOFError, zlib.error)


def open_decompressed(path: Path | str) -> BinaryIO:
    """Open a file for reading its bytes, decompressed if it is compressed.

    Raises
    ------
    InputError
        If the file has the extension of a compressed file but is not compressed.
    """
    path = Path(path)
    with open(path, "rb") as file:
        beginning = file.read(4)
    for first_bytes, open_file in _COMPRESSIONS.values():
        if beginning.startswith(first_bytes):
            return open_file(path)
    if path.suffix in _COMPRESSIONS:
        raise InputError(
            path, f"is not compressed, although its name ends in {path.suffix}", "get the file again, or rename it"
        )
    return open(path, "rb")


def text_lines(path: Path | str) -> Iterator[tuple[int, str]]:
    """Yield the lines of a text file, which may be compressed, as in :func:`bert_attention.files.numbered_lines`.

    Raises
    ------
    InputError
        If the path is a folder, or if the file is missing or damaged. Also the errors of ``numbered_lines``.
    """
    path = Path(path)
    if path.is_dir():
        names = [file.name for file in visible_files(path, "*")]
        listed = ", ".join(names[:5]) + (", ..." if len(names) > 5 else "")
        raise InputError(
            path, "is a folder, not a file", f"give one of its files: {listed}" if names else "give a file"
        )
    try:
        yield from numbered_lines(path, open_decompressed)
    except DAMAGED as error:
        raise InputError(path, f"cannot be read ({error})", "correct the path, or get the file again") from None


def plain_name(path: Path | str) -> str:
    """Return a file's name without the extension of its compression."""
    name = Path(path).name
    return name.removesuffix(Path(name).suffix) if Path(name).suffix in _COMPRESSIONS else name
