"""Identities that hold in every encoder whose numbers are right, checked on the encoder and the texts at hand.

- ``sum``: the sum over heads and tokens of ``alpha f(x)``, plus b^O, is the output of the attention module.
- ``projections``: the sum of the signed projections over heads and tokens is the sum of the lengths ``||y||``.
- ``layer norm``: the layer norm after attention normalizes the sum of the module's input and output, on which the
  mixing ratios stand.
- ``rows``: a token's attention to the real tokens sums to one, so that padding gets none.
- ``alone``: a text alone has the attention that it has in a batch.

:data:`TOLERANCES` has the largest error that rounding explains. docs/checks.md has the errors of two encoders.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import ExitStack

import torch
from torch import nn

from bert_attention.attention.hooks import (
    NORMS,
    SUM_TOLERANCE,
    HookedEncoder,
    LayerActivations,
    forward,
    layer_norm_map,
)
from bert_attention.attention.memory import check_memory
from bert_attention.attention.norms import OutputMap, linear_layer_norm
from bert_attention.errors import InputError
from bert_attention.models.inputs import padded_batch
from bert_attention.tokenization.sequences import EncodedSequence

TOLERANCES = {"sum": SUM_TOLERANCE, "projections": 1e-4, "layer norm": 1e-4, "rows": 1e-4, "alone": 1e-3}

# The problem with an encoder that breaks an identity, and the remedy.
_PROBLEMS = {
    "projections": (
        "the signed projections of all heads and tokens do not sum to the lengths of the outputs",
        "give an encoder in which nothing but linear maps and the softmax stands in the attention module",
    ),
    "layer norm": (
        "the layer norm after attention does not normalize the sum of the attention module's input and output",
        "give an encoder whose attention module is followed by a residual connection and a layer norm",
    ),
    "rows": (
        "attention to the tokens of a text does not sum to one",
        "give an encoder that changes no attention after the softmax, and that masks padding",
    ),
    "alone": (
        "the attention of a text alone differs from that of the same text in a batch",
        "give an encoder in which texts of a batch do not affect each other, and that masks padding",
    ),
}


def check_identities(encoder: HookedEncoder, sequences: Sequence[EncodedSequence], pad_id: int) -> None:
    """Raise InputError, which names the layer and the size of the error, if the encoder breaks an identity.

    Also raise InputError as :func:`bert_attention.attention.hooks.run` does. :func:`checked` chooses the sequences on
    which the identities are checked. There is nothing to check without sequences.
    """
    for identity, errors in identity_errors(encoder, sequences, pad_id).items() if sequences else ():
        for index, error in enumerate(errors):
            if identity == "sum":
                encoder.check_sum(index, error)
            elif not error <= TOLERANCES[identity]:  # NaN is an error as well
                problem, remedy = _PROBLEMS[identity]
                raise InputError(
                    encoder.where,
                    f"in layer {index + 1}, {problem}: the error is {error:.2g}, and rounding explains "
                    f"{TOLERANCES[identity]:g}",
                    remedy,
                )


@torch.inference_mode()
def identity_errors(
    encoder: HookedEncoder, sequences: Sequence[EncodedSequence], pad_id: int
) -> Mapping[str, list[float]]:
    """Return the largest error of each identity in each layer, ``[layer]`` by name, on :func:`checked` sequences.

    ``alone`` is left out if there is only one sequence, and ``layer norm`` if no layer norm follows attention. W^O is
    read again.
    """
    some = checked(sequences)
    batch = padded_batch(some, pad_id)
    check_memory(encoder, *batch[0].shape)
    encoder.output_maps.clear()
    normalized: list[torch.Tensor] = []  # output of the layer norm after attention, by layer
    with encoder.in_evaluation(), ExitStack() as hooks:
        for layer_norm in {module.layer_norm for module in encoder.projections} - {None}:
            take = layer_norm.register_forward_hook(lambda _module, _inputs, output: normalized.append(output))
            hooks.enter_context(take)
        attention, layers = forward(encoder, *batch, hooked=True)
        hooks.close()
        is_token = batch[2].to(encoder.model.device).bool()
        maps = [encoder.output_map(index, layer) for index, layer in enumerate(layers)]
        errors = {
            "sum": [_sum_error(*each, is_token) for each in zip(layers, maps, strict=True)],
            "projections": [_projection_error(*each, is_token) for each in zip(layers, maps, strict=True)],
            "layer norm": [_layer_norm_error(*each, is_token) for each in zip(layers, normalized, strict=False)],
            "rows": [_row_error(of_layer, is_token) for of_layer in attention],
        }
        if len(some) > 1:
            alone, _ = forward(encoder, *padded_batch(some[:1], pad_id), hooked=False)
            errors["alone"] = [_largest_difference(*each) for each in zip(alone, attention, strict=True)]
    return {identity: torch.stack(of_layers).tolist() for identity, of_layers in errors.items() if of_layers}


def checked(sequences: Sequence[EncodedSequence]) -> list[EncodedSequence]:
    """Return two sequences, the shorter first: the first, and the next of another length, or the second."""
    first, *others = sequences
    other = [sequence for sequence in others if len(sequence) != len(first)] or others
    return sorted([first, *other[:1]], key=len)


def _sum_error(layer: LayerActivations, output_map: OutputMap, is_token: torch.Tensor) -> torch.Tensor:
    heads = layer.attention.shape[1]
    per_head = layer.values.unflatten(-1, (heads, -1)).transpose(1, 2)
    contexts = (layer.attention @ per_head).transpose(1, 2).flatten(2)
    return output_map.sum_error(contexts, layer.outputs)[is_token].max()


def _projection_error(layer: LayerActivations, output_map: OutputMap, is_token: torch.Tensor) -> torch.Tensor:
    total = NORMS["projections"](layer, output_map, is_token).sum()
    lengths = torch.linalg.vector_norm(layer.outputs - output_map.bias, dim=-1)[is_token].sum()
    return (total - lengths).abs() / lengths.clamp(min=torch.finfo(lengths.dtype).tiny)


def _layer_norm_error(layer: LayerActivations, normalized: torch.Tensor, is_token: torch.Tensor) -> torch.Tensor:
    """Return the largest distance of two directions: the layer norm's output without beta, and as mixing ratios say."""
    gamma, beta = layer_norm_map(layer.module.layer_norm, layer.inputs.shape[-1], layer.inputs.device)
    expected = linear_layer_norm(layer.inputs + layer.outputs, gamma)
    directions = (nn.functional.normalize(vectors, dim=-1) for vectors in (expected, normalized - beta))
    return _largest_difference(*(vectors[is_token] for vectors in directions))


def _row_error(attention: torch.Tensor, is_token: torch.Tensor) -> torch.Tensor:
    sums = (attention * is_token[:, None, None]).sum(-1).transpose(1, 2)  # [batch, query, head]
    return (sums[is_token] - 1).abs().max()


def _largest_difference(alone: torch.Tensor, in_batch: torch.Tensor) -> torch.Tensor:
    """Return the largest difference of arrays. The second can have further sequences and padding."""
    cropped = in_batch[tuple(slice(size) for size in alone.shape)]
    return (alone - cropped).abs().max()
