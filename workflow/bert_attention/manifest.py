"""Digests of a download's files at their arrival: a file ``SHA256SUMS``, which ``sha256sum --check`` reads."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Callable
from pathlib import Path

from bert_attention.errors import InputError
from bert_attention.files import replacing, sha256

MANIFEST = "SHA256SUMS"
_LINE = re.compile(r"(?P<digest>[0-9a-f]{64}) [ *](?P<name>.+)")


def write_manifest(folder: Path | str) -> None:
    """Write the digests of all files below a folder, which must be complete. Hidden files are skipped."""
    folder = Path(folder)
    with replacing(folder / MANIFEST) as partial:
        partial.write_bytes(os.fsencode(_lines(folder, sorted(_names(folder)))))


def folder_digest(folder: Path | str) -> str:
    """Return one sha256 for all files below a folder: the sha256 of the manifest that :func:`write_manifest` writes."""
    folder = Path(folder)
    return hashlib.sha256(os.fsencode(_lines(folder, sorted(_names(folder))))).hexdigest()


def check_files(
    folder: Path | str, is_read: Callable[[str], bool] = lambda name: True, *, contents: bool = True
) -> None:
    """Compare the files below a folder with its manifest. A folder without a manifest passes.

    ``is_read`` gets the path of a file in the folder, and returns True for the files to compare. If ``contents`` is
    False, only names are compared. Raise InputError if a file is missing, was added or has changed, or the manifest is
    damaged.
    """
    folder = Path(folder)
    if not (folder / MANIFEST).is_file():
        return
    listed = _listed(folder / MANIFEST)
    if listed is None:
        raise _differs(folder, f"{MANIFEST} is cut or damaged: a line is not a sha256, two spaces and a file")
    found = _names(folder)
    for name in sorted(filter(is_read, listed.keys() | found)):
        if name not in found:
            raise _differs(folder, f"{name} is missing, but {MANIFEST} names it")
        if name not in listed:
            raise _differs(folder, f"{name} was added: {MANIFEST} does not name it")
        if contents and (digest := sha256(folder / name)) != listed[name]:
            raise _differs(folder, f"{name} has changed: its sha256 is {digest}, {MANIFEST} says {listed[name]}")


def _names(folder: Path) -> set[str]:
    """Return the paths of all files below a folder except the manifest and hidden files, such as the hub client's."""
    files = (file.relative_to(folder) for file in folder.rglob("*") if file.is_file())
    return {file.as_posix() for file in files if not any(part.startswith(".") for part in file.parts)} - {MANIFEST}


def _lines(folder: Path, names: list[str]) -> str:
    return "".join(f"{sha256(folder / name)}  {name}\n" for name in names)


def _listed(file: Path) -> dict[str, str] | None:
    """Return the digests in a manifest by file name, or None if a line is cut or malformed."""
    *lines, rest = os.fsdecode(file.read_bytes()).split("\n")
    matches = [match for line in lines if (match := _LINE.fullmatch(line))]
    return None if rest or len(matches) < len(lines) else {match["name"]: match["digest"] for match in matches}


def _differs(folder: Path, problem: str) -> InputError:
    remedy = f"delete the folder {folder} and run again (in a folder of your own, delete {MANIFEST} alone)"
    return InputError(folder, problem, remedy)
