"""Correlation of token frequency with attention, by weight and by norm (Kobayashi et al. 2020, section 4.3)."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd

from bert_attention.attention.store import StoredSequence
from bert_attention.papers.kobayashi.columns import TOKENS
from bert_attention.statistics.joint_counts import OctaveBins, cells, spearman
from bert_attention.statistics.sums import Sums

# If attention is nearly uniform, as with random weights, all weights are within a few percent of each other.
VALUE_BINS = {"norm": OctaveBins(bits=8, drawn_bits=6), "weight": OctaveBins(bits=10, drawn_bits=4)}
# Ranges of whole ranks, from each edge up to the next. The first ranks, which take up most of a text, have one range
# each. The last range also holds all higher ranks.
_RANK_EDGES = np.unique(np.geomspace(1, 2**15, 45).round().astype(int))


def sums(sequence: StoredSequence, ranks: np.ndarray) -> dict[str, np.ndarray]:
    """Return a sequence's sums: its tokens by each measure, see :func:`count_tokens`.

    The ranks are those of :func:`bert_attention.corpora.token_frequency.token_ranks`.
    """
    values = {"norm": sequence.value_norms.mean(1), "weight": sequence.attention.mean((1, 2))}
    special = sequence.categories["cls"] | sequence.categories["sep"]
    return count_tokens(values, VALUE_BINS, ranks[sequence.token_ids], special)


def table(sums: Sums) -> dict[str, pd.DataFrame]:
    """Return tables ``kobayashi_frequency`` and ``kobayashi_frequency_bins``: frequency rank against attention.

    The first holds Spearman's correlations. A point is an occurrence of a token. ``weight`` is the token's mean
    ``alpha`` over queries and heads, ``norm`` its mean ``||f_h(x_j)||`` over heads. ``layer`` 0 averages both over
    layers, as in the released ``relation_with_freq.py``. ``tokens`` says if [CLS] and [SEP] are among the points; we
    assume that the paper's value excludes them. ``n`` counts the points. Points in a bin of ranks, or of values, are
    ties. On 300 segments of Wikipedia, every correlation of a layer is within .003 of the exact value. This holds in
    all-MiniLM-L6-v2, and in the same encoder with random weights, from N(0, 0.02) or at the trained scale. Most of the
    error comes from the ranges of rank.

    The second counts the points of ``layer`` 0, without special tokens, by ranges. Ranges of rank hold whole ranks from
    ``rank_low`` up to, not including, ``rank_high``. Ranges of ``value`` have equal width in each octave. Only ranges
    with points have rows.
    """
    return {
        "kobayashi_frequency": rank_correlations(sums, "measure", VALUE_BINS),
        "kobayashi_frequency_bins": cells_of_words(sums, "measure", VALUE_BINS),
    }


def count_tokens(
    values: Mapping[str, np.ndarray], bins: Mapping[str, OctaveBins], ranks: np.ndarray, special: np.ndarray
) -> dict[str, np.ndarray]:
    """Count the tokens of a sequence by ranges of rank and of each kind of value; layer 0 is the mean over layers.

    The values of each kind are ``[layer, token]``. The frequency ranks and the mask of [CLS] and [SEP] are ``[token]``.
    The counts are by kind, layer and octave of the value. They are ``[rank, bin]`` of the words (``norm/0/words/-3``)
    and ``[1, bin]`` of the special tokens of a range of ranks (``norm/0/17/-3``).
    """
    rank = np.minimum(np.searchsorted(_RANK_EDGES, ranks, side="right"), len(_RANK_EDGES) - 1) - 1
    rows = {"words": (~special, rank[~special], len(_RANK_EDGES) - 1)}
    for special_rank in np.unique(rank[special]).tolist():
        mask = special & (rank == special_rank)
        rows[f"{special_rank}"] = (mask, 0 * rank[mask], 1)
    return {
        f"{kind}/{layer}/{tokens}/{octave}": counts
        for kind, by_layer in values.items()
        for layer, layer_values in enumerate([by_layer.mean(0, dtype=np.float64), *by_layer])
        for tokens, (mask, row, size) in rows.items()
        for octave, counts in bins[kind].counts(layer_values[mask], row, size).items()
    }


def rank_correlations(sums: Sums, column: str, kinds: Mapping[str, OctaveBins]) -> pd.DataFrame:
    """Return Spearman's correlation of rank with each kind of value (named in ``column``), by layer, 0 included."""
    rows = []
    for kind in kinds:
        kind_sums = sums.within(f"{kind}/")
        layers = sorted({int(name.partition("/")[0]) for name in kind_sums})
        layer_counts = [dict(kind_sums.within(f"{layer}/")) for layer in layers]
        for tokens in TOKENS:
            grids = [_grid(counts, with_specials=tokens == "all") for counts in layer_counts]
            by_layer = {"layer": layers, "spearman": [float(spearman(grid)) for grid in grids], "n": grids[0].sum()}
            rows.append(pd.DataFrame({**by_layer, column: kind, "tokens": tokens}))
    return pd.concat(rows, ignore_index=True)


def _grid(layer_counts: Mapping[str, np.ndarray], with_specials: bool) -> np.ndarray:
    """Join the octaves of a layer's counts into tokens by rank and value, ``[rank, value]``."""
    octaves: dict[int, np.ndarray] = {}
    for name, counts in layer_counts.items():
        tokens, _, octave = name.partition("/")
        if tokens == "words" or with_specials:
            grid = octaves.setdefault(int(octave), np.zeros((len(_RANK_EDGES) - 1, counts.shape[-1]), dtype=np.int64))
            grid[slice(None) if tokens == "words" else [int(tokens)]] += counts
    empty = np.zeros((len(_RANK_EDGES) - 1, 0), dtype=np.int64)
    return np.concatenate([empty, *(octaves[octave] for octave in sorted(octaves))], axis=1)


def cells_of_words(sums: Sums, column: str, kinds: Mapping[str, OctaveBins]) -> pd.DataFrame:
    """Return the ranges of rank and value that have words, averaged over layers; ``column`` names the kind of value."""
    tables = [
        cells(bins.drawn(counts), rank=_RANK_EDGES, value=bins.edges(int(octave))).assign(**{column: kind})
        for kind, bins in kinds.items()
        for octave, counts in sums.of_all.within(f"{kind}/0/words/").items()
    ]
    return pd.concat(tables).sort_values([column, "rank_low", "value_low"], ignore_index=True)
