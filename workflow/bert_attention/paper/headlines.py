"""The sentences with numbers that open the results page, on what a run found."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from string import Formatter

import yaml

from bert_attention.tokenization.delimiters import Delimiters

_HEADLINES_YAML = Path(__file__).with_name("headlines.yaml")
# The result tables behind the sentences and behind the note on the resting token.
TABLES = (
    "clark_positions",
    "clark_dependency_heads",
    "kobayashi_categories",
    "kovaleva_disabled_gains",
    "coenen_probes",
    "vig_patterns",
)
_SHOWN = 4
_RESTING_TOKEN = ("clark_resting_token", "clark_attention_to_resting_token")


@dataclass(frozen=True)
class Headline:
    """A sentence on a finding: its title, and its text with the names of numbers in braces."""

    title: str
    text: str

    @property
    def numbers(self) -> list[str]:
        """Names of the numbers in the sentence."""
        return [name for _, name, *_ in Formatter().parse(self.text) if name]


@cache
def headlines() -> Sequence[Headline]:
    """Return all sentences, in the order of their importance."""
    return [Headline(**entry) for entry in yaml.safe_load(_HEADLINES_YAML.read_text(encoding="utf-8"))]


def requested_numbers() -> list[str]:
    """Return the names of the numbers in all sentences, and of those on the resting token."""
    return [*_RESTING_TOKEN, *(name for headline in headlines() for name in headline.numbers)]


def filled_headlines(numbers: Mapping[str, str], delimiters: Delimiters | None = None) -> list[Headline]:
    """Return the first four sentences whose numbers are known, filled in, with the names of the model's tokens."""
    own = delimiters or Delimiters()
    known = [headline for headline in headlines() if numbers.keys() >= {*headline.numbers}]
    return [Headline(headline.title, own.named_in(headline.text.format(**numbers))) for headline in known[:_SHOWN]]
