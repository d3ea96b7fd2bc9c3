"""The modules that compute self-attention in each form of encoder."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from operator import attrgetter

import torch
from torch import nn
from torch.utils.hooks import RemovableHandle
from transformers import PreTrainedModel

from bert_attention.errors import InputError
from bert_attention.models.families import FAMILIES, SUPPORTED

_QUERY, _KEY, _VALUE = range(3)

# Length of the vectors to which a linear map is applied. A bias that is added to long vectors rounds them less.
_LENGTH = 2.0**12


@dataclass(frozen=True)
class Projection:
    """A projection of tokens to queries, keys or values of all heads.

    ``select`` gets the output of ``module``, and selects these vectors from it.
    """

    module: nn.Module  # its output holds these vectors, sometimes with others
    select: Callable[[torch.Tensor], torch.Tensor]  # from ``[..., all]`` to ``[..., head * d_head]``
    extra_bias: torch.Tensor | None = None  # a bias that is stored outside the module, ``[head * d_head]``

    def vectors(self, output: torch.Tensor) -> torch.Tensor:
        """Return the vectors in an output of the module, ``[..., head * d_head]``."""
        vectors = self.select(output)
        return vectors if self.extra_bias is None else vectors + self.extra_bias

    def on_output(self, take: Callable[[torch.Tensor, torch.Tensor], None]) -> RemovableHandle:
        """Call ``take`` with input and vectors, ``[..., d]`` and ``[..., head * d_head]``, whenever the module runs."""
        return self.module.register_forward_hook(lambda _module, inputs, output: take(inputs[0], self.vectors(output)))

    def __call__(self, states: torch.Tensor) -> torch.Tensor:
        """Return the vectors of tokens, ``[..., head * d_head]`` from ``[..., d]``."""
        return self.vectors(self.module.forward(states))


@dataclass(frozen=True)
class AttentionModule:
    """The projections W^Q, W^K, W^V and W^O of one attention module.

    ``layer_norm`` follows the residual connection around the module. It is None if layer norms come before attention.
    """

    query: Projection
    key: Projection
    value: Projection
    output: nn.Module
    layer_norm: nn.Module | None


def linear_map(
    apply: Callable[[torch.Tensor], torch.Tensor], width: int, device: torch.device | str = "cpu"
) -> tuple[torch.Tensor, torch.Tensor]:
    """Return weight ``[out, width]`` and bias ``[out]`` of a map of tokens' vectors, in the layout of ``nn.Linear``.

    They are read from what the map does, because an adapter or a class of one's own does more than its ``.weight``
    says. Give the ``forward`` of a module, because its hooks must see the model's tokens only. Nothing here tells if
    the map is linear; :mod:`bert_attention.attention.identities` does.
    """
    vectors = torch.eye(width, device=device)[None] * _LENGTH
    bias = apply(vectors[:, :1] * 0)[0, 0]
    return ((apply(vectors)[0] - bias) / _LENGTH).T.contiguous(), bias


@dataclass(frozen=True)
class _Form:
    """Names of the parts of an attention module, relative to the innermost module that holds all of them.

    ``inputs`` and ``extra_biases`` are the linear maps, and the biases outside them, for queries, keys and values, in
    this order. ``select`` returns :attr:`Projection.select`, given the number of heads, the number of key-value heads
    (fewer if heads share keys and values), and the kind of vectors (queries, keys or values).
    """

    inputs: tuple[str, str, str]
    output: str
    layer_norm: str | None
    select: Callable[[int, int, int], Callable[[torch.Tensor], torch.Tensor]]
    extra_biases: tuple[str | None, str | None, str | None] = (None, None, None)


def _separate_maps(_heads: int, _kv_heads: int, _kind: int) -> Callable[[torch.Tensor], torch.Tensor]:
    """Return ``select`` for modules with separate linear maps for queries, keys and values."""
    return lambda output: output


def _shared_among_heads(heads: int, kv_heads: int, kind: int) -> Callable[[torch.Tensor], torch.Tensor]:
    """Return ``select`` for modules in which groups of heads can share their keys and values."""
    if kind == _QUERY or kv_heads == heads:
        return lambda output: output
    return lambda output: output.unflatten(-1, (kv_heads, -1)).repeat_interleave(heads // kv_heads, dim=-2).flatten(-2)


def _third(_heads: int, _kv_heads: int, kind: int) -> Callable[[torch.Tensor], torch.Tensor]:
    """Return ``select`` for modules in which one linear map computes all queries, then all keys, then all values."""
    return lambda output: output.unflatten(-1, (3, -1))[..., kind, :]


def _third_of_each_head(heads: int, _kv_heads: int, kind: int) -> Callable[[torch.Tensor], torch.Tensor]:
    """Return ``select`` for modules in which one linear map computes queries, keys and values, head by head."""
    return lambda output: output.unflatten(-1, (heads, 3, -1))[..., kind, :].flatten(-2)


_BERT_PROJECTIONS = ("self.query", "self.key", "self.value")
_LAYER_PROJECTIONS = ("self_attn.q_proj", "self_attn.k_proj", "self_attn.v_proj")

# Keys are the values of Family.form.
FORMS = {
    "bert": _Form(_BERT_PROJECTIONS, "output.dense", "output.LayerNorm", _separate_maps),
    "bert before norm": _Form(_BERT_PROJECTIONS, "output.dense", None, _separate_maps),
    "distilbert": _Form(
        ("attention.q_lin", "attention.k_lin", "attention.v_lin"), "attention.out_lin", "sa_layer_norm", _separate_maps
    ),
    "albert": _Form(("query", "key", "value"), "dense", "LayerNorm", _separate_maps),
    "mpnet": _Form(("attn.q", "attn.k", "attn.v"), "attn.o", "LayerNorm", _separate_maps),
    "deberta": _Form(
        ("self.in_proj",) * 3,
        "output.dense",
        "output.LayerNorm",
        _third_of_each_head,
        ("self.q_bias", None, "self.v_bias"),
    ),
    "deberta-v2": _Form(
        ("self.query_proj", "self.key_proj", "self.value_proj"), "output.dense", "output.LayerNorm", _separate_maps
    ),
    "projections of a layer": _Form(_LAYER_PROJECTIONS, "self_attn.o_proj", "post_attention_layernorm", _separate_maps),
    "projections before norm": _Form(_LAYER_PROJECTIONS, "self_attn.o_proj", None, _shared_among_heads),
    "modernbert": _Form(("attn.Wqkv",) * 3, "attn.Wo", None, _third),
}


def attention_modules(model: PreTrainedModel) -> tuple[AttentionModule, ...]:
    """Return the attention modules of a model in the order of its layers; a module that layers share appears once.

    Raise InputError if the model's family is unknown.
    """
    family = FAMILIES.get(model.config.model_type)
    modules = [] if family is None else list(_modules(model, FORMS[family.form]))
    if not modules:
        problem = f"the self-attention of model type {model.config.model_type} is not supported"
        raise InputError(f"model {model.config.name_or_path}", problem, SUPPORTED)
    return tuple(modules)


def _modules(model: PreTrainedModel, form: _Form):
    heads = model.config.num_attention_heads
    kv_heads = getattr(model.config, "num_key_value_heads", None) or heads
    for module in model.modules():
        try:
            projections = [
                Projection(
                    attrgetter(name)(module), form.select(heads, kv_heads, kind), bias and attrgetter(bias)(module)
                )
                for kind, (name, bias) in enumerate(zip(form.inputs, form.extra_biases, strict=True))
            ]
            norm = form.layer_norm and attrgetter(form.layer_norm)(module)
            yield AttentionModule(*projections, attrgetter(form.output)(module), norm)
        except AttributeError:
            continue
