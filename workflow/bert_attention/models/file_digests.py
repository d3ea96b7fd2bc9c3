"""Digests of a model's files, written beside them when the folder is made and compared whenever the model is loaded."""

from __future__ import annotations

import re
from pathlib import Path

from bert_attention.errors import InputError
from bert_attention.files import replacing, sha256

# As sha256sum writes it: ``sha256sum --check model_files.sha256`` reads it, too.
DIGESTS = "model_files.sha256"
_LINE = re.compile(r"(?P<digest>[0-9a-f]{64})  (?P<name>[^/\\\n]+)\n")


def write_digests(folder: Path | str) -> None:
    """Write the digest of each file of a folder into ``DIGESTS``, beside them. Hidden files are left out."""
    folder = Path(folder)
    names = sorted(file.name for file in folder.iterdir() if file.is_file() and not file.name.startswith("."))
    with replacing(folder / DIGESTS) as partial:
        lines = [f"{sha256(folder / name)}  {name}\n" for name in names if name != DIGESTS]
        partial.write_text("".join(lines), encoding="utf-8")


def check_digests(folder: Path | str) -> None:
    """Compare a model's files with the digests beside them. A folder without any, such as a user's own, passes.

    Raises
    ------
    InputError
        If a file has changed or is missing since the folder was made, or the digests are damaged.
    """
    folder = Path(folder)
    if not (folder / DIGESTS).is_file():
        return
    remedy = f"delete the folder {folder} and run again, and it is made anew"
    digests = _read_digests(folder / DIGESTS)
    if digests is None or not {file.name for file in folder.glob("*.safetensors")} <= digests.keys():
        raise InputError(folder / DIGESTS, "does not list the digests of all weights, as it did when written", remedy)
    for name, digest in digests.items():
        if not (folder / name).is_file():
            raise InputError(folder / name, "is missing, but was there when the folder was made", remedy)
        found = sha256(folder / name)
        if found != digest:
            problem = f"has changed since it was written: sha256 {found}, and it was {digest}"
            raise InputError(folder / name, problem, remedy)


def _read_digests(path: Path) -> dict[str, str] | None:
    """The digest of each file by its name; None if a line is not of this form."""
    lines = path.read_bytes().decode("utf-8", errors="replace").splitlines(keepends=True)
    matches = [_LINE.fullmatch(line) for line in lines]
    return {match["name"]: match["digest"] for match in matches} if all(matches) else None
