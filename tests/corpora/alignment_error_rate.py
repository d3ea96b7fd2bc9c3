"""Alignment error rate by its definition, link by link, as a reference for the analysis."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from bert_attention.corpora.types import AlignedPair, Link


def alignment_error_rate(hypotheses: Iterable[Collection[Link]], pairs: Iterable[AlignedPair]) -> float:
    """Alignment error rate over a corpus: 1 - (Σ|A ∩ S| + Σ|A ∩ P|) / (Σ|A| + Σ|S|).

    A are the links of the hypotheses, S the sure and P the possible ones, sure ones included (Och and Ney 2003, as
    Kobayashi et al. 2020, section 5, use it).
    """
    found = total = 0
    for links, pair in zip(map(frozenset, hypotheses), pairs, strict=True):
        found += len(links & pair.sure) + len(links & (pair.possible | pair.sure))
        total += len(links) + len(pair.sure)
    return 1 - found / total
