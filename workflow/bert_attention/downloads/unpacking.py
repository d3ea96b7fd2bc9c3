"""Unpack zip archives from elsewhere."""

from __future__ import annotations

import shutil
import zipfile
import zlib
from pathlib import Path

from bert_attention.errors import InputError

# Larger than any corpus in use. A malicious archive of a few kilobytes can unpack to far more.
LARGEST_UNPACKED = 20 * 10**9  # bytes
_MOST_FILES = 200_000

_BY_HAND = "unpack it by hand, and give the files as path:"


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
        raise InputError(archive, f"is not a whole zip archive ({error})", "delete it and run again") from None
    except RuntimeError as error:  # the archive is encrypted, or Python does not know the compression method
        raise InputError(archive, f"cannot be unpacked ({error})", _BY_HAND) from None


def _is_in(name: str, member: str) -> bool:
    return name == member or name.startswith(f"{member}/")


def _check_size(archive: Path, files: list[zipfile.ZipInfo], folder: Path) -> None:
    """Refuse too many or too large files. ``zipfile`` unpacks at most a file's stated size."""
    size = sum(file.file_size for file in files)
    if size > LARGEST_UNPACKED or len(files) > _MOST_FILES:
        problem = f"holds {len(files)} files of {size / 1e9:.1f} GB, more than any corpus"
        raise InputError(archive, problem, _BY_HAND)
    folder.mkdir(parents=True, exist_ok=True)
    free = shutil.disk_usage(folder).free
    if size > free:
        raise InputError(archive, f"unpacks to {size / 1e9:.1f} GB, but {free / 1e9:.1f} GB are free", "make room")
