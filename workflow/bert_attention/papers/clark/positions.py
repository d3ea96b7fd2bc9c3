"""Attention to positions and token types (Clark et al. 2019, sections 3.1 and 3.2, figure 2)."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd

from bert_attention.attention.store import StoredSequence
from bert_attention.heads import head_table
from bert_attention.statistics.sums import Sums

# The targets that can be the resting token.
RESTING = ("cls", "sep", "punctuation")
TARGETS = ("self", "previous", "next", "cls", "sep", "punctuation", "sep_from_sep", "sep_from_other")


def sums(sequence: StoredSequence) -> dict[str, np.ndarray | float]:
    """Return a sequence's sums: its share of attention to each target ``[layer, head]``, and 1 for each target."""
    shares = attention_to_targets(sequence.attention, sequence.categories)
    return shares | {f"n/{target}": 1 for target in shares}


def table(sums: Sums) -> pd.DataFrame:
    """Return table ``clark_positions``: each head's mean attention to each target, weighting all sequences equally.

    ``rests`` is True for the encoder's resting token: [CLS], [SEP], or periods and commas, whichever gets most
    attention, averaged over heads. All analyses that ask the resting token use this one.
    """
    counts, rests = sums.within("n/"), _resting_token(sums.of_all)
    tables = [
        head_table(target=t, rests=t == rests, attention=sums[t] / counts[t], n=counts[t])
        for t in TARGETS
        if t in counts
    ]
    return pd.concat(tables, ignore_index=True)


def _resting_token(sums: Sums) -> str:
    return max(RESTING, key=lambda target: sums[target].sum() / sums[f"n/{target}"])


def attention_to_targets(attention: np.ndarray, categories: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Return the share of attention that a token gives to each target, averaged over one sequence of n tokens.

    As in the released ``General_Analysis.ipynb``, the sum over the cells of a target is divided by n. This holds for
    the previous and the next token, too, although one of the n tokens has neither. Attention from [SEP] to [SEP] is
    divided by the number of [SEP] tokens (2 in the released code, as each segment has two). Attention from other tokens
    to [SEP] is divided by the number of other tokens. ``attention`` is ``[layer, head, query, key]`` with rows summing
    to one, and each category is a mask ``[token]``. The results are ``[layer, head]``. Without [SEP], the target
    ``sep_from_sep`` is missing.
    """
    n = attention.shape[-1]
    diagonal_sums = {
        target: np.diagonal(attention, offset, axis1=-2, axis2=-1).sum(-1)
        for target, offset in (("self", 0), ("previous", -1), ("next", 1))
    }
    columns = np.stack([categories[name] for name in ("cls", "sep", "punctuation")], axis=-1).astype(attention.dtype)
    to_cls, to_sep, to_punctuation = np.moveaxis(attention @ columns, -1, 0)  # each [layer, head, query]
    from_sep = categories["sep"]
    shares = {
        **{target: sums / n for target, sums in diagonal_sums.items()},
        "cls": to_cls.mean(-1),
        "sep": to_sep.mean(-1),
        "punctuation": to_punctuation.mean(-1),
        "sep_from_other": to_sep[..., ~from_sep].mean(-1),
    }
    return shares | ({"sep_from_sep": to_sep[..., from_sep].mean(-1)} if from_sep.any() else {})
