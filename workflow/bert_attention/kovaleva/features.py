"""Attention to tokens with linguistic features, from all tokens (Kovaleva et al. 2019, section 4.4, figure 6)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np
import pandas as pd

from bert_attention.attention.store import StoredSequence
from bert_attention.corpora.types import Sentence, TaskInput
from bert_attention.heads import head_table
from bert_attention.kovaleva.column_values import FEATURES, MODELS, VARIANTS
from bert_attention.kovaleva.feature_positions import highest, with_feature_positions
from bert_attention.kovaleva.means import mean_with_interval


def features(
    pretrained_sequences: Iterable[StoredSequence],
    finetuned_sequences: Iterable[StoredSequence],
    examples: Sequence[TaskInput],
    parses: Mapping[str, Sequence[Sentence]],
    task: str,
    seed: int,
) -> pd.DataFrame:
    """Table ``kovaleva_features``: each head's attention to each feature, averaged over the examples that count.

    In one example it is the highest among the feature's tokens of the attention that a token receives, averaged over
    all attending tokens. Which tokens those are, and which examples count, is said in
    :mod:`bert_attention.kovaleva.feature_positions`. ``low`` and ``high`` bound the mean over examples; all three are
    empty where no example counts.

    Parameters
    ----------
    pretrained_sequences, finetuned_sequences
        Attention ``[layer, head, query, key]`` of the encoder as it comes and fine-tuned, in the order of ``examples``.
    parses
        The sentences of each text by its name.
    seed
        Seed of the resamples.

    Raises
    ------
    ValueError
        If sequences and examples do not belong together.
    """
    tables = []
    for model, sequences in zip(MODELS, (pretrained_sequences, finetuned_sequences), strict=True):
        scores, counted = [], []
        for sequence, positions in with_feature_positions(sequences, examples, parses):
            scores.append(highest(sequence.attention.mean(2), positions.tokens))
            counted.append(positions.counted)
        scores, counted = np.stack(scores), np.stack(counted)
        for number, variant in enumerate(VARIANTS):
            for place, feature in enumerate(FEATURES):
                columns = mean_with_interval(scores[:, number, place], counted[:, number, place], seed)
                labels = {"task": task, "model": model, "feature": feature, "variant": variant}
                tables.append(head_table(attention=columns.pop("mean"), **columns, **labels))
    return pd.concat(tables, ignore_index=True)
