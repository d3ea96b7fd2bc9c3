"""Errors that a user can act on."""

from __future__ import annotations

import difflib
from collections.abc import Collection, Iterable
from numbers import Integral


class InputError(ValueError):
    """Error in the user's input.

    The message says where the error is, what is wrong and what to do, so that it can be shown without a traceback.

    Attributes
    ----------
    problem, remedy
        The text that says what is wrong, and the text that says what to do.
    in_workflow
        A further remedy in a run of the workflow, such as a key of an edition. Library users do not see it.
    """

    def __init__(self, where: object, problem: str, remedy: str, in_workflow: str = ""):
        super().__init__(f"{where}: {problem}\n  Remedy: {remedy}")
        self.where = where
        self.problem = problem
        self.remedy = remedy
        self.in_workflow = in_workflow

    def for_workflow(self) -> InputError:
        """Return the error with the remedy for runs of the workflow added."""
        remedies = f"{self.remedy}, or {self.in_workflow}" if self.in_workflow else self.remedy
        return InputError(self.where, self.problem, remedies)


def check_choice(name: str, value: object, choices: Collection[str]) -> None:
    """Raise InputError, which lists the choices, if an argument is not one of them."""
    if not isinstance(value, str) or value not in choices:
        meant = nearest(value, choices) if isinstance(value, str) else None
        remedy = f"give one of them: {meant}?" if meant else "give one of them"
        raise InputError(f"{name}={value!r}", f"is not one of {', '.join(choices)}", remedy)


def check_count(name: str, value: object, least: int) -> None:
    """Raise InputError if an argument is not a whole number of at least ``least``."""
    if not isinstance(value, Integral) or isinstance(value, bool) or value < least:
        raise InputError(
            f"{name}={value!r}", "is not a whole number, or too small", f"give a whole number of at least {least}"
        )


def check_text(text: str, where: object) -> None:
    """Raise InputError if a text has half of a surrogate pair.

    Causes are a cut between UTF-16 units, and bytes in another encoding that were decoded as UTF-8.
    """
    try:
        text.encode("utf-8")
    except UnicodeEncodeError as error:
        half = f"U+{ord(text[error.start]):04X}"
        problem = f"has {half} at character {error.start + 1}, which is half of a surrogate pair, not a character"
        remedy = "give the whole text; if it was read from a file, open the file with its own encoding"
        raise InputError(where, problem, remedy) from None


def nearest(word: str, known: Iterable[str]) -> str | None:
    """Return the known word that is closest to ``word``, or None if no word is close."""
    matches = difflib.get_close_matches(word, list(known), n=1, cutoff=0.5)
    return matches[0] if matches else None
