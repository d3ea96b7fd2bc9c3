"""Share of a token's new vector that comes from other tokens (Kobayashi et al. 2021, tables 1 and 2)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from bert_attention.attention.mixing_methods import MIXING_METHODS
from bert_attention.attention.store import StoredSequence
from bert_attention.heads import cell_table
from bert_attention.papers.kobayashi.columns import MIXING_CATEGORIES, TEXTS
from bert_attention.papers.kobayashi.dispersion import moment_sums, spread
from bert_attention.papers.kobayashi.frequency import cells_of_words, count_tokens, rank_correlations
from bert_attention.statistics.joint_counts import OctaveBins
from bert_attention.statistics.sums import Sums, reduction

_ALL = "all"  # tokens of every category


@dataclass(frozen=True)
class _RatioBins(OctaveBins):
    """Bins of mixing ratios below a limit, of equal width within each octave of ``ratio / (limit - ratio)``.

    Such bins are narrow where ratios are dense: just below the limit, and close to zero.
    """

    limit: float = 1

    def octaves_and_bins(self, values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return super().octaves_and_bins(values / np.maximum(self.limit - values, np.finfo(np.float32).tiny))

    def edges(self, octave: int) -> np.ndarray:
        odds = super().edges(octave)
        return self.limit * odds / (1 + odds)


# attn_res_w gives half of each layer to the residual connection, so other tokens have at most the other half.
RATIO_BINS = {method: _RatioBins(7, 4, limit=0.5 if method == "attn_res_w" else 1) for method in MIXING_METHODS}


def sums(sequence: StoredSequence, masked_sequence: StoredSequence, ranks: np.ndarray) -> dict[str, np.ndarray]:
    """Return a sequence's sums by text: sums for means, by kind of token, and counts of tokens by rank and ratio.

    ``masked_sequence`` is the same sequence with some tokens replaced. The ranks are those of
    :func:`bert_attention.corpora.token_frequency.token_ranks`. Raise ValueError if the sequences differ in length.
    """
    token_ids = sequence.token_ids
    added = {}
    for text, input_sequence in zip(TEXTS, (sequence, masked_sequence), strict=True):
        ratios, input_ids = input_sequence.mixing, input_sequence.token_ids
        if len(input_ids) != len(token_ids):
            raise ValueError(f"a text has {len(token_ids)} tokens, but {len(input_ids)} after masking")
        replaced = input_ids != token_ids
        kinds = {category: mask & ~replaced for category, mask in input_sequence.categories.items()} | {
            "mask": replaced
        }
        for kind, mask in {_ALL: np.ones(ratios.shape[-1], dtype=bool), **kinds}.items():
            if mask.any():
                added |= {f"{text}/ratio/{kind}/{name}": a for name, a in moment_sums(ratios[..., mask]).items()}
        ratios_by_method = dict(zip(MIXING_METHODS, ratios, strict=True))
        counts = count_tokens(ratios_by_method, RATIO_BINS, ranks[token_ids], kinds["cls"] | kinds["sep"])
        added |= {f"{text}/{name}": array for name, array in counts.items()}
    return added


def table(sums: Sums) -> dict[str, pd.DataFrame]:
    """Return tables ``kobayashi_mixing``, its ``_categories``, its ``_frequency`` and its ``_frequency_bins``.

    ``text`` is the encoder's input: the ``whole`` text, or the same text ``masked``, with some tokens replaced by
    [MASK]. The released code masks 12% of the tokens for the paper's table 1 (``mixing_ratio_stats_bert.py``), and
    none for its table 2 (``relation_with_freq.py``).

    The first table holds the mean ratio, its standard deviation and extremes, over all tokens. ``layer`` 0 pools the
    layers, as the paper's table does. The second table holds the same for each kind of token (``MIXING_CATEGORIES``).
    Replaced tokens are only ``mask``.

    The third holds Spearman's correlation of frequency rank with mixing ratio. Layers, tokens and encoders are as in
    :func:`bert_attention.papers.kobayashi.frequency.table`. For these encoders, every correlation of a layer is within
    .003 of the exact value, although all ratios of a layer can lie between .54 and .57. The fourth counts the points
    behind the correlation, with ratios averaged over layers, by ranges of rank and ratio. A masked token has the rank
    of the replaced token.
    """
    parts = {text: _tables(sums.within(f"{text}/")) for text in TEXTS}
    return {
        name: pd.concat([tables[name].assign(text=text) for text, tables in parts.items()], ignore_index=True)
        for name in parts[TEXTS[0]]
    }


def _tables(sums: Sums) -> dict[str, pd.DataFrame]:
    """Return all tables of one text, by name."""
    kinds = [_ratios(sums, kind) for kind in MIXING_CATEGORIES if f"ratio/{kind}/n" in sums]
    return {
        "kobayashi_mixing": _ratios(sums, _ALL).drop(columns="category"),
        "kobayashi_mixing_categories": pd.concat(kinds, ignore_index=True),
        "kobayashi_mixing_frequency": rank_correlations(sums, "method", RATIO_BINS),
        "kobayashi_mixing_frequency_bins": cells_of_words(sums, "method", RATIO_BINS),
    }


def _ratios(sums: Sums, kind: str) -> pd.DataFrame:
    """Return mean, standard deviation and extremes of a kind of token, by method, for pooled layers and each layer."""
    by_layer = sums.within(f"ratio/{kind}/")  # [method, layer] each
    pooled = {name: reduction(name).reduce(array, 1, keepdims=True) for name, array in by_layer.items()}
    values = spread({name: np.concatenate([pooled[name], by_layer[name]], axis=1) for name in pooled})
    table = cell_table({"method": MIXING_METHODS, "layer": 0}, category=kind, **values)
    return table[["layer", "method", "category", *values]].rename(columns={"mean": "mixing_ratio"})
