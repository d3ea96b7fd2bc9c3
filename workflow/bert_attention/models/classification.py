"""Models that classify or score a whole sequence: loading one, and what its logits predict."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import numpy as np
import torch
from transformers import AutoModelForSequenceClassification, PreTrainedModel

from bert_attention.models.batches import batches_of_like_cost
from bert_attention.models.devices import choose_device
from bert_attention.models.inputs import model_inputs, padded_batch
from bert_attention.models.loading import check_complete, load_weights
from bert_attention.tokenization.sequences import EncodedSequence

_REMEDY = "give a checkpoint of a sequence classification model: an encoder fine-tuned on a task"


def load_classifier(folder: Path | str, device: str = "auto") -> PreTrainedModel:
    """The sequence classification model in a folder, in inference mode.

    Its attention is the fastest that it has (``sdpa`` for most): nobody asks this model for its maps.

    Raises
    ------
    InputError
        If the folder holds no usable weights (see ``load_weights``), or none of a classification head.
    """
    model, lacking = load_weights(AutoModelForSequenceClassification, folder, _REMEDY, attn_implementation=None)
    check_complete(folder, lacking, _REMEDY)
    return model.eval().to(choose_device(device))


def predictions(logits: torch.Tensor) -> np.ndarray:
    """What logits ``[..., class]`` predict, ``[...]`` float64: the number of the likeliest class.

    With a single logit, the model does not classify but scores, and the logit itself is the prediction.
    """
    if logits.shape[-1] == 1:
        return logits[..., 0].double().cpu().numpy()
    return logits.argmax(-1).double().cpu().numpy()


@torch.inference_mode()
def predict(
    model: PreTrainedModel,
    sequences: Sequence[EncodedSequence],
    pad_id: int,
    batch_size: int,
    progress: Callable[[Iterable], Iterable] = iter,
) -> np.ndarray:
    """What a model in inference mode predicts for each sequence, ``[sequence]`` float64; see :func:`predictions`."""
    found = np.empty(len(sequences))
    for places in progress(batches_of_like_cost([len(sequence) for sequence in sequences], batch_size)):
        batch = padded_batch([sequences[place] for place in places], pad_id)
        found[places] = predictions(model(**model_inputs(model, *batch)).logits)
    return found
