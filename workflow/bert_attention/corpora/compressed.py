"""Reading files that may be compressed: gzip, bzip2 and Zstandard, told by their first bytes."""

from __future__ import annotations

import bz2
import gzip
import io
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO

import pyarrow as pa

from bert_attention.errors import InputError


def _open_zstandard(path: Path) -> BinaryIO:
    return io.BufferedReader(pa.CompressedInputStream(pa.OSFile(str(path)), "zstd"))


# By the ending of their names: their first bytes, and what opens them.
_COMPRESSIONS: dict[str, tuple[bytes, Callable[[Path], BinaryIO]]] = {
    ".gz": (b"\x1f\x8b", gzip.open),
    ".bz2": (b"BZh", bz2.open),
    ".zst": (b"\x28\xb5\x2f\xfd", _open_zstandard),
}

# What reading such a file raises where it is damaged or cut off.
DAMAGED = (OSError, EOFError, zlib.error)


def open_decompressed(path: Path | str) -> BinaryIO:
    """Open a file for reading its bytes, decompressed if it is compressed.

    Raises
    ------
    InputError
        If its name says that it is compressed, and it is not.
    """
    path = Path(path)
    with open(path, "rb") as file:
        beginning = file.read(4)
    for first_bytes, opened in _COMPRESSIONS.values():
        if beginning.startswith(first_bytes):
            return opened(path)
    if path.suffix in _COMPRESSIONS:
        raise InputError(
            path, f"is not compressed, unlike its name ({path.suffix})", "give the whole file, or rename it"
        )
    return open(path, "rb")


def plain_name(path: Path | str) -> str:
    """A file's name without the ending of its compression."""
    name = Path(path).name
    return name.removesuffix(Path(name).suffix) if Path(name).suffix in _COMPRESSIONS else name
