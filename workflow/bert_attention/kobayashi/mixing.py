"""How much of a token's new vector comes from other tokens (Kobayashi et al. 2021, tables 1 and 2)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np
import pandas as pd

from bert_attention.attention.mixing_methods import MIXING_METHODS
from bert_attention.attention.store import StoredSequence
from bert_attention.kobayashi.column_values import MIXING_CATEGORIES, TEXTS
from bert_attention.kobayashi.frequency import TokenPoints, rank_bins, rank_correlations
from bert_attention.statistics.moments import Moments

_ALL = "all"  # tokens of every category


def mixing(
    sequences: Iterable[StoredSequence], masked_sequences: Iterable[StoredSequence], ranks: np.ndarray
) -> dict[str, pd.DataFrame]:
    """Tables ``kobayashi_mixing``, its ``_categories``, its ``_frequency`` and its ``_frequency_bins``.

    ``text`` tells whether the encoder was fed the ``whole`` text, or the same text ``masked``, that is, with some
    tokens replaced by [MASK]. The released code masks 12 % of the tokens for the paper's table 1
    (``mixing_ratio_stats_bert.py``), and none for its table 2 (``relation_with_freq.py``).

    The first table holds the mean ratio, its standard deviation and extremes, over all tokens; ``layer`` 0 pools the
    layers, as the paper's table does. The second holds the same for each kind of token (:func:`token_kinds`).

    The third holds Spearman's correlation of frequency rank with mixing ratio; layers and tokens as in
    :func:`bert_attention.kobayashi.frequency.frequency`. The fourth counts the points behind it, ratios averaged over
    layers, by ranges of equal width. A masked token has the rank of the token that was replaced.

    Parameters
    ----------
    masked_sequences
        The same sequences in the same order, with some tokens replaced.
    ranks
        :func:`bert_attention.corpora.token_frequency.token_ranks`.

    Raises
    ------
    ValueError
        If the two texts do not have the same number of sequences, or of tokens in one.
    """
    by_text = {text: _Ratios() for text in TEXTS}
    for whole, masked in zip(sequences, masked_sequences, strict=True):
        for text, fed in zip(TEXTS, (whole, masked), strict=True):
            by_text[text].add(fed.mixing, token_kinds(fed, whole), ranks[whole.token_ids])
    parts = {text: ratios.tables(ranks.max()) for text, ratios in by_text.items()}
    return {
        name: pd.concat([tables[name].assign(text=text) for text, tables in parts.items()], ignore_index=True)
        for name in parts[TEXTS[0]]
    }


def token_kinds(fed: StoredSequence, whole: StoredSequence) -> dict[str, np.ndarray]:
    """A mask ``[n]`` for each kind of token (``MIXING_CATEGORIES``) in what the encoder was fed.

    ``mask`` is where it differs from the whole text; these tokens are not among the ``other``.

    Raises
    ------
    ValueError
        If the two do not have the same number of tokens.
    """
    token_ids = fed.token_ids
    if len(token_ids) != len(whole.token_ids):
        raise ValueError(f"a text has {len(whole.token_ids)} tokens, but {len(token_ids)} after masking")
    replaced = token_ids != whole.token_ids
    kinds = {category: mask & ~replaced for category, mask in fed.categories.items()}
    return kinds | {"mask": replaced}


class _Ratios:
    """The mixing ratios of one text: moments of each kind of token, and a point for each token."""

    def __init__(self) -> None:
        self._by_layer: dict[str, Moments] = {}
        self._pooled: dict[str, Moments] = {}
        self._points = TokenPoints()

    def add(self, ratios: np.ndarray, kinds: Mapping[str, np.ndarray], ranks: np.ndarray) -> None:
        """Add one sequence: ratios ``[method, layer, token]``, masks and ranks ``[token]``."""
        for category, mask in {_ALL: np.ones(len(ranks), dtype=bool), **kinds}.items():
            if mask.any():
                some = ratios[..., mask]
                self._by_layer.setdefault(category, Moments()).add_all(some)
                self._pooled.setdefault(category, Moments()).add_all(some.reshape(len(some), 1, -1))
        self._points.add(ratios, ranks, kinds["cls"] | kinds["sep"])

    def tables(self, last_rank: int) -> dict[str, pd.DataFrame]:
        """All tables of one text, by name."""
        found = [category for category in MIXING_CATEGORIES if category in self._pooled]
        return {
            "kobayashi_mixing": self._rows([_ALL]).drop(columns="category"),
            "kobayashi_mixing_categories": self._rows(found),
            "kobayashi_mixing_frequency": rank_correlations(self._points, MIXING_METHODS, "method"),
            "kobayashi_mixing_frequency_bins": rank_bins(
                self._points, MIXING_METHODS, "method", last_rank, np.linspace
            ),
        }

    def _rows(self, categories: Sequence[str]) -> pd.DataFrame:
        tables = [
            _rows(moments[category], first_layer).assign(category=category)
            for category in categories
            for first_layer, moments in enumerate((self._pooled, self._by_layer))
        ]
        return pd.concat(tables, ignore_index=True)


def _rows(moments: Moments, first_layer: int) -> pd.DataFrame:
    method, layer = np.indices(moments.mean.shape)
    columns = {"mixing_ratio": moments.mean, "sd": moments.sd, "min": moments.min, "max": moments.max}
    return pd.DataFrame(
        {
            "layer": layer.ravel() + first_layer,
            "method": np.take(MIXING_METHODS, method.ravel()),
            **{name: values.ravel() for name, values in columns.items()},
            "n": moments.n,
        }
    )
