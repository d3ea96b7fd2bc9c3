"""How well a translation model predicts the next subword of a translation."""

from __future__ import annotations

from collections.abc import Sequence

import torch

from bert_attention.models.batches import batches_of_like_length
from bert_attention.models.translation import TranslationModel
from bert_attention.models.translation_input import EncodedPair, teacher_forcing_batch
from bert_attention.tokenization.sequences import NO_LABEL


@torch.inference_mode()
def token_accuracy(translation: TranslationModel, pairs: Sequence[EncodedPair], batch_size: int = 64) -> float:
    """The share of the target's subwords, special tokens included, that the model ranks first, given those before."""
    right = total = 0
    for places in batches_of_like_length([len(pair.target_ids) for pair in pairs], batch_size):
        batch = teacher_forcing_batch([pairs[place] for place in places], translation)
        predicted = translation.model(**batch.inputs).logits.argmax(-1)
        right += int((predicted == batch.labels).sum())
        total += int((batch.labels != NO_LABEL).sum())
    return right / total
