"""Errors that a user can act on."""

from __future__ import annotations

import difflib
from collections.abc import Collection, Iterable
from numbers import Integral

# NumPy and scikit-learn accept seeds below 2^32, and some jobs add a small number to the seed.
LARGEST_SEED = 4_000_000_000
MOST_CONTROLS = 1000  # random encoders of a control


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


def check_count(name: str, value: object, least: int, most: int | None = None) -> int:
    """Return an argument as an ``int``; raise InputError if it is not a whole number from ``least`` to ``most``."""
    number = int(value) if isinstance(value, Integral) and not isinstance(value, bool) else least - 1
    if number >= least and (most is None or number <= most):
        return number
    problem = "is not a whole number, or too small" if most is None else "is not a whole number, too small or too large"
    wanted = f"of at least {least}" if most is None else f"from {least} to {most}"
    raise InputError(f"{name}={value!r}", problem, f"give a whole number {wanted}")


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
