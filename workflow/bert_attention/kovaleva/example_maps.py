"""All attention maps of one example of a task (Kovaleva et al. 2019, appendix A, figure 10)."""

from __future__ import annotations

from collections.abc import Iterable

import pandas as pd

from bert_attention.attention.store import StoredSequence
from bert_attention.heads import cell_table

TOKENS = 20  # of 144 heads, larger maps are too small to see; smaller ones have no pattern
_DIGITS = 3


def example_maps(finetuned_sequences: Iterable[StoredSequence]) -> pd.DataFrame:
    """Table ``kovaleva_example_maps``: attention of every head in one example, cell by cell.

    The paper takes examples at random. Here it is the one with the number of tokens nearest to ``TOKENS``; of several,
    the first.

    Parameters
    ----------
    finetuned_sequences
        A task's validation examples in the model that is fine-tuned on it.

    Returns
    -------
    A row for each head, query and key, which count from 0, with the ``weight``; ``example`` is the number of the
    example from 1.
    """
    chosen = min(finetuned_sequences, key=lambda sequence: abs(len(sequence.token_ids) - TOKENS))
    axes = {"example": chosen.index + 1, "layer": 1, "head": 1, "query": 0, "key": 0}
    return cell_table(axes, weight=chosen.attention.round(_DIGITS)[None])
