"""Lines and texts that a reader cannot use, such as withheld words: they stop the job, or are left out and counted."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence

from bert_attention.errors import InputError, check_choice

ON_BAD_INPUT = ("error", "skip")

# What stands for a word where a corpus is shipped without its text: CorefUD and UD have "_" for it, GUM as many as the
# word has letters, CoNLL-2012 "[WORD]".
_WITHHELD = re.compile(r"_+|\[WORD\]")
GET_TEXT = "get the words from the owner of the text, and fill them in with the program that comes with the corpus"


def is_withheld(words: Sequence[str]) -> bool:
    """Return True if each word of a sentence is a blank. A single long line ("____") is a word that people do write."""
    blank = bool(words) and all(map(_WITHHELD.fullmatch, words))
    return blank and (len(words) > 1 or len(words[0]) == 1)


def told(left_out: Mapping[str, int]) -> str:
    """Return what was left out as the end of a sentence; nothing if that was nothing."""
    listed = ", ".join(f"{count} {reason}" for reason, count in left_out.items() if count)
    return f"; left out: {listed}" if listed else ""


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
    check_choice("on_bad_input", on_bad_input, ON_BAD_INPUT)
    if on_bad_input == "error":
        in_workflow = f"set on_bad_input: skip to leave such {what} out"
        raise InputError(where, error.problem, error.remedy, in_workflow) from None
    left_out[error.kind] += 1
