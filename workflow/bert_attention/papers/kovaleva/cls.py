"""Attention from [CLS] in the last layer (Kovaleva et al. 2019, section 4.5, figure 7)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from bert_attention.attention.store import StoredSequence
from bert_attention.corpora.types import Sentence, TaskInput
from bert_attention.papers.kovaleva import features
from bert_attention.papers.kovaleva.feature_positions import feature_positions, max_over_tokens
from bert_attention.papers.kovaleva.means import mean_terms
from bert_attention.statistics.sums import Sums


def sums(
    pretrained_sequence: StoredSequence,
    finetuned_sequence: StoredSequence,
    example: TaskInput,
    parses: Mapping[str, Sequence[Sentence]],
) -> dict[str, np.ndarray]:
    """Return an example's sums, ``[model, variant, feature, 1, head]``: last-layer attention from [CLS] to features.

    The attention to a feature is the highest among its tokens. In both variants, an example counts only if one of its
    tokens has the feature, as in the released code. Punctuation is not among the paper's measured features, but the
    paper mentions it. Parameters and errors are those of :func:`bert_attention.papers.kovaleva.features.sums`.
    """
    tokens, _ = feature_positions(pretrained_sequence, example, parses)
    cls = int(np.argmax(pretrained_sequence.categories["cls"]))
    sequences = (pretrained_sequence, finetuned_sequence)
    scores = [max_over_tokens(sequence.attention[-1:, :, cls], tokens) for sequence in sequences]
    return mean_terms(scores, tokens.any(-1))


def table(sums: Sums) -> pd.DataFrame:
    """Return table ``kovaleva_cls``: each last-layer head's mean attention from [CLS] to each feature over examples."""
    return features.table(sums).drop(columns="layer")
