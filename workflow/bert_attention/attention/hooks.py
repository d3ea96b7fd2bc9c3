"""Attention maps and norms from one forward pass of an encoder, with hooks on its attention modules."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field

import torch
from torch import nn

from bert_attention.attention.memory import check_memory
from bert_attention.attention.norms import (
    OutputMap,
    mixing_ratios,
    signed_projections,
    summed_norms,
    value_norms,
)
from bert_attention.errors import InputError
from bert_attention.models.attention_modules import AttentionModule, attention_modules
from bert_attention.models.encoders import Encoder
from bert_attention.models.inputs import model_inputs

# Largest relative error that float32 leaves in an output of the attention module. See docs/checks.md.
SUM_TOLERANCE = 1e-4


@dataclass
class LayerActivations:
    """Activations of one layer's attention module in a forward pass over a batch."""

    module: AttentionModule
    inputs: torch.Tensor  # [batch, token, d]
    values: torch.Tensor  # [batch, token, head * d_head]
    first_contexts: torch.Tensor | None = (
        None  # input of the output projection for first tokens, [batch, head * d_head]
    )
    outputs: torch.Tensor | None = None  # output of the output projection, b^O included, [batch, token, d]
    attention: torch.Tensor | None = None  # [batch, head, query, key]


@dataclass(frozen=True)
class HookedEncoder(Encoder):
    """An encoder whose attention modules take hooks.

    ``output_maps`` remembers W^O of each output projection that has run; see :meth:`output_map`.
    """

    output_maps: dict[nn.Module, OutputMap] = field(default_factory=dict, init=False, repr=False, compare=False)

    @classmethod
    def of(cls, encoder: Encoder) -> HookedEncoder:
        """Return the encoder for hooks; raise InputError if its family is unknown."""
        attention_modules(encoder.model)
        return cls(encoder.model, encoder.device)

    @property
    def projections(self) -> tuple[AttentionModule, ...]:
        """The attention modules that the model has now, in order of layers; a module that layers share appears once.

        They are not remembered, because an adapter that is added to a model replaces modules.
        """
        return attention_modules(self.model)

    @property
    def projections_by_layer(self) -> tuple[AttentionModule, ...]:
        """The attention module of each layer. In ALBERT, neighboring layers, or groups of layers, share modules."""
        inner = getattr(self.model.config, "inner_group_num", 1)
        projections = self.projections
        groups, passes = len(projections) // inner, self.layers // inner
        return tuple(
            projections[index * groups // passes * inner + layer] for index in range(passes) for layer in range(inner)
        )

    @property
    def norms(self) -> tuple[str, ...]:
        """Names in :data:`NORMS` that the encoder has: all, or all but the mixing ratios."""
        return tuple(name for name in NORMS if name not in self.family.left_out)

    @property
    def version(self) -> tuple:
        """A value that differs after weights have changed or moved, or after modules or forward hooks were exchanged.

        Weights that are changed through ``.data`` keep their version. The version holds modules instead of their ids,
        because a later module can get the id of an earlier one.
        """
        tensors = [*self.model.parameters(), *self.model.buffers()]
        weights = ((each.data_ptr(), 0 if each.is_inference() else each._version) for each in tensors)
        modules = ((each, *_numbers_of_hooks(each)) for each in self.model.modules())
        return *weights, *modules

    def check_precision(self) -> None:
        """Raise InputError if a weight is not in float32."""
        types = {each.dtype for each in self.model.parameters() if each.is_floating_point()} - {torch.float32}
        if types:
            raise InputError(self.where, f"has weights of type {types.pop()}", "give model.float()")

    @contextmanager
    def in_evaluation(self) -> Iterator[None]:
        """Use evaluation mode, and eager attention, which alone returns maps, inside the block.

        The model has its own mode and attention again after the block. Raise InputError if it is not in float32.
        """
        self.check_precision()
        model = self.model
        training = [module for module in model.modules() if module.training]
        attention = model.config._attn_implementation  # transformers sets it in public, but has no other way to ask
        if attention != "eager":
            model.set_attn_implementation("eager")
        model.eval()
        try:
            yield
        finally:
            for module in training:
                module.training = True
            if attention != "eager":
                model.set_attn_implementation(attention)

    def output_map(self, index: int, layer: LayerActivations) -> OutputMap:
        """Return W^O and b^O of the layer with this index, from 0, in whose output projection they were just used.

        They are read again if they are not those that gave the first tokens' outputs. Raise InputError if the output
        projection is not linear.
        """
        output, first = layer.module.output, (layer.first_contexts, layer.outputs[:, 0])
        known = self.output_maps.get(output)
        if known and known.sum_error(*first).max() <= SUM_TOLERANCE:
            return known
        width, device = layer.first_contexts.shape[-1], layer.outputs.device
        self.output_maps[output] = found = OutputMap.of(output, width, self.heads, device)
        self.check_sum(index, found.sum_error(*first).max())
        return found

    def check_sum(self, index: int, error: float | torch.Tensor) -> None:
        """Raise InputError if the error of a sum of f(x) and b^O, in the layer with this index, is not rounding."""
        if not error <= SUM_TOLERANCE:  # NaN is an error as well
            raise InputError(
                self.where,
                f"in layer {index + 1}, the sum over heads and tokens of alpha f(x), plus b^O, is not the output of "
                f"the attention module: the relative error is {error:.2g}, and rounding explains {SUM_TOLERANCE:g}",
                f"give a {self.family.name} in which nothing but linear maps and the softmax stands in the attention "
                "module: not quantized, and without a gate",
            )

    def check_layers(self, attention: Collection[torch.Tensor], hooked: int | None = None) -> None:
        """Raise InputError if a forward pass gave other maps than ``config.json`` says, or hooks of layers did not run.

        ``hooked`` is the number of layers whose hooks have run, or None without hooks.
        """
        heads = [maps.shape[1] for maps in attention]
        if heads != [self.heads] * self.layers:
            raise InputError(
                self.where,
                f"its layers have {', '.join(map(str, heads))} heads, but its config says {self.layers} layers of "
                f"{self.heads} heads",
                "give the model as it was before heads or layers were pruned; if a layer is a copy, load the model "
                "with attn_implementation='eager', because the copy keeps the implementation that it had",
            )
        if hooked not in (None, self.layers):
            raise InputError(
                self.where,
                f"hooks have run in {hooked} of {self.layers} layers: a model that was compiled and has run ignores "
                "later hooks",
                "load the model again, and give it before torch.compile, or the model that torch.compile was given",
            )


@dataclass(frozen=True)
class BatchMaps:
    """The result of one forward pass over a batch: attention, and norms by their names in the attention store."""

    attention: tuple[torch.Tensor, ...]  # per layer [batch, head, query, key]
    norms: dict[str, torch.Tensor]  # [batch, layer, ...]; mixing: [batch, method, layer, token]


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
    do not fit into memory, or the model cannot be used in its current state.
    """
    for name in norms:
        encoder.check_supports(name)
    check_memory(encoder, *token_ids.shape)
    with encoder.in_evaluation():
        attention, layers = forward(encoder, token_ids, segment_ids, mask, hooked=bool(norms))
        maps = [encoder.output_map(index, layer) for index, layer in enumerate(layers)]
        queries = mask.to(encoder.model.device)
        by_layer = {
            name: [NORMS[name](layer, output_map, queries) for layer, output_map in zip(layers, maps, strict=True)]
            for name in norms
        }
    stacked = {name: torch.stack(layers, dim=2 if name == "mixing" else 1) for name, layers in by_layer.items()}
    return BatchMaps(attention, stacked)


def forward(
    encoder: HookedEncoder, token_ids: torch.Tensor, segment_ids: torch.Tensor, mask: torch.Tensor, *, hooked: bool
) -> tuple[tuple[torch.Tensor, ...], list[LayerActivations]]:
    """Return the attention of each layer and, if ``hooked``, its activations, for a padded batch.

    The caller puts the encoder into evaluation mode. Raise InputError if layers have other numbers of heads than
    ``config.json`` says, if hooks did not run, or if a state of a token is not finite.
    """
    inputs = model_inputs(encoder.model, token_ids, segment_ids, mask)
    layers: list[LayerActivations] = []  # in running order; ALBERT's layers share a module
    with ExitStack() as hooks:
        for module in encoder.projections if hooked else ():
            hooks.enter_context(module.value.on_output(_value_hook(layers, module)))
            hooks.enter_context(module.output.register_forward_hook(_output_hook(layers)))
        outputs = encoder.model(**inputs, output_attentions=True, return_dict=True)
    encoder.check_layers(outputs.attentions, len(layers) if hooked else None)
    if not outputs.last_hidden_state[inputs["attention_mask"].bool()].isfinite().all():
        raise _not_finite(encoder)
    for layer, attention in zip(layers, outputs.attentions, strict=False):
        layer.attention = attention
    return outputs.attentions, layers


def _numbers_of_hooks(module: nn.Module) -> Iterator[int]:
    """Yield PyTorch's numbers of the forward hooks of a module, except hooks with which transformers records outputs.

    transformers adds its hooks to a model at the model's first run. PyTorch has no public list of hooks.
    """
    for number, hook in (*module._forward_pre_hooks.items(), *module._forward_hooks.items()):
        if getattr(hook, "__module__", None) != "transformers.utils.output_capturing":
            yield number


def _not_finite(encoder: Encoder) -> InputError:
    """Return the error about a model whose states are not finite, which names a parameter that is not."""
    parameters = encoder.model.named_parameters()
    name = next((name for name, parameter in parameters if not parameter.isfinite().all()), None)
    problem = f"its parameter {name} holds numbers that are not finite" if name else "its states are not finite"
    remedy = "get the model again; if you trained it here, train it again with a lower learning rate"
    return InputError(encoder.where, problem, remedy)


def _value_hook(layers: list[LayerActivations], module: AttentionModule) -> Callable:
    return lambda inputs, values: layers.append(LayerActivations(module, inputs, values))


def _output_hook(layers: list[LayerActivations]) -> Callable:
    def take(_module: nn.Module, inputs: tuple, outputs: torch.Tensor) -> None:
        layers[-1].first_contexts, layers[-1].outputs = inputs[0][:, 0].clone(), outputs

    return take


def layer_norm_map(layer_norm: nn.Module, width: int, device: torch.device) -> tuple[torch.Tensor, torch.Tensor]:
    """Return gamma and beta as a layer norm applies them, ``[d]``; gamma up to a factor that all entries share."""
    signs = torch.ones(width, device=device)
    signs[1::2] = -1
    normalized, beta = layer_norm.forward(torch.stack([signs, signs * 0])[None])[0]
    return (normalized - beta) * signs, beta


def _mixing(layer: LayerActivations, output_map: OutputMap, _queries: torch.Tensor) -> torch.Tensor:
    gamma, _ = layer_norm_map(layer.module.layer_norm, layer.inputs.shape[-1], layer.inputs.device)
    outputs = layer.outputs - output_map.bias
    return mixing_ratios(layer.attention, layer.values, output_map.weight, outputs, layer.inputs, gamma)


# Norms that a forward pass can compute, by their names in the attention store. Each function takes one layer's
# activations, its W^O, and the mask of queries that are real tokens.
NORMS: dict[str, Callable[[LayerActivations, OutputMap, torch.Tensor], torch.Tensor]] = {
    "value_norms": lambda layer, output_map, _: value_norms(layer.values, output_map.factors),
    "input_norms": lambda layer, *_: torch.linalg.vector_norm(layer.inputs, dim=-1),
    "mixing": _mixing,
    "projections": lambda layer, output_map, queries: signed_projections(
        layer.attention, layer.values, output_map.weight, layer.outputs - output_map.bias, queries
    ),
    "summed_norms": lambda layer, output_map, _: summed_norms(layer.attention, layer.values, output_map.products),
}
