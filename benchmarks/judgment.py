"""Verdicts of the scoreboard's rules on claims whose truth is known. This benchmark needs no run.

    python -m benchmarks.judgment

Each published number, or list of numbers, is taken as the truth. `bert_attention.judging.verdicts` then judges several
simulated findings: the exact numbers, numbers with noise or an error of one or two margins, zeros, a constant, and a
permuted list.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cache

import numpy as np
import pandas as pd
from scipy.stats import t

from benchmarks import report
from bert_attention.judging.claims import Claim
from bert_attention.judging.evidence import INCONCLUSIVE
from bert_attention.judging.verdicts import NOT_REPRODUCED, REPRODUCED, judge, margin_of
from bert_attention.papers import paper
from bert_attention.results import results
from bert_attention.statistics.measures import Measured
from bert_attention.statistics.sums import BLOCKS

SEED = 2020
Numbers = Callable[[pd.Series, float, np.random.Generator], pd.Series]


def _off(by: float) -> Numbers:
    """Return a function that adds this many margins to all numbers."""
    return lambda published, margin, _: published + by * margin


def _permuted(published: pd.Series, _margin: float, generator: np.random.Generator) -> pd.Series:
    return pd.Series(generator.permutation(published.to_numpy()), published.index)


# The simulated findings of a run, and the half-width of their intervals in margins.
CASES: Mapping[str, tuple[Numbers, float]] = {
    "the published numbers, without noise": (_off(0), 0.0),
    "the published numbers, intervals of a quarter of the margin": (_off(0), 0.25),
    "the published numbers, intervals of half the margin": (_off(0), 0.5),
    "the published numbers, intervals as wide as the margin": (_off(0), 1.0),
    "the published numbers, intervals of three margins": (_off(0), 3.0),
    "off by a margin": (_off(1), 0.25),
    "off by two margins": (_off(2), 0.25),
    "zeros": (lambda published, *_: published * 0, 0.25),
    "lists: their mean everywhere": (lambda published, *_: published * 0 + published.mean(), 0.25),
    "lists: in another order": (_permuted, 0.25),
}


@cache
def claims_with_numbers() -> list[Claim]:
    """Return each claim that has published numbers with a margin above 0."""
    claims = [claim for name in results().papers for claim in paper(name).claims if claim.numbers is not None]
    return [claim for claim in claims if margin_of(claim, claim.numbers.to_numpy()) > 0]


@cache
def verdicts(case: str) -> Counter[str]:
    """Return the count of each verdict in a case, with noise of the size that the intervals state."""
    numbers, half_width = CASES[case]
    generator = np.random.default_rng(SEED)
    found: Counter[str] = Counter()
    for claim in claims_with_numbers():
        published = claim.numbers
        if case.startswith("lists") and published.nunique() < 2:
            continue
        margin = margin_of(claim, published.to_numpy())
        half = half_width * margin
        true = numbers(published, margin, generator)
        noise = generator.normal(0, half / t.ppf(0.975, BLOCKS - 1), len(published))
        # Omit the claim's statement, because it would help to reject wrong numbers.
        found[judge(replace(claim, true_if={}), _measured(true + noise, half), []).verdict] += 1
    return found


def _measured(numbers: pd.Series, half_width: float) -> Measured:
    """Return numbers with replicates whose intervals have this half-width."""
    step = half_width / (t.ppf(0.975, BLOCKS - 1) * (BLOCKS - 1) ** 0.5)
    return Measured(numbers, [numbers + (step if block % 2 else -step) for block in range(BLOCKS)])


def page() -> str:
    """Return the block of benchmarks/README.md."""
    judged, rows = (REPRODUCED, INCONCLUSIVE, NOT_REPRODUCED), []
    for case in CASES:
        found = verdicts(case)
        rows.append((case, found.total(), *(f"{found[verdict] / found.total():.1%}" for verdict in judged)))
    return report.table(("simulated findings", "claims", *judged), rows)


def main() -> None:
    text = page()
    report.replace_block("judgment", text)
    print(text)


if __name__ == "__main__":
    main()
