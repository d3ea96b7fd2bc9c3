"""What [CLS] attends to in the last layer (Kovaleva et al. 2019, section 4.5, figure 7)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from bert_attention.attention.store import StoredSequence
from bert_attention.corpora.types import Sentence, TaskInput
from bert_attention.kovaleva import features
from bert_attention.kovaleva.feature_positions import feature_positions, highest
from bert_attention.kovaleva.means import counted
from bert_attention.statistics.sums import Sums


def sums(
    pretrained_sequence: StoredSequence,
    finetuned_sequence: StoredSequence,
    example: TaskInput,
    parses: Mapping[str, Sequence[Sentence]],
) -> dict[str, np.ndarray]:
    """What an example adds, ``[model, variant, feature, 1, head]``: attention from [CLS] to each feature, last layer.

    It is the highest among the feature's tokens. An example counts if a token has the feature, also for the tokens as
    released (here the code leaves out the others). Punctuation is measured beyond the paper, which mentions it by
    inspection. Parameters and errors are those of :func:`bert_attention.kovaleva.features.sums`.
    """
    tokens, _ = feature_positions(pretrained_sequence, example, parses)
    opening = int(np.argmax(pretrained_sequence.categories["cls"]))
    sequences = (pretrained_sequence, finetuned_sequence)
    return counted([highest(one.attention[-1:, :, opening], tokens) for one in sequences], tokens.any(-1))


def table(sums: Sums) -> pd.DataFrame:
    """Table ``kovaleva_cls``: each last-layer head's attention from [CLS] to each feature, averaged over examples."""
    return features.table(sums).drop(columns="layer")
