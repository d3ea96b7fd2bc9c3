"""Attention maps and norms from one forward pass of an encoder, with hooks on its attention modules."""

from __future__ import annotations

from collections.abc import Callable, Collection
from contextlib import ExitStack
from dataclasses import dataclass

import torch
from torch import nn

from bert_attention.attention.memory import check_memory
from bert_attention.attention.norms import (
    mixing_ratios,
    output_factors,
    output_products,
    signed_projections,
    summed_norms,
    value_norms,
)
from bert_attention.models.attention_modules import AttentionModule, attention_modules
from bert_attention.models.encoders import Encoder
from bert_attention.models.inputs import model_inputs


@dataclass(frozen=True)
class AttentionProjections(AttentionModule):
    """An attention module, with the factors and products of its output projection that the norms need."""

    output_factors: torch.Tensor  # [head, d_head, d_head]
    output_products: torch.Tensor  # [head * d_head, head * d_head]


@dataclass(frozen=True)
class HookedEncoder(Encoder):
    """An encoder and the projections of its attention modules in order of layers, for hooks."""

    projections: tuple[AttentionProjections, ...]

    @classmethod
    def of(cls, encoder: Encoder) -> HookedEncoder:
        """Find the projections of an encoder; a module that layers share appears once.

        Raise InputError if the encoder's family is unknown.
        """
        projections = (
            AttentionProjections(
                **vars(module),
                output_factors=output_factors(module.output, encoder.heads),
                output_products=output_products(module.output),
            )
            for module in attention_modules(encoder.model)
        )
        return cls(encoder.model, encoder.device, tuple(projections))

    @property
    def projections_by_layer(self) -> tuple[AttentionProjections, ...]:
        """The projections of each layer. In ALBERT, neighboring layers, or groups of layers, share modules."""
        inner = getattr(self.model.config, "inner_group_num", 1)
        groups, passes = len(self.projections) // inner, self.layers // inner
        return tuple(
            self.projections[index * groups // passes * inner + layer]
            for index in range(passes)
            for layer in range(inner)
        )

    @property
    def norms(self) -> tuple[str, ...]:
        """Names in :data:`NORMS` that the encoder has: all, or all but the mixing ratios."""
        return tuple(name for name in NORMS if name not in self.family.left_out)


@dataclass(frozen=True)
class BatchMaps:
    """The result of one forward pass over a batch: attention, and norms by their names in the attention store."""

    attention: tuple[torch.Tensor, ...]  # per layer [batch, head, query, key]
    norms: dict[str, torch.Tensor]  # [batch, layer, ...]; mixing: [batch, method, layer, token]


@dataclass
class _Activations:
    """Activations of one layer's attention module: inputs, values, and outputs without W^O's bias."""

    projections: AttentionProjections
    inputs: torch.Tensor
    values: torch.Tensor
    outputs: torch.Tensor | None = None


@torch.inference_mode()
def run(
    encoder: HookedEncoder,
    token_ids: torch.Tensor,
    segment_ids: torch.Tensor,
    mask: torch.Tensor,
    norms: Collection[str] = (),
) -> BatchMaps:
    """Run one forward pass over a padded batch, ``[batch, token]`` each; ``mask`` is 1 on real tokens.

    Attention is post-softmax, with dropout off. The caller crops rows and columns of padding. ``norms`` names the norms
    in :data:`NORMS` to compute as well. Raise InputError if the encoder does not have all of these norms, or the maps
    do not fit into memory.
    """
    for name in norms:
        encoder.check_supports(name)
    check_memory(encoder, *token_ids.shape)
    inputs = model_inputs(encoder.model, token_ids, segment_ids, mask)
    activations: list[_Activations] = []  # one per layer, in running order; ALBERT's layers share a module
    with ExitStack() as hooks:
        for projections in encoder.projections if norms else ():
            hooks.enter_context(projections.value.on_output(_value_hook(activations, projections)))
            hooks.enter_context(projections.output.register_forward_hook(_output_hook(activations)))
        attention = encoder.model(**inputs, output_attentions=True).attentions
    if len(attention) != encoder.layers or (norms and len(activations) != encoder.layers):
        raise RuntimeError(
            f"{encoder.layers} layers returned {len(attention)} attention maps and {len(activations)} value projections"
        )
    queries = inputs["attention_mask"]
    by_layer = {
        name: [NORMS[name](*layer, queries) for layer in zip(activations, attention, strict=True)] for name in norms
    }
    stacked = {name: torch.stack(layers, dim=2 if name == "mixing" else 1) for name, layers in by_layer.items()}
    return BatchMaps(attention, stacked)


def _value_hook(activations: list[_Activations], projections: AttentionProjections) -> Callable:
    return lambda inputs, values: activations.append(_Activations(projections, inputs, values))


def _output_hook(activations: list[_Activations]) -> Callable:
    def take(_module: nn.Module, _inputs: tuple, outputs: torch.Tensor) -> None:
        activations[-1].outputs = outputs - activations[-1].projections.output_bias

    return take


def _mixing(activations: _Activations, attention: torch.Tensor, _queries: torch.Tensor) -> torch.Tensor:
    module = activations.projections
    scale = module.layer_norm.weight
    return mixing_ratios(
        attention, activations.values, module.output.weight, activations.outputs, activations.inputs, scale
    )


# Norms that a forward pass can compute, by their names in the attention store. Each function takes one layer's
# activations, its attention, and the mask of queries that are real tokens.
NORMS: dict[str, Callable[[_Activations, torch.Tensor, torch.Tensor], torch.Tensor]] = {
    "value_norms": lambda activations, *_: value_norms(activations.values, activations.projections.output_factors),
    "input_norms": lambda activations, *_: torch.linalg.vector_norm(activations.inputs, dim=-1),
    "mixing": _mixing,
    "projections": lambda activations, attention, queries: signed_projections(
        attention, activations.values, activations.projections.output.weight, activations.outputs, queries
    ),
    "summed_norms": lambda activations, attention, _: summed_norms(
        attention, activations.values, activations.projections.output_products
    ),
}
