"""Do frequent tokens get less attention? By weight and by norm (Kobayashi et al. 2020, section 4.3)."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd

from bert_attention.attention.store import StoredSequence
from bert_attention.kobayashi.column_values import TOKENS
from bert_attention.statistics.joint_counts import FloatBins, cells, joint_counts, spearman
from bert_attention.statistics.sums import Sums

# Norms of frequent tokens are close together.
VALUE_BINS = {"norm": FloatBins(lowest=-6, highest=6, bits=6), "weight": FloatBins(lowest=-16, highest=0, bits=4)}
# Ranges of whole ranks, from each up to the next; the first ranks, which take up most of a text, have one each. The
# last holds all further ranks, too.
_RANK_EDGES = np.unique(np.geomspace(1, 2**15, 45).round().astype(int))


def sums(sequence: StoredSequence, ranks: np.ndarray) -> dict[str, np.ndarray]:
    """What a sequence adds: its tokens by each measure, see :func:`count_tokens`.

    Parameters
    ----------
    ranks
        :func:`bert_attention.corpora.token_frequency.token_ranks`.
    """
    values = {"norm": sequence.value_norms.mean(1), "weight": sequence.attention.mean((1, 2))}
    special = sequence.categories["cls"] | sequence.categories["sep"]
    return count_tokens(values, VALUE_BINS, ranks[sequence.token_ids], special)


def table(sums: Sums) -> dict[str, pd.DataFrame]:
    """Tables ``kobayashi_frequency`` and ``kobayashi_frequency_bins``: frequency rank against attention received.

    The first holds Spearman's correlations. A point is an occurrence of a token. ``weight`` is the mean ``alpha`` that
    it receives over queries and heads, ``norm`` its mean ``||f_h(x_j)||`` over heads; ``layer`` 0 averages them over
    layers, as in the released ``relation_with_freq.py``. ``tokens`` tells whether [CLS] and [SEP] are among the points;
    we take the paper's value to be without. ``n`` counts the points. Points in a bin of ranks, or of values, are ties:
    on real text the correlations are within .002 of the exact ones.

    The second counts the points of ``layer`` 0, without specials, by ranges. Ranges of rank hold whole ranks
    from ``rank_low`` up to, not including, ``rank_high``; ranges of ``value`` have equal width in each octave. Only
    ranges with points have rows.
    """
    return {
        "kobayashi_frequency": rank_correlations(sums, "measure", VALUE_BINS),
        "kobayashi_frequency_bins": cells_of_words(sums, "measure", VALUE_BINS),
    }


def count_tokens(
    values: Mapping[str, np.ndarray], bins: Mapping[str, FloatBins], ranks: np.ndarray, special: np.ndarray
) -> dict[str, np.ndarray]:
    """Count the tokens of a sequence by ranges of rank and of each kind of value; layer 0 is the mean over layers.

    Parameters
    ----------
    values
        ``[layer, token]`` of each kind.
    ranks, special
        ``[token]``; a mask of [CLS] and [SEP].

    Returns
    -------
    For each kind the words ``[layer, rank, value]``; and the special tokens by their range of ranks, ``[layer, value]``
    each.
    """
    rank = np.minimum(np.searchsorted(_RANK_EDGES, ranks, side="right"), len(_RANK_EDGES) - 1) - 1
    counts = {}
    for kind, by_layer in values.items():
        places = bins[kind](np.concatenate([by_layer.mean(0, keepdims=True, dtype=np.float64), by_layer]))
        layer, (layers, size) = np.arange(len(places))[:, None], (len(places), len(bins[kind]))
        shape = (layers, len(_RANK_EDGES) - 1, size)
        counts[f"{kind}/words"] = joint_counts(shape, layer, rank[~special], places[:, ~special])
        for some in np.unique(rank[special]):
            these = special & (rank == some)
            counts[f"{kind}/specials/{some}"] = joint_counts((layers, size), layer, places[:, these])
    return counts


def rank_correlations(sums: Sums, column: str, kinds: Mapping[str, object]) -> pd.DataFrame:
    """Spearman's correlation of rank with each kind of value, which ``column`` names, for layer 0 and each layer."""
    rows = []
    for kind in kinds:
        words = sums[f"{kind}/words"]
        everything = words.copy()
        for rank, of_specials in sums.within(f"{kind}/specials/").items():
            everything[:, int(rank)] += of_specials
        for tokens, counts in zip(TOKENS, (words, everything), strict=True):
            by_layer = {"layer": np.arange(len(counts)), "spearman": spearman(counts), "n": counts[0].sum()}
            rows.append(pd.DataFrame({**by_layer, column: kind, "tokens": tokens}))
    return pd.concat(rows, ignore_index=True)


def cells_of_words(sums: Sums, column: str, kinds: Mapping[str, FloatBins]) -> pd.DataFrame:
    """The ranges of rank and of each kind of value, which ``column`` names, that have words; averaged over layers."""
    tables = [
        cells(sums.of_all[f"{kind}/words"][0], rank=_RANK_EDGES, value=bins.edges()).assign(**{column: kind})
        for kind, bins in kinds.items()
    ]
    return pd.concat(tables, ignore_index=True)
