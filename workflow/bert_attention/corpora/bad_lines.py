"""Lines and texts that a reader cannot use, such as blanked-out words: stop the job, or skip and count them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence

from bert_attention.errors import InputError, check_choice

ON_BAD_INPUT = ("error", "skip")

# Placeholders for words in corpora that are shipped without their text: "_" in CorefUD and UD, one "_" per letter in
# GUM, "[WORD]" in CoNLL-2012.
_WITHHELD = re.compile(r"_+|\[WORD\]")
GET_TEXT = "get the text from its owner, and fill the words in with the program that comes with the corpus"


def is_withheld(words: Sequence[str]) -> bool:
    """Return True if all words of a sentence are placeholders. A single long line ("____") is an actual word."""
    blank = bool(words) and all(map(_WITHHELD.fullmatch, words))
    return blank and (len(words) > 1 or len(words[0]) == 1)


def format_left_out(left_out: Mapping[str, int]) -> str:
    """Return the counts of skipped items as the end of a sentence; empty if nothing was skipped."""
    listed = ", ".join(f"{count} {reason}" for reason, count in left_out.items() if count)
    return f"; left out: {listed}" if listed else ""


class BadLineError(ValueError):
    """A line that a reader cannot use.

    ``line`` is the number of the line, from 1. ``kind`` is the kind of mistake for the counts, in the plural.
    ``problem`` says what is wrong, and ``remedy`` how to fix it other than by skipping.
    """

    def __init__(self, line: int, kind: str, problem: str, remedy: str = "correct the file"):
        super().__init__(f"line {line}: {problem}")
        self.line = line
        self.kind = kind
        self.problem = problem
        self.remedy = remedy


def stop_or_count(error: BadLineError, where: str, unit: str, on_bad_input: str, left_out: Counter[str]) -> None:
    """Count a bad line by its kind of mistake (``on_bad_input``: ``skip``), or raise InputError (``error``).

    ``unit`` is the unit to skip, such as sentences or documents.
    """
    check_choice("on_bad_input", on_bad_input, ON_BAD_INPUT)
    if on_bad_input == "error":
        in_workflow = f"set on_bad_input: skip to leave such {unit} out"
        raise InputError(where, error.problem, error.remedy, in_workflow) from None
    left_out[error.kind] += 1
