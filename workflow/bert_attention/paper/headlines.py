"""The sentences with numbers that open the results page, on what a run found, and remarks on each encoder.

Each is in ``papers/<paper>/numbers.py``. README.md has the first four in the same words; a test compares them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from bert_attention.judging.claims import Headline, numbers_in
from bert_attention.papers import paper
from bert_attention.results import results
from bert_attention.tokenization.delimiters import Delimiters

_SHOWN = 4


def headlines() -> list[Headline]:
    """Return all sentences, in the order of the papers."""
    return [headline for name in results().papers for headline in paper(name).headlines]


def remarks() -> list[str]:
    """Return what is said after the name of an encoder, with the names of numbers in braces."""
    return [remark for name in results().papers for remark in paper(name).remarks]


def requested_numbers() -> list[str]:
    """Return the names of the numbers in all sentences and remarks."""
    return [name for text in (*remarks(), *(headline.text for headline in headlines())) for name in numbers_in(text)]


def filled_headlines(numbers: Mapping[str, str], delimiters: Delimiters | None = None) -> list[Headline]:
    """Return the first four sentences whose numbers are known, filled in, with the names of the model's tokens."""
    own = delimiters or Delimiters()
    known = [headline for headline in headlines() if numbers.keys() >= {*numbers_in(headline.text)}]
    return [replace(headline, text=own.named_in(headline.text.format(**numbers))) for headline in known[:_SHOWN]]
