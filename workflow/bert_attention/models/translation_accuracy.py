"""How well a translation model predicts the next subword of a translation."""

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
    """How many subwords of each target the model ranks first, given those before, and how many there are; ``[pair]``."""
    right, total = np.zeros(len(pairs), dtype=int), np.zeros(len(pairs), dtype=int)
    for places in batches_of_like_length([len(pair.target_ids) for pair in pairs], batch_size):
        batch = teacher_forcing_batch([pairs[place] for place in places], translation)
        predicted = translation.model(**batch.inputs).logits.argmax(-1)
        right[places] = (predicted == batch.labels).sum(1).cpu()
        total[places] = (batch.labels != NO_LABEL).sum(1).cpu()
    return right, total


def token_accuracy(translation: TranslationModel, pairs: Sequence[EncodedPair]) -> float:
    """The share of all target's subwords that the model ranks first."""
    right, total = right_tokens(translation, pairs)
    return float(right.sum() / total.sum())


def table(sums: Sums) -> pd.DataFrame:
    """Table ``translation_accuracy`` of one model, from the sums of ``right`` and ``total`` tokens over pairs."""
    return pd.DataFrame([{"accuracy": sums["right"] / sums["total"], "n": sums["pairs"]}])
