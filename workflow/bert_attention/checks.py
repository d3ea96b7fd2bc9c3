"""Errors that a user can act on, and checked reading of text files."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator
from pathlib import Path


class InputError(ValueError):
    """What a user gave cannot be used.

    The message says where it stands, what is wrong and what to do, so that it can be shown without a traceback.
    """

    def __init__(self, where: object, problem: str, remedy: str):
        super().__init__(f"{where}: {problem}\n  Remedy: {remedy}")
        self.problem = problem
        self.remedy = remedy


def numbered_lines(path: Path | str) -> Iterator[tuple[int, str]]:
    """Lines of a UTF-8 text file without their ends, numbered from 1.

    Raises
    ------
    InputError
        At the first line that is not UTF-8.
    """
    with open(path, "rb") as file:
        for number, raw in enumerate(file, start=1):
            try:
                yield number, raw.decode("utf-8").rstrip("\r\n")
            except UnicodeDecodeError as error:
                raise InputError(
                    f"{path}, line {number}",
                    f"byte 0x{raw[error.start]:02x} at column {error.start + 1} is not UTF-8",
                    "convert the file, for example: iconv -f latin1 -t utf-8 FILE > FILE.utf8",
                ) from None


def nearest(word: str, known: Iterable[str]) -> str | None:
    """The known word that ``word`` most likely stands for, or None where nothing is close."""
    matches = difflib.get_close_matches(word, list(known), n=1, cutoff=0.5)
    return matches[0] if matches else None
