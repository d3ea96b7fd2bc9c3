"""Accuracy of a translation model in predicting the next subword of a translation."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
import torch

from bert_attention.models.batches import batches_by_length
from bert_attention.models.translation import TranslationModel
from bert_attention.models.translation_input import EncodedPair, teacher_forcing_batch
from bert_attention.statistics.sums import Sums
from bert_attention.tokenization.sequences import NO_LABEL


@torch.inference_mode()
def correct_tokens(
    translation: TranslationModel, pairs: Sequence[EncodedPair], batch_size: int = 64
) -> tuple[np.ndarray, np.ndarray]:
    """Return the number of correct predictions and the number of subwords of each target, each ``[pair]``.

    A prediction is correct if the model ranks the subword first, given the subwords before. Special tokens count.
    """
    correct, total = np.zeros(len(pairs), dtype=int), np.zeros(len(pairs), dtype=int)
    for indices in batches_by_length([len(pair.target_ids) for pair in pairs], batch_size):
        batch = teacher_forcing_batch([pairs[index] for index in indices], translation)
        predicted = translation.model(**batch.inputs).logits.argmax(-1)
        correct[indices] = (predicted == batch.labels).sum(1).cpu()
        total[indices] = (batch.labels != NO_LABEL).sum(1).cpu()
    return correct, total


def token_accuracy(translation: TranslationModel, pairs: Sequence[EncodedPair]) -> float:
    """Return the share of all target subwords that the model ranks first."""
    correct, total = correct_tokens(translation, pairs)
    return float(correct.sum() / total.sum())


def table(sums: Sums) -> pd.DataFrame:
    """Return table ``translation_accuracy`` of one model, from sums of ``right`` and ``total`` subwords over pairs."""
    return pd.DataFrame([{"accuracy": sums["right"] / sums["total"], "n": sums["pairs"]}])
