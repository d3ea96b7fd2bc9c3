"""Models that classify or score a whole sequence: loading one, and what its logits predict."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import numpy as np
import torch
from transformers import AutoModelForSequenceClassification, PreTrainedModel
from transformers.utils import logging as transformers_logging

from bert_attention.errors import InputError
from bert_attention.models.batches import batches_of_like_cost
from bert_attention.models.devices import choose_device
from bert_attention.models.inputs import EncodedSequence, model_inputs, padded_batch
from bert_attention.models.safe_loading import SAFE_LOADING, loading
from bert_attention.models.sharded_weights import check_weight_files

_REMEDY = "give a checkpoint of a sequence classification model: an encoder fine-tuned on a task"


def load_classifier(folder: Path | str, device: str = "auto") -> PreTrainedModel:
    """The sequence classification model in a folder, in inference mode.

    Its attention is the fastest that it has (``sdpa`` for most): nobody asks this model for its maps.

    Raises
    ------
    InputError
        If the folder holds no usable weights, or none of a classification head.
    """
    transformers_logging.disable_progress_bar()
    transformers_logging.set_verbosity_error()  # the report that matters is checked below
    check_weight_files(folder)
    options = SAFE_LOADING | {"attn_implementation": None}  # the fastest that the model has
    with loading(folder, _REMEDY):
        model, report = AutoModelForSequenceClassification.from_pretrained(folder, output_loading_info=True, **options)
    lacking = sorted(report["missing_keys"])
    if lacking:
        problem = f"its weights lack {len(lacking)} parameters, {lacking[0]} among them"
        raise InputError(f"model {folder}", problem, _REMEDY)
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
