"""Correlation of attention weights with the norms of the attended vectors (Kobayashi et al. 2020, section 4.2)."""

from __future__ import annotations

import numpy as np
import pandas as pd

from bert_attention.attention.store import StoredSequence
from bert_attention.papers.kobayashi.columns import CATEGORIES
from bert_attention.statistics.joint_counts import FloatBins, cells, coarser, joint_counts, spearman
from bert_attention.statistics.sums import Sums

# Attention is stored as float16, which has no value between zero and 2**-24, so zero has a bin of its own. The bins are
# narrow because values crowd: norms of a token that is the same everywhere, such as [SEP], and weights of nearly
# uniform attention, as with random weights.
_WEIGHTS = FloatBins(lowest=-24, highest=0, bits=5)
_NORMS = FloatBins(lowest=-8, highest=8, bits=5)
# For figures: octaves of weights, and eighths of octaves of norms.
_DRAWN_WEIGHTS = FloatBins(lowest=-24, highest=0, bits=0)
_DRAWN_NORMS = FloatBins(lowest=-8, highest=8, bits=3)


def sums(sequence: StoredSequence) -> dict[str, np.ndarray]:
    """Return a sequence's sums: pairs of tokens by kind of the attended token, norm and weight, ``[category, ...]``."""
    category = np.stack([sequence.categories[name] for name in CATEGORIES]).argmax(0)
    norm, weight = _NORMS(sequence.value_norms)[:, :, None, :], _WEIGHTS(sequence.attention)
    return {"pairs": joint_counts((len(CATEGORIES), len(_NORMS), len(_WEIGHTS)), category, norm, weight)}


def table(sums: Sums) -> dict[str, pd.DataFrame]:
    """Return tables ``kobayashi_correlation`` and ``kobayashi_correlation_bins``: ``alpha`` against ``||f_h(x_j)||``.

    The first holds Spearman's correlation of the two, by category of the attended token j (the paper's table 2). All
    pairs of tokens, of all heads, layers and sequences, are pooled, as in the released
    ``relation_between_alpha_fx.py``. ``n`` counts them. Pairs in a bin, 1/32 of an octave of weights by 1/32 of an
    octave of norms, are ties. On real text the correlation is within .001 of the exact value, in all-MiniLM-L6-v2 and
    in the same encoder with random weights at the trained scale. With random weights from N(0, 0.02), it is within
    .002.

    The second counts the pairs by ranges of weight and norm. Weights of zero have a range of their own, up to
    ``2**-24``. Only ranges with pairs have rows.
    """
    pairs, drawn = sums["pairs"], sums.of_all["pairs"]
    drawn = coarser(coarser(drawn, _WEIGHTS, _DRAWN_WEIGHTS), _NORMS, _DRAWN_NORMS, axis=1).swapaxes(1, 2)
    edges = {"weight": _DRAWN_WEIGHTS.edges(), "norm": _DRAWN_NORMS.edges()}
    bins = [cells(counts, **edges).assign(category=name) for name, counts in zip(CATEGORIES, drawn, strict=True)]
    return {
        "kobayashi_correlation": pd.DataFrame(
            {"category": CATEGORIES, "spearman": spearman(pairs), "n": pairs.sum((1, 2))}
        ),
        "kobayashi_correlation_bins": pd.concat(bins, ignore_index=True),
    }
