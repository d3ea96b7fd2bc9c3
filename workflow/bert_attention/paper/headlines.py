"""The sentences with numbers that open the results page, on what a run found.

Each is in ``papers/<paper>/numbers.py``. README.md has the first four in the same words; a test compares them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from bert_attention.judging.claims import Headline
from bert_attention.papers import paper
from bert_attention.results import results
from bert_attention.tokenization.delimiters import Delimiters

_SHOWN = 4
_RESTING_TOKEN = ("clark_resting_token", "clark_attention_to_resting_token")


def headlines() -> list[Headline]:
    """Return all sentences, in the order of the papers."""
    return [headline for name in results().papers for headline in paper(name).headlines]


def requested_numbers() -> list[str]:
    """Return the names of the numbers in all sentences, and of those on the resting token."""
    return [*_RESTING_TOKEN, *(name for headline in headlines() for name in headline.numbers)]


def filled_headlines(numbers: Mapping[str, str], delimiters: Delimiters | None = None) -> list[Headline]:
    """Return the first four sentences whose numbers are known, filled in, with the names of the model's tokens."""
    own = delimiters or Delimiters()
    known = [headline for headline in headlines() if numbers.keys() >= {*headline.numbers}]
    return [replace(headline, text=own.named_in(headline.text.format(**numbers))) for headline in known[:_SHOWN]]
