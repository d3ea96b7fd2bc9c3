"""All attention maps of one example of a task (Kovaleva et al. 2019, appendix A, figure 10)."""

from __future__ import annotations

from collections.abc import Iterable

import pandas as pd

from bert_attention.attention.store import StoredSequence
from bert_attention.heads import cell_table

LONGEST = 20  # tokens: of 144 heads, longer maps are too small to see
_DIGITS = 3


def example_maps(finetuned_sequences: Iterable[StoredSequence]) -> pd.DataFrame:
    """Table ``kovaleva_example_maps``: attention of every head in one example, cell by cell.

    The paper takes examples at random. Here it is the first of at most ``LONGEST`` tokens; if there is none, the
    shortest.

    Parameters
    ----------
    finetuned_sequences
        A task's validation examples in the model that is fine-tuned on it.

    Returns
    -------
    A row for each head, query and key, which count from 0, with the ``weight``; ``example`` is the number of the
    example from 1.
    """
    chosen = None
    for sequence in finetuned_sequences:
        if chosen is None or len(sequence.token_ids) < len(chosen.token_ids):
            chosen = sequence
        if len(chosen.token_ids) <= LONGEST:
            break
    axes = {"example": chosen.index + 1, "layer": 1, "head": 1, "query": 0, "key": 0}
    return cell_table(axes, weight=chosen.attention.round(_DIGITS)[None])
