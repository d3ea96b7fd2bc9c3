"""Encoders of the same shape with random weights: what an analysis finds in them is not due to training."""

from __future__ import annotations

import torch
from torch import nn
from transformers import PreTrainedModel

from bert_attention.models.families import FAMILIES


@torch.no_grad()
def randomise(model: PreTrainedModel, seed: int) -> None:
    """Draw a model's weights at random, as BERT's are before training: N(0, 0.02), biases 0, norms 1 and 0.

    The embeddings, their layer norm included, stay as trained: the baseline "BERT with pre-trained word and positional
    embeddings but random weights" of Clark et al. 2019, section 5. Embeddings of distances count as positional ones;
    the rotary positions of some families have no weights.
    """
    generator = torch.Generator().manual_seed(seed)
    modules = dict(model.named_modules())
    embeddings = [modules[name] for name in FAMILIES[model.config.model_type].embeddings if name in modules]
    kept = {id(module) for top in embeddings for module in top.modules()}
    for module in model.modules():
        if id(module) in kept:
            continue
        for name, parameter in module.named_parameters(recurse=False):
            if parameter.ndim > 1:
                parameter.normal_(0.0, 0.02, generator=generator)
            else:
                parameter.fill_(float(name == "weight"))
        if isinstance(module, nn.Embedding) and module.padding_idx is not None:
            module.weight[module.padding_idx].zero_()
