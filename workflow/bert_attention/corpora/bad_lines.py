"""What a reader cannot use: it stops the job, or is left out and counted, as the edition's ``on_bad_input`` says."""

from __future__ import annotations

from collections import Counter

from bert_attention.errors import InputError


class BadLineError(ValueError):
    """A line that a reader cannot use.

    Attributes
    ----------
    line
        Its number, from 1.
    kind
        The kind of mistake, a plural, under which it is counted.
    problem, remedy
        What is wrong, and what to do other than to leave it out.
    """

    def __init__(self, line: int, kind: str, problem: str, remedy: str = "correct the file"):
        super().__init__(f"line {line}: {problem}")
        self.line = line
        self.kind = kind
        self.problem = problem
        self.remedy = remedy


def stop_or_count(error: BadLineError, where: str, what: str, on_bad_input: str, left_out: Counter[str]) -> None:
    """Count what a bad line makes unusable (``on_bad_input``: ``skip``), or stop at it (``error``).

    Parameters
    ----------
    what
        What is left out with the line: sentences, documents.

    Raises
    ------
    InputError
        With the line, unless it is to be left out.
    """
    if on_bad_input == "error":
        remedy = f"{error.remedy}, or set on_bad_input: skip to leave such {what} out"
        raise InputError(where, error.problem, remedy) from None
    left_out[error.kind] += 1
