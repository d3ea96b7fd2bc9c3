"""Random weights for the control: results that an encoder also has with random weights are not due to training."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import torch
from torch import nn
from transformers import AutoModel, PreTrainedModel

from bert_attention.models.attention_modules import attention_modules, linear_map
from bert_attention.models.encoders import Encoder, load_encoder
from bert_attention.models.families import FAMILIES


def load_control(folder: Path | str, device: str, weights_seed: int | None) -> Encoder:
    """Load an encoder with random weights drawn from a seed (:func:`randomize`), or with its own if the seed is None.

    The errors are those of :func:`.load_encoder`.
    """
    encoder = load_encoder(folder, device)
    if weights_seed is not None:
        randomize(encoder.model, weights_seed)
    return encoder


@torch.no_grad()
def make_plain(model: PreTrainedModel) -> None:
    """Replace adapters, and classes of one's own, by linear maps that do the same, as the model's own class has."""
    with torch.device("meta"):
        plain = AutoModel.from_config(model.config)
    modules = dict(model.named_modules())
    for name, linear in plain.named_modules():
        if isinstance(linear, nn.Linear) and name in modules and type(modules[name]) is not nn.Linear:
            weight, bias = linear_map(modules[name].forward, linear.in_features, model.device)
            linear.weight, linear.bias = nn.Parameter(weight), nn.Parameter(bias) if bias.any() else None
            model.set_submodule(name, linear)


@torch.no_grad()
def randomize(model: PreTrainedModel, seed: int) -> None:
    """Replace a trained model's weights by random weights of the same scale: the control.

    Every weight matrix is drawn from a Gaussian with the mean and the standard deviation of the trained matrix. Weights
    from N(0, 0.02), where BERT's training starts, give nearly uniform attention, with an entropy that no trained
    encoder has. Biases of matrices are reset to 0, as before training. The weights and the biases of a layer norm are
    permuted together: the control has their trained sizes, which scale vectors, but not the trained dimensions.

    The embeddings and their layer norm stay as trained. This is the baseline "BERT with pre-trained word and positional
    embeddings but random weights" of Clark et al. 2019, section 5. Distance embeddings and the position bias of
    attention (MPNet) count as positional embeddings. With them, heads can attend to neighbors without training.
    """
    generator = torch.Generator().manual_seed(seed)
    modules = dict(model.named_modules())
    embeddings = [modules[name] for name in FAMILIES[model.config.model_type].embeddings if name in modules]
    kept = {id(parameter) for top in embeddings for parameter in top.parameters()}
    projections = _rows_of_projections(model)
    norms = _permuted_norms(model, generator)
    for parameter in model.parameters():
        if id(parameter) in kept:
            continue
        if parameter.ndim == 1:
            parameter.copy_(norms.get(id(parameter), torch.zeros_like(parameter)))
            continue
        for rows in projections.get(id(parameter), [torch.arange(len(parameter))]):
            parameter[rows] = _drawn(parameter[rows].cpu(), generator).to(parameter.device)


def _permuted_norms(model: PreTrainedModel, generator: torch.Generator) -> Mapping[int, torch.Tensor]:
    """Return the weights and biases of each layer norm, in one random order for both, by their parameters' ids."""
    permuted: dict[int, torch.Tensor] = {}
    for module in model.modules():
        own = dict(module.named_parameters(recurse=False))
        if "weight" in own and own["weight"].ndim == 1:
            order = torch.randperm(len(own["weight"]), generator=generator).to(own["weight"].device)
            permuted |= {id(parameter): parameter[order] for parameter in own.values() if parameter.ndim == 1}
    return permuted


def _drawn(trained: torch.Tensor, generator: torch.Generator) -> torch.Tensor:
    """Draw Gaussian numbers with the mean and the standard deviation of a trained matrix."""
    numbers = trained.numpy()  # numpy's sums do not depend on the number of threads
    mean, deviation = (float(found) for found in (numbers.mean(dtype="float64"), numbers.std(dtype="float64")))
    return torch.empty_like(trained).normal_(mean, deviation, generator=generator)


def _rows_of_projections(model: PreTrainedModel) -> Mapping[int, list[torch.Tensor]]:
    """Return the rows of queries, keys and values in each parameter that holds some, by the parameter's id.

    Some families keep queries, keys and values in one matrix, in which each has its own scale.
    """
    found: dict[int, list[torch.Tensor]] = {}
    for module in attention_modules(model):
        for projection in (module.query, module.key, module.value):
            rows = projection.select(torch.arange(projection.module.out_features)).unique()
            for parameter in projection.module.parameters():
                found.setdefault(id(parameter), []).append(rows)
    return found
