"""Errors that a user can act on."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


class InputError(ValueError):
    """Input from a user that cannot be used.

    The message says where it is, what is wrong and what to do, so that it can be shown without a traceback.
    """

    def __init__(self, where: object, problem: str, remedy: str):
        super().__init__(f"{where}: {problem}\n  Remedy: {remedy}")
        self.problem = problem
        self.remedy = remedy


def nearest(word: str, known: Iterable[str]) -> str | None:
    """The known word that ``word`` was most likely meant to be, or None if none is close."""
    matches = difflib.get_close_matches(word, list(known), n=1, cutoff=0.5)
    return matches[0] if matches else None
