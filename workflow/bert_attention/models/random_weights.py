"""Encoders of the same shape with random weights: what an analysis finds in them is not due to training."""

from __future__ import annotations

import torch
from torch import nn
from transformers import PreTrainedModel


@torch.no_grad()
def randomise(model: PreTrainedModel, seed: int, keep_embeddings: bool) -> None:
    """Draw a model's weights at random, as BERT's are before training: N(0, 0.02), biases 0, layer norms 1 and 0.

    Parameters
    ----------
    keep_embeddings
        Leave the embeddings, their layer norm included, as trained: the baseline "BERT with pre-trained word and
        positional embeddings but random weights" of Clark et al. 2019, section 5.
    """
    generator = torch.Generator().manual_seed(seed)
    kept = {id(module) for module in model.embeddings.modules()} if keep_embeddings else set()
    for module in model.modules():
        if id(module) in kept:
            continue
        if isinstance(module, (nn.Linear, nn.Embedding)):
            module.weight.normal_(0.0, 0.02, generator=generator)
        if isinstance(module, nn.LayerNorm):
            module.weight.fill_(1.0)
        if getattr(module, "bias", None) is not None:
            module.bias.zero_()
        if isinstance(module, nn.Embedding) and module.padding_idx is not None:
            module.weight[module.padding_idx].zero_()
