"""Unpack downloaded zip archives."""

from __future__ import annotations

import shutil
import zipfile
import zlib
from pathlib import Path

from bert_attention.errors import InputError

# Larger than any corpus in use. A malicious archive of a few kilobytes can unpack to far more.
LARGEST_UNPACKED = 20 * 10**9  # bytes
_MOST_FILES = 200_000

_BY_HAND = "unpack the archive by hand, and give the files as path:<file or folder>"


def unpack(archive: Path, member: str, folder: Path) -> None:
    """Unpack one member of a zip archive: a file, or a folder with everything below it.

    Raises
    ------
    InputError
        If the archive is damaged or encrypted, or lacks the member. Also if the member has too many files, or is larger
        than ``LARGEST_UNPACKED`` or than the free disk space.
    """
    try:
        with zipfile.ZipFile(archive) as content:
            files = [file for file in content.infolist() if _is_in(file.filename, member)]
            if not files:
                raise InputError(archive, f"has no member {member!r}", "correct the part of the source after the !")
            _check_size(archive, files, folder)
            content.extractall(folder, files)  # drops .. and leading slashes of names
    except (zipfile.BadZipFile, zlib.error, EOFError) as error:
        raise InputError(
            archive, f"is damaged or not a zip archive ({error})", "delete the file and run again"
        ) from None
    except RuntimeError as error:  # the archive is encrypted, or Python does not know the compression method
        raise InputError(archive, f"cannot be unpacked ({error})", _BY_HAND) from None


def _is_in(name: str, member: str) -> bool:
    return name == member or name.startswith(f"{member}/")


def _check_size(archive: Path, files: list[zipfile.ZipInfo], folder: Path) -> None:
    """Check the number and the total size of the files. ``zipfile`` unpacks no more than a file's stated size."""
    size = sum(file.file_size for file in files)
    if size > LARGEST_UNPACKED or len(files) > _MOST_FILES:
        problem = (
            f"unpacks to {len(files)} files of {size / 1e9:.1f} GB; the maximum is {_MOST_FILES} files"
            f" of {LARGEST_UNPACKED / 1e9:g} GB"
        )
        raise InputError(archive, problem, _BY_HAND)
    folder.mkdir(parents=True, exist_ok=True)
    free = shutil.disk_usage(folder).free
    if size > free:
        problem = f"unpacks to {size / 1e9:.1f} GB, but only {free / 1e9:.1f} GB of disk space are free"
        raise InputError(archive, problem, "free disk space, and run again")
