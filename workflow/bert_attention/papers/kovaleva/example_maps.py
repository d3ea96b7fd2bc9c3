"""All attention maps of one example of a task (Kovaleva et al. 2019, appendix A, figure 10)."""

from __future__ import annotations

from collections.abc import Iterable

import pandas as pd

from bert_attention.attention.store import StoredSequence
from bert_attention.heads import cell_table

TOKENS = 20  # smaller maps show no pattern; the cells of larger maps are too small in a figure of 144 heads
_DIGITS = 3


def example_maps(finetuned_sequences: Iterable[StoredSequence]) -> pd.DataFrame:
    """Return table ``kovaleva_example_maps``: attention of every head in one example, cell by cell.

    The paper takes examples at random. Here the example is the one whose number of tokens is nearest to ``TOKENS``, or
    the first of several. Each row is a cell of a head. Queries and keys count from 0, and ``example`` from 1.
    """
    chosen = min(finetuned_sequences, key=lambda sequence: abs(len(sequence.token_ids) - TOKENS))
    axes = {"example": chosen.index + 1, "layer": 1, "head": 1, "query": 0, "key": 0}
    return cell_table(axes, weight=chosen.attention.round(_DIGITS)[None])
