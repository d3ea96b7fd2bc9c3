"""What [CLS] attends to in the last layer (Kovaleva et al. 2019, section 4.5, figure 7)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np
import pandas as pd

from bert_attention.attention.store import StoredSequence
from bert_attention.corpora.types import Sentence, TaskInput
from bert_attention.kovaleva.column_values import FEATURES, MODELS, VARIANTS
from bert_attention.kovaleva.feature_positions import highest, with_feature_positions
from bert_attention.kovaleva.means import mean_with_interval


def attention_from_cls(
    pretrained_sequences: Iterable[StoredSequence],
    finetuned_sequences: Iterable[StoredSequence],
    examples: Sequence[TaskInput],
    parses: Mapping[str, Sequence[Sentence]],
    task: str,
    seed: int,
) -> pd.DataFrame:
    """Table ``kovaleva_cls``: each last-layer head's attention from [CLS] to each feature.

    In one example it is the highest among the feature's tokens. It is averaged over the examples in which a token has
    the feature, also for the tokens as released (here the code leaves out the others). Punctuation is measured beyond
    the paper, which mentions it by inspection.

    Parameters and errors are those of :func:`bert_attention.kovaleva.features.features`.
    """
    tables = []
    for model, sequences in zip(MODELS, (pretrained_sequences, finetuned_sequences), strict=True):
        scores, present = [], []
        for sequence, positions in with_feature_positions(sequences, examples, parses):
            opening = int(np.argmax(sequence.categories["cls"]))
            scores.append(highest(sequence.attention[-1, :, opening], positions.tokens))
            present.append(positions.tokens.any(-1))
        scores, present = np.stack(scores), np.stack(present)
        for number, variant in enumerate(VARIANTS):
            for place, feature in enumerate(FEATURES):
                columns = mean_with_interval(scores[:, number, place], present[:, number, place], seed)
                labels = {"task": task, "model": model, "feature": feature, "variant": variant}
                heads = np.arange(len(columns["mean"])) + 1
                tables.append(pd.DataFrame({"head": heads, "attention": columns.pop("mean"), **columns, **labels}))
    return pd.concat(tables, ignore_index=True)
