"""Receipts of downloads: what has arrived, and whether it still is what arrived."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from bert_attention.errors import InputError
from bert_attention.files import replacing, sha256


def write_receipt(places: Mapping[str, Path], path: Path | str) -> None:
    """Write a JSON file that lists each fetched source with the size and SHA-256 of all its files."""
    receipt = {source: [_entry(file, place) for file in _files(place)] for source, place in places.items()}
    with replacing(path) as partial:
        partial.write_text(json.dumps(receipt, indent=2) + "\n", encoding="utf-8")


def check_receipt(text: str, place: Path, receipt: Path, folder: Path, digests: bool) -> None:
    """Compare what was downloaded with its receipt.

    Parameters
    ----------
    text
        The source, as the receipt names it.
    place
        The file or folder that the source names.
    folder
        What to delete to have it downloaded anew.
    digests
        Whether to compare contents, too, which means to read all of the download. Names and sizes cost nothing.

    Raises
    ------
    InputError
        If there is no receipt, if it cannot be read, or if a file is missing, was added or has changed.
    """
    listed = _listed(receipt, text)
    found = {_name(file, place): file for file in _files(place)}
    changed = [name for name in sorted(listed.keys() & found) if not _is_as_listed(found[name], listed[name], digests)]
    problems = [
        *(f"{name} is missing" for name in sorted(listed.keys() - found)),
        *(f"{name} was added" for name in sorted(found.keys() - listed)),
        *(f"{name} has changed" for name in changed),
    ]
    if problems:
        shown = ", ".join(problems[:3]) + (f" and {len(problems) - 3} more" if len(problems) > 3 else "")
        raise InputError(
            f"source {text!r}",
            f"is not what was downloaded to {place}: {shown}",
            f"delete {receipt} and {folder} and run again, and it is downloaded anew; if you changed it on purpose, "
            "name your file in the edition as path:",
        )


def _listed(receipt: Path, text: str) -> dict[str, tuple[int, str]]:
    """Size and digest of each file of a source, by name, as a receipt has them."""
    try:
        entries = json.loads(receipt.read_text(encoding="utf-8"))[text]
        return {str(entry["file"]): (int(entry["bytes"]), str(entry["sha256"])) for entry in entries}
    except FileNotFoundError:
        raise InputError(f"source {text!r}", "is not downloaded", "download it first: snakemake downloads") from None
    except (OSError, ValueError, TypeError, KeyError, RecursionError):
        problem = f"is not a whole receipt of {text!r}"
        raise InputError(receipt, problem, f"delete it and run again: rm {receipt}") from None


def _is_as_listed(file: Path, listed: tuple[int, str], digests: bool) -> bool:
    size, digest = listed
    return file.stat().st_size == size and (not digests or sha256(file) == digest)


def _files(place: Path) -> list[Path]:
    """The files that were fetched, without the clients' own notes (such as the hub's ``.cache``)."""
    if place.is_file():
        return [place]
    found = (file for file in place.rglob("*") if file.is_file())
    return sorted(file for file in found if not any(part.startswith(".") for part in file.relative_to(place).parts))


def _entry(file: Path, place: Path) -> dict[str, object]:
    return {"file": _name(file, place), "bytes": file.stat().st_size, "sha256": sha256(file)}


def _name(file: Path, place: Path) -> str:
    return file.name if file == place else file.relative_to(place).as_posix()
