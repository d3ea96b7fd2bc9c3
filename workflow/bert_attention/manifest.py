"""What was made, as digests beside it, with which it is compared whenever it is read; ``sha256sum --check`` reads them.

A folder that is downloaded, copied or trained has a file ``SHA256SUMS`` with all that it held. A file that is made
alone has a line of the same form beside it (``frames.jsonl.sha256``). A user's own folders and files have none, and are
taken as they are.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

from bert_attention.errors import InputError
from bert_attention.files import replacing, sha256

MANIFEST = "SHA256SUMS"
DIGEST = ".sha256"  # after the name of the file
_LINE = re.compile(r"(?P<digest>[0-9a-f]{64}) [ *](?P<name>.+)")


def write_manifest(folder: Path | str) -> None:
    """Write the digests of all files below a folder, once they are complete. Hidden files are left out."""
    folder = Path(folder)
    _write(folder / MANIFEST, folder, sorted(_names(folder)))


def write_digest(file: Path | str) -> None:
    """Write the digest of a file beside it; not in a folder whose manifest has it."""
    file = Path(file)
    if not (file.parent / MANIFEST).is_file():
        _write(_digest_file(file), file.parent, [file.name])


def remove_digest(file: Path | str) -> None:
    """Remove the digest of a file that is about to be made anew."""
    _digest_file(Path(file)).unlink(missing_ok=True)


def check_digest(file: Path | str) -> None:
    """Compare a file with the digest beside it. A file without one passes.

    Raises
    ------
    InputError
        If it has changed, or the digest is damaged.
    """
    file = Path(file)
    written = _digest_file(file)
    if not written.is_file():
        return
    listed = _listed(written)
    remedy = f"rm {file} and run again, and it is made anew; if you have changed it yourself, rm {written} alone"
    if listed is None or listed.keys() != {file.name}:
        raise InputError(written, "is damaged: it is not a sha256, two spaces and the file's name", remedy)
    if (digest := sha256(file)) != listed[file.name]:
        raise InputError(file, f"has changed: its sha256 is {digest}, {written.name} says {listed[file.name]}", remedy)


def check_files(
    folder: Path | str, is_read: Callable[[str], bool] = lambda name: True, *, contents: bool = True
) -> None:
    """Compare the files below a folder with its manifest. A folder without a manifest passes.

    Parameters
    ----------
    is_read
        Which files to compare, by their paths in the folder.
    contents
        Whether to compare contents, too, which means to read them. Names cost nothing.

    Raises
    ------
    InputError
        If a file is missing, was added or has changed, or the manifest is damaged.
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
    """The paths of all files below a folder but the manifest and hidden ones, such as the notes of the hub's client."""
    files = (file.relative_to(folder) for file in folder.rglob("*") if file.is_file())
    return {file.as_posix() for file in files if not any(part.startswith(".") for part in file.parts)} - {MANIFEST}


def _digest_file(file: Path) -> Path:
    return file.with_name(f"{file.name}{DIGEST}")


def _write(written: Path, folder: Path, names: list[str]) -> None:
    lines = [f"{sha256(folder / name)}  {name}\n" for name in names]
    with replacing(written) as partial:
        partial.write_text("".join(lines), encoding="utf-8")


def _listed(written: Path) -> dict[str, str] | None:
    """The digest of each file by its name, as they were written; None if a line is cut or something else."""
    *lines, rest = written.read_bytes().decode("utf-8", errors="replace").split("\n")
    matches = [match for line in lines if (match := _LINE.fullmatch(line))]
    return None if rest or len(matches) < len(lines) else {match["name"]: match["digest"] for match in matches}


def _differs(folder: Path, problem: str) -> InputError:
    remedy = f"delete the folder {folder} and run again, and it is made anew; in a folder of your own, only {MANIFEST}"
    return InputError(folder, problem, remedy)
