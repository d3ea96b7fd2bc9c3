"""One forward pass of an encoder, with hooks on its attention modules: attention maps and the norms of values."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass

import torch
from torch import nn
from transformers import PreTrainedModel

from bert_attention.attention.attention_modules import AttentionModule, attention_modules
from bert_attention.attention.norms import (
    mixing_ratios,
    output_factors,
    output_products,
    signed_projections,
    summed_norms,
    value_norms,
)
from bert_attention.models.encoders import Encoder
from bert_attention.models.inputs import model_inputs


@dataclass(frozen=True)
class AttentionProjections(AttentionModule):
    """An attention module, and what the norms need of its output projection."""

    output_factors: torch.Tensor  # [head, d_head, d_head]
    output_products: torch.Tensor  # [head * d_head, head * d_head]


@dataclass(frozen=True)
class HookedEncoder(Encoder):
    """An encoder and the projections of its attention modules, in order of layers, to which hooks can be attached."""

    projections: tuple[AttentionProjections, ...]

    @classmethod
    def of(cls, encoder: Encoder) -> HookedEncoder:
        """Find the projections of an encoder.

        Raises
        ------
        InputError
            If it is not of a known family.
        """
        return cls(encoder.model, encoder.device, attention_projections(encoder.model))

    @property
    def norms(self) -> tuple[str, ...]:
        """Which of :data:`NORMS` it has: all, or all but the mixing ratios."""
        return tuple(name for name in NORMS if name not in self.family.left_out)


@dataclass(frozen=True)
class BatchMaps:
    """Result of one forward pass over a batch: attention, and norms by their names in the attention store."""

    attention: tuple[torch.Tensor, ...]  # per layer [batch, head, query, key]
    norms: dict[str, torch.Tensor]  # [batch, layer, ...]; mixing: [batch, method, layer, token]


@dataclass
class _Activations:
    """What passed through the attention module of one layer: inputs, values, and outputs without W^O's bias."""

    projections: AttentionProjections
    inputs: torch.Tensor
    values: torch.Tensor
    outputs: torch.Tensor | None = None


def attention_projections(model: PreTrainedModel) -> tuple[AttentionProjections, ...]:
    """The projections of every attention module, in order of layers; a module that layers share appears once.

    Raises
    ------
    InputError
        If the model is not of a known family.
    """
    return tuple(
        AttentionProjections(
            **vars(module),
            output_factors=output_factors(module.output, model.config.num_attention_heads),
            output_products=output_products(module.output),
        )
        for module in attention_modules(model)
    )


@torch.inference_mode()
def run(
    encoder: HookedEncoder,
    token_ids: torch.Tensor,
    segment_ids: torch.Tensor,
    mask: torch.Tensor,
    norms: Collection[str] = (),
) -> BatchMaps:
    """One forward pass over a padded batch, ``[batch, token]`` each; ``mask`` is 1 on real tokens.

    Attention is post-softmax; dropout is off. The caller crops rows and columns of padding.

    Parameters
    ----------
    norms
        Which of :data:`NORMS` to compute as well.

    Raises
    ------
    InputError
        If norms are asked for that this encoder does not have.
    """
    for name in norms:
        encoder.check_has(name)
    inputs = model_inputs(encoder.model, token_ids, segment_ids, mask)
    with _activation_recorder(encoder) if norms else nullcontext([]) as passed:
        attention = encoder.model(**inputs, output_attentions=True).attentions
    if len(attention) != encoder.layers or (norms and len(passed) != encoder.layers):
        raise RuntimeError(
            f"{encoder.layers} layers returned {len(attention)} attention maps and {len(passed)} value projections"
        )
    queries = inputs["attention_mask"]
    by_layer = {
        name: [NORMS[name](*of_layer, queries) for of_layer in zip(passed, attention, strict=True)] for name in norms
    }
    stacked = {name: torch.stack(layers, dim=2 if name == "mixing" else 1) for name, layers in by_layer.items()}
    return BatchMaps(attention, stacked)


@contextmanager
def _activation_recorder(encoder: HookedEncoder) -> Iterator[list[_Activations]]:
    """Collect what passes through the attention modules, in the order in which the layers run (ALBERT's share one)."""
    passed: list[_Activations] = []

    def take_values(projections: AttentionProjections) -> Callable:
        return lambda inputs, values: passed.append(_Activations(projections, inputs, values))

    def take_outputs(projections: AttentionProjections) -> Callable:
        def take(_module: nn.Module, _inputs: tuple, outputs: torch.Tensor) -> None:
            passed[-1].outputs = outputs - projections.output_bias

        return take

    hooks = []
    for projections in encoder.projections:
        hooks.append(projections.value.on_output(take_values(projections)))
        hooks.append(projections.output.register_forward_hook(take_outputs(projections)))
    try:
        yield passed
    finally:
        for hook in hooks:
            hook.remove()


def _value_norms(passed: _Activations, _attention: torch.Tensor, _queries: torch.Tensor) -> torch.Tensor:
    return value_norms(passed.values, passed.projections.output_factors)


def _input_norms(passed: _Activations, _attention: torch.Tensor, _queries: torch.Tensor) -> torch.Tensor:
    return torch.linalg.vector_norm(passed.inputs, dim=-1)


def _summed_norms(passed: _Activations, attention: torch.Tensor, _queries: torch.Tensor) -> torch.Tensor:
    return summed_norms(attention, passed.values, passed.projections.output_products)


def _projections(passed: _Activations, attention: torch.Tensor, queries: torch.Tensor) -> torch.Tensor:
    weight = passed.projections.output.weight
    return signed_projections(attention, passed.values, weight, passed.outputs, queries)


def _mixing(passed: _Activations, attention: torch.Tensor, _queries: torch.Tensor) -> torch.Tensor:
    projections = passed.projections
    scale = projections.layer_norm.weight
    return mixing_ratios(attention, passed.values, projections.output.weight, passed.outputs, passed.inputs, scale)


# What a forward pass can compute besides attention, by its name in the attention store.
NORMS: dict[str, Callable[[_Activations, torch.Tensor, torch.Tensor], torch.Tensor]] = {
    "value_norms": _value_norms,
    "input_norms": _input_norms,
    "mixing": _mixing,
    "projections": _projections,
    "summed_norms": _summed_norms,
}
