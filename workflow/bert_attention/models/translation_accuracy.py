"""Accuracy of a translation model in predicting the next subword of a translation."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
import torch

from bert_attention.models.batches import batches_of_like_length
from bert_attention.models.translation import TranslationModel
from bert_attention.models.translation_input import EncodedPair, teacher_forcing_batch
from bert_attention.statistics.sums import Sums
from bert_attention.tokenization.sequences import NO_LABEL


@torch.inference_mode()
def right_tokens(
    translation: TranslationModel, pairs: Sequence[EncodedPair], batch_size: int = 64
) -> tuple[np.ndarray, np.ndarray]:
    """Return the number of right predictions and the number of subwords of each target, each ``[pair]``.

    A prediction is right if the model ranks the subword first, given the subwords before. Special tokens count.
    """
    right, total = np.zeros(len(pairs), dtype=int), np.zeros(len(pairs), dtype=int)
    for places in batches_of_like_length([len(pair.target_ids) for pair in pairs], batch_size):
        batch = teacher_forcing_batch([pairs[place] for place in places], translation)
        predicted = translation.model(**batch.inputs).logits.argmax(-1)
        right[places] = (predicted == batch.labels).sum(1).cpu()
        total[places] = (batch.labels != NO_LABEL).sum(1).cpu()
    return right, total


def token_accuracy(translation: TranslationModel, pairs: Sequence[EncodedPair]) -> float:
    """Return the share of all target subwords that the model ranks first."""
    right, total = right_tokens(translation, pairs)
    return float(right.sum() / total.sum())


def table(sums: Sums) -> pd.DataFrame:
    """Return table ``translation_accuracy`` of one model, from sums of ``right`` and ``total`` subwords over pairs."""
    return pd.DataFrame([{"accuracy": sums["right"] / sums["total"], "n": sums["pairs"]}])
