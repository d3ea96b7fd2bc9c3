"""Errors that a user can act on."""

from __future__ import annotations

import difflib
from collections.abc import Collection, Iterable
from numbers import Integral


class InputError(ValueError):
    """Input from a user that cannot be used.

    The message says where it is, what is wrong and what to do, so that it can be shown without a traceback.

    Attributes
    ----------
    problem, remedy
        What is wrong, and what to do.
    in_workflow
        What else helps in a run of the workflow, such as a key of an edition; users of the library are not told.
    """

    def __init__(self, where: object, problem: str, remedy: str, in_workflow: str = ""):
        super().__init__(f"{where}: {problem}\n  Remedy: {remedy}")
        self.where = where
        self.problem = problem
        self.remedy = remedy
        self.in_workflow = in_workflow

    def for_workflow(self) -> InputError:
        """Return the error with all remedies of a run of the workflow."""
        remedies = f"{self.remedy}, or {self.in_workflow}" if self.in_workflow else self.remedy
        return InputError(self.where, self.problem, remedies)


def check_choice(name: str, value: object, choices: Collection[str]) -> None:
    """Check that an argument of a function is one of those that it knows.

    Raises
    ------
    InputError
        If not; it lists them.
    """
    if not isinstance(value, str) or value not in choices:
        meant = nearest(value, choices) if isinstance(value, str) else None
        remedy = f"give one of them: {meant}?" if meant else "give one of them"
        raise InputError(f"{name}={value!r}", f"is not one of {', '.join(choices)}", remedy)


def check_count(name: str, value: object, least: int) -> None:
    """Check that an argument of a function is a whole number that is large enough.

    Raises
    ------
    InputError
        If not.
    """
    if not isinstance(value, Integral) or isinstance(value, bool) or value < least:
        raise InputError(f"{name}={value!r}", "is not a whole number, or too small", f"give {least} or more")


def check_text(text: str, where: object) -> None:
    """Check that a text consists of characters.

    Raises
    ------
    InputError
        If it holds half of a surrogate pair, as a text does that was cut by its UTF-16 units, or read as UTF-8 and is
        not.
    """
    try:
        text.encode("utf-8")
    except UnicodeEncodeError as error:
        half = f"U+{ord(text[error.start]):04X}"
        problem = f"holds {half} at character {error.start + 1}, which is no character but a part of one"
        remedy = "give the whole text, as UTF-8: where a file was read, open it with its own encoding"
        raise InputError(where, problem, remedy) from None


def nearest(word: str, known: Iterable[str]) -> str | None:
    """The known word that ``word`` was most likely meant to be, or None if none is close."""
    matches = difflib.get_close_matches(word, list(known), n=1, cutoff=0.5)
    return matches[0] if matches else None
