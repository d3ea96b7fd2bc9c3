"""Unpack downloaded archives: zip, and tar with any compression that Python knows.

The names in an archive are checked here, because tarfile's own filter is missing from Python 3.11.2, the version of
Debian 12, and pooch unpacks without a filter before Python 3.12.
"""

from __future__ import annotations

import errno
import lzma
import os
import re
import shutil
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from gzip import BadGzipFile
from pathlib import Path
from typing import IO

from bert_attention.errors import InputError

# Larger than any corpus in use. A malicious archive of a few kilobytes can unpack to far more.
LARGEST_UNPACKED = 20 * 10**9  # bytes
_MOST_FILES = 200_000

# Errors of damaged archives, and of files that are no archives.
DAMAGED = (zipfile.BadZipFile, tarfile.TarError, EOFError, zlib.error, lzma.LZMAError, BadGzipFile, UnicodeError)
_LONGEST_NAME = 255  # bytes of a file's name on common file systems
_BLOCK = 1 << 20  # bytes that are read at a time
_BY_HAND = "unpack the archive by hand, and give the files as path:<file or folder>"


@dataclass(frozen=True)
class _File:
    """A file of an archive; ``open`` is None for links and devices."""

    name: str
    size: int
    open: Callable[[], IO[bytes] | None] | None


def unpack(
    archive: Path,
    member: str,
    folder: Path,
    where: object = None,
    if_damaged: str = "delete the file and run again",
) -> None:
    """Unpack one member of an archive: a file, or a folder with everything below it. ``.`` is the whole archive.

    ``where`` names the archive in errors (default: its path), and ``if_damaged`` is the remedy for a damaged archive.
    Raise InputError if the archive is damaged or encrypted, or lacks the member. Raise InputError as well if the member
    has files that would be outside ``folder``, links or too many files, or is larger than ``LARGEST_UNPACKED`` or than
    the free disk space.
    """
    where = archive if where is None else where
    try:
        with _opened(archive) as content:
            files = [file for file in content if member == "." or _is_in(file.name, member)]  # reads it to its end
            if not files:
                raise InputError(where, f"has no member {member!r}", "correct the part of the source after the last !")
            _check_names(where, files)
            check_size(where, [file.size for file in files], folder)
            for file in files:
                _write(file, folder / file.name)
    except DAMAGED as error:
        raise _damaged(where, error, if_damaged) from None
    except OSError as error:
        if error.errno not in (None, errno.EINVAL):  # of the disk, not of the data
            raise
        raise _damaged(where, error, if_damaged) from None
    except RuntimeError as error:  # the archive is encrypted, or Python does not know the compression method
        raise InputError(where, f"cannot be unpacked ({error})", _BY_HAND) from None


def _damaged(where: object, error: Exception, remedy: str) -> InputError:
    return InputError(where, f"is damaged or not a zip or tar archive ({' '.join(str(error).split())})", remedy)


@contextmanager
def _opened(archive: Path) -> Iterator[Iterator[_File]]:
    """Open a zip or tar archive, and yield its files."""
    if zipfile.is_zipfile(archive) and not tarfile.is_tarfile(archive):
        with zipfile.ZipFile(archive) as packed:
            yield (
                _File(entry.filename, entry.file_size, partial(packed.open, entry))
                for entry in packed.infolist()
                if not entry.filename.endswith("/")
            )
    else:
        with tarfile.open(archive) as tar:
            yield _files_of_tar(tar)


def _files_of_tar(tar: tarfile.TarFile) -> Iterator[_File]:
    """Yield the files of a tar archive, and then read the archive to its end.

    The compression's checksum is at the end. Raise ReadError unless zeros end the archive: tarfile ignores an entry
    that is damaged or cut, and all entries after it.
    """
    for entry in tar:
        if not entry.isdir():
            opened = partial(tar.extractfile, entry) if entry.isfile() else None
            yield _File(entry.name.removeprefix("./"), entry.size, opened)
    tar.fileobj.seek(tar.offset)
    rest = tar.fileobj.read(tarfile.BLOCKSIZE)
    if len(rest) < tarfile.BLOCKSIZE:
        raise tarfile.ReadError("the archive has no end")
    while rest:
        if rest.strip(b"\0"):
            raise tarfile.ReadError("an entry is damaged")
        rest = tar.fileobj.read(_BLOCK)


def _is_in(name: str, member: str) -> bool:
    return name == member or name.startswith(f"{member}/")


def _check_names(where: object, files: Sequence[_File]) -> None:
    names = {file.name for file in files}
    for name in names:
        parts = re.split(r"[/\\]", name)
        is_long = any(len(os.fsencode(part)) > _LONGEST_NAME for part in parts)
        is_folder = any("/".join(parts[:end]) in names for end in range(1, len(parts)))
        if is_long or is_folder or not name.isprintable():
            problem = f"has the file {name[:100]!a}, whose name is too long, not printable or also a folder's"
            raise InputError(where, problem, _BY_HAND)
    outside = next((file.name for file in files if _leads_outside(file.name)), None)
    if outside is not None:
        raise InputError(where, f"has the file {outside!r}, which would be unpacked outside its folder", _BY_HAND)
    link = next((file.name for file in files if file.open is None), None)
    if link is not None:
        raise InputError(where, f"has the link or device {link!r}, and only files are unpacked", _BY_HAND)


def _leads_outside(name: str) -> bool:
    """Return True if a path leads out of its folder, on any operating system."""
    first, *others = re.split(r"[/\\]", name)
    return first in ("", "..") or first.endswith(":") or ".." in others


def check_size(where: object, sizes: Sequence[int], folder: Path) -> None:
    """Check the number and the total size of files to unpack. No more than a file's stated size is unpacked.

    Raise InputError if there are too many files, or their size is larger than ``LARGEST_UNPACKED`` or the free disk
    space.
    """
    size = sum(sizes)
    if size > LARGEST_UNPACKED or len(sizes) > _MOST_FILES:
        problem = (
            f"unpacks to {len(sizes)} files of {size / 1e9:.1f} GB; the maximum is {_MOST_FILES} files"
            f" of {LARGEST_UNPACKED / 1e9:g} GB"
        )
        raise InputError(where, problem, _BY_HAND)
    folder.mkdir(parents=True, exist_ok=True)
    free = shutil.disk_usage(folder).free
    if size > free:
        problem = f"unpacks to {size / 1e9:.1f} GB, but only {free / 1e9:.1f} GB of disk space are free"
        raise InputError(where, problem, "free disk space, and run again")


def _write(file: _File, path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with file.open() as content, open(path, "wb") as written:
        shutil.copyfileobj(content, written)
