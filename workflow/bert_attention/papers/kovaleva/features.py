"""Attention to tokens with linguistic features, from all tokens (Kovaleva et al. 2019, section 4.4, figure 6)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from bert_attention.attention.store import StoredSequence
from bert_attention.corpora.types import Sentence, TaskInput
from bert_attention.heads import head_table
from bert_attention.papers.kovaleva.columns import FEATURES, MODELS, VARIANTS
from bert_attention.papers.kovaleva.feature_positions import feature_positions, max_over_tokens
from bert_attention.papers.kovaleva.means import mean_terms, means
from bert_attention.statistics.sums import Sums


def sums(
    pretrained_sequence: StoredSequence,
    finetuned_sequence: StoredSequence,
    example: TaskInput,
    parses: Mapping[str, Sequence[Sentence]],
) -> dict[str, np.ndarray]:
    """Return an example's sums, ``[model, variant, feature, layer, head]``: attention to tokens with the feature.

    The attention to a token is averaged over all queries. The attention to a feature is the highest among its tokens.
    :func:`.feature_positions` defines the tokens that have the feature, and the examples that count. Errors are those
    of :func:`.placed_sentences`.
    """
    tokens, counts = feature_positions(pretrained_sequence, example, parses)
    sequences = (pretrained_sequence, finetuned_sequence)
    return mean_terms([max_over_tokens(sequence.attention.mean(2), tokens) for sequence in sequences], counts)


def table(sums: Sums) -> pd.DataFrame:
    """Return table ``kovaleva_features``: each head's attention to each feature, averaged over examples that count."""
    return head_table({"model": MODELS, "variant": VARIANTS, "feature": FEATURES}, **means(sums))
