"""Models that classify or score a whole sequence: loading and prediction."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import torch
from transformers import AutoModelForSequenceClassification, PreTrainedModel

from bert_attention.models.attention_modules import attention_modules
from bert_attention.models.batches import batches_by_cost
from bert_attention.models.devices import choose_device
from bert_attention.models.encoders import Encoder
from bert_attention.models.families import FAMILIES
from bert_attention.models.inputs import model_inputs, padded_batch
from bert_attention.models.loading import check_complete, load_weights
from bert_attention.tokenization.sequences import EncodedSequence

_REMEDY = "give a checkpoint of a sequence classification model: an encoder fine-tuned on a task"


def load_classifier(folder: Path | str, device: str = "auto") -> PreTrainedModel:
    """Load the sequence classification model in a folder, in inference mode.

    The model uses its fastest attention (``sdpa`` for most models), because no caller needs attention maps. Raise
    InputError if the folder holds no usable weights (see ``load_weights``) or no classification head.
    """
    model, missing = load_weights(AutoModelForSequenceClassification, folder, _REMEDY, attn_implementation=None)
    check_complete(folder, missing, _REMEDY)
    return pass_on_first_token_only(model.eval().to(choose_device(device)))


def pass_on_first_token_only(model: PreTrainedModel) -> PreTrainedModel:
    """Make the last layer pass on only the first token after its attention, and return the model.

    The head reads no other token, so this saves most of a layer. A model stays unchanged if its head reads other
    tokens, its layers share their modules, or no layer norm follows its attention.
    """
    family = FAMILIES.get(model.config.model_type)
    if family is not None and family.ablations_share_a_pass:
        norms = [module.layer_norm for module in attention_modules(model)]
        if len(norms) == Encoder(model, model.device).layers and norms[-1] is not None:
            norms[-1].register_forward_hook(lambda _module, _inputs, states: states[..., :1, :])
    return model


def predictions(logits: torch.Tensor) -> np.ndarray:
    """Return the index of the most likely class, ``[...]`` float64, given logits ``[..., class]``.

    With a single logit, the model predicts a score, and the logit is the prediction.
    """
    if logits.shape[-1] == 1:
        return logits[..., 0].double().cpu().numpy()
    return logits.argmax(-1).double().cpu().numpy()


@torch.inference_mode()
def predict(
    model: PreTrainedModel, sequences: Sequence[EncodedSequence], pad_id: int, batch_size: int
) -> tuple[np.ndarray, np.ndarray]:
    """Return the predictions of a model in inference mode, and the encoder states from which it predicts.

    The predictions are :func:`predictions`, ``[sequence]`` float64. The states are the last hidden states of first
    tokens, ``[sequence, d]`` float32.
    """
    answers = np.empty(len(sequences))
    states = np.empty((len(sequences), model.config.hidden_size), dtype=np.float32)
    for indices in batches_by_cost([len(sequence) for sequence in sequences], batch_size):
        batch = padded_batch([sequences[index] for index in indices], pad_id)
        output = model(**model_inputs(model, *batch), output_hidden_states=True)
        answers[indices] = predictions(output.logits)
        states[indices] = output.hidden_states[-1][:, 0].cpu().numpy()
    return answers, states
