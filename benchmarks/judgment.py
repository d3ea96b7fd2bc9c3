"""Verdicts of the scoreboard's rules on claims whose truth is known. This benchmark needs no run.

    python -m benchmarks.judgment

Each published number, or list of numbers, is taken as the truth. `bert_attention.claims.verdicts` then judges several
simulated findings: the exact numbers, numbers with noise or an error of one or two margins, zeros, a constant, and a
permuted list.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd
from scipy.stats import t

from benchmarks import report
from benchmarks.workloads import ROOT
from bert_attention.claims.evidence import INCONCLUSIVE
from bert_attention.claims.publications import Publication, published_numbers, read_publication
from bert_attention.claims.verdicts import NOT_REPRODUCED, REPRODUCED, judge, margin_of
from bert_attention.statistics.queries import Measured
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
def claims_with_numbers() -> list[tuple[Publication, dict, pd.Series]]:
    """Return each claim that has published numbers with a margin above 0, with its publication and the numbers."""
    found = []
    for path in sorted(Path(ROOT, "workflow", "claims").glob("*.yaml")):
        publication = read_publication(path)
        for claim in publication.claims:
            published = published_numbers(claim, publication)
            if published is not None and margin_of(claim, published.to_numpy()) > 0:
                found.append((publication, claim, published))
    return found


@cache
def verdicts(case: str) -> Counter[str]:
    """Return the count of each verdict in a case, with noise of the size that the intervals state."""
    numbers, half_width = CASES[case]
    generator = np.random.default_rng(SEED)
    found: Counter[str] = Counter()
    for publication, claim, published in claims_with_numbers():
        if case.startswith("lists") and published.nunique() < 2:
            continue
        margin = margin_of(claim, published.to_numpy())
        half = half_width * margin
        true = numbers(published, margin, generator)
        noise = generator.normal(0, half / t.ppf(0.975, BLOCKS - 1), len(published))
        # Omit the claim's statement, because it would help to reject wrong numbers.
        claim_alone = {key: value for key, value in claim.items() if key != "holds"}
        found[judge(claim_alone, publication, _measured(true + noise, half), []).verdict] += 1
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
