"""Model input: padded batches of sequences."""

from __future__ import annotations

import inspect
from collections.abc import Sequence

import torch
from transformers import PreTrainedModel

from bert_attention.tokenization.sequences import EncodedSequence


def padded_batch(sequences: Sequence[EncodedSequence], pad_id: int) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Return the token ids, segment ids and mask of a batch, each ``[sequence, token]``."""
    shape = (len(sequences), max(map(len, sequences)))
    token_ids, segment_ids, mask = (torch.full(shape, fill) for fill in (pad_id, 0, 0))
    for row, sequence in enumerate(sequences):
        token_ids[row, : len(sequence)] = torch.from_numpy(sequence.token_ids)
        segment_ids[row, : len(sequence)] = torch.from_numpy(sequence.segment_ids)
        mask[row, : len(sequence)] = 1
    return token_ids, segment_ids, mask


def model_inputs(
    model: PreTrainedModel, token_ids: torch.Tensor, segment_ids: torch.Tensor, mask: torch.Tensor
) -> dict[str, torch.Tensor]:
    """Return the arguments of a model's forward pass over a padded batch, on the model's device.

    Segment ids are left out if the model does not take them.
    """
    inputs = {"input_ids": token_ids, "attention_mask": mask}
    if "token_type_ids" in inspect.signature(model.forward).parameters:
        inputs["token_type_ids"] = segment_ids
    return {name: tensor.to(model.device) for name, tensor in inputs.items()}
