"""Atomic writing of files, and digests. A killed job leaves no file that looks finished."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import socket
import stat
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import TypeVar

from bert_attention.errors import InputError

# The remedy for damaged files that the workflow made itself.
REBUILD_REMEDY = "delete it and run again: the run replaces it"

T = TypeVar("T")

LONGEST_LINE = 1 << 26  # bytes, because a file without line ends may not fit into memory


@contextmanager
def replacing(path: Path | str) -> Iterator[Path]:
    """Yield a temporary path that is renamed to ``path`` if the block succeeds, and removed otherwise.

    The content is on disk before the file gets its name, so a power cut leaves no file that looks finished.
    """
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(f".{path.name}{unfinished()}")
    try:
        yield partial
        _to_disk(partial)
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)


@contextmanager
def replacing_folder(folder: Path | str) -> Iterator[Path]:
    """Yield a new folder that replaces ``folder`` if the block succeeds, and is removed otherwise."""
    folder = Path(folder)
    with temporary_folder(folder) as partial:
        yield partial
        for file in filter(Path.is_file, partial.rglob("*")):
            _to_disk(file)
        shutil.rmtree(folder, ignore_errors=True)
        partial.replace(folder)


@contextmanager
def temporary_folder(path: Path | str) -> Iterator[Path]:
    """Yield a new folder beside ``path``, on the same disk, and remove it after the block."""
    path = Path(path)
    folder = path.with_name(f".{path.name}{unfinished()}")
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def unfinished() -> str:
    """Return the suffix of this process's temporary files, which no other process uses."""
    return f".{socket.gethostname()}-{os.getpid()}.partial"


def _to_disk(path: Path) -> None:
    with open(path, "rb") as file:
        os.fsync(file.fileno())


def folders_of(files: Iterable[Path | str]) -> list[Path]:
    """Return the folders of files, each once, in the order of the files."""
    return list(dict.fromkeys(Path(file).parent for file in files))


def part_of(items: Iterable[T], part: Sequence[int] | None) -> Iterator[T]:
    """Return an iterator over the items with these indices, in rising order, or over all items if ``part`` is None."""
    if part is None:
        return iter(items)
    kept = part if isinstance(part, range) else frozenset(part)
    up_to_last = islice(items, part[-1] + 1 if part else 0)
    return (item for index, item in enumerate(up_to_last) if index in kept)


def unreadable(path: Path | str) -> str | None:
    """Return the reason why a path cannot be read as a file or folder, or None if it can.

    Readers open a file several times, and each byte of a pipe can be read only once.
    """
    try:
        mode = Path(path).stat().st_mode
    except (FileNotFoundError, NotADirectoryError):
        return "does not exist"
    except OSError as error:
        return f"cannot be read ({error.strerror})"
    except ValueError:  # a zero byte, or half of a surrogate pair
        return "has a character that no path can have"
    if not stat.S_ISREG(mode) and not stat.S_ISDIR(mode):
        return "is neither a file nor a folder"
    return None if os.access(path, os.R_OK) else "cannot be read (Permission denied)"


def check_readable(path: Path | str) -> None:
    """Raise InputError if a path cannot be read as a file or folder, for the reasons of :func:`unreadable`."""
    problem = unreadable(path)
    if problem:
        remedy = "correct the path; a pipe can be read only once, so save its content to a file, and give the file"
        raise InputError(ascii(str(path))[1:-1], problem, remedy)


def visible_files(folder: Path | str, pattern: str) -> list[Path]:
    """Return the sorted files whose paths in a folder match a pattern.

    Hidden files and folders are skipped, and links without a target, such as those of DataLad and of editors' locks.
    """
    folder = Path(folder)
    found = (file for file in folder.glob(pattern) if file.is_file())
    return sorted(file for file in found if not any(part[0] == "." for part in file.relative_to(folder).parts))


def split_pattern(path: Path | str) -> tuple[Path, str] | None:
    """Return the folder and the pattern of a path such as ``trees/*-train.conllu``, or None for any other path.

    A path that exists is no pattern, although its name may hold brackets.
    """
    parts = Path(path).parts
    first = next((index for index, part in enumerate(parts) if re.search(r"[*?[]", part)), None)
    if first is None or Path(path).exists():
        return None
    return Path(*parts[:first]), "/".join(parts[first:])


def sha256(path: Path | str) -> str:
    """Return the hexadecimal SHA-256 of a file's content."""
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
