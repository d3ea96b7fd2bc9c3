"""Attention to tokens with linguistic features, from all tokens (Kovaleva et al. 2019, section 4.4, figure 6)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from bert_attention.attention.store import StoredSequence
from bert_attention.corpora.types import Sentence, TaskInput
from bert_attention.heads import head_table
from bert_attention.kovaleva.column_values import FEATURES, MODELS, VARIANTS
from bert_attention.kovaleva.feature_positions import feature_positions, highest
from bert_attention.kovaleva.means import counted, means
from bert_attention.statistics.sums import Sums


def sums(
    pretrained_sequence: StoredSequence,
    finetuned_sequence: StoredSequence,
    example: TaskInput,
    parses: Mapping[str, Sequence[Sentence]],
) -> dict[str, np.ndarray]:
    """What an example adds, ``[model, variant, feature, layer, head]``: what a token with the feature receives.

    It is the highest among the feature's tokens of the attention that a token receives, averaged over all attending
    tokens. Which tokens those are, and whether the example counts, says :func:`.feature_positions`.

    Parameters
    ----------
    pretrained_sequence, finetuned_sequence
        Attention ``[layer, head, query, key]`` of the encoder as it comes and fine-tuned.
    parses
        The sentences of each text by its name.

    Raises
    ------
    ValueError, KeyError
        As :func:`.placed_sentences`.
    """
    tokens, counts = feature_positions(pretrained_sequence, example, parses)
    sequences = (pretrained_sequence, finetuned_sequence)
    return counted([highest(one.attention.mean(2), tokens) for one in sequences], counts)


def table(sums: Sums) -> pd.DataFrame:
    """Table ``kovaleva_features``: each head's attention to each feature, averaged over the examples that count."""
    return head_table({"model": MODELS, "variant": VARIANTS, "feature": FEATURES}, **means(sums))
